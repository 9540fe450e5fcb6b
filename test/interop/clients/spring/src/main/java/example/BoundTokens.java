package example;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;
import org.springframework.security.oauth2.server.resource.web.DPoPAuthenticationEntryPoint;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
@Profile("dpop")
public class BoundTokens {
    @Bean
    @Order(1)
    SecurityFilterChain tokensWithProof(HttpSecurity http) throws Exception {
        return http
            .securityMatcher("/api/bound")
            .authorizeHttpRequests(requests -> requests.anyRequest().hasAuthority("SCOPE_profile"))
            .oauth2ResourceServer(server -> server
                .jwt(withDefaults())
                .dPoP(withDefaults())
                // Without this line Spring takes a bound token as a bearer token, too, from whoever has stolen it.
                .bearerTokenResolver(request -> null)
                .authenticationEntryPoint(new DPoPAuthenticationEntryPoint()))
            .sessionManagement(sessions -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
            // No browser adds a proof by itself; Spring knows that of bearer tokens alone.
            .csrf(csrf -> csrf.disable())
            .build();
    }

    /** Access tokens for this API and nothing else that the service signs, an ID token for example (RFC 9068). */
    @Bean
    JwtDecoder accessTokens(@Value("${ISSUER}") String issuer, @Value("${API_AUDIENCE}") String audience) {
        var rules = JwtValidators.createAtJwtValidator().issuer(issuer).audience(audience).build();
        var decoder = NimbusJwtDecoder.withIssuerLocation(issuer).build();
        decoder.setJwtValidator(rules);
        return decoder;
    }
}
