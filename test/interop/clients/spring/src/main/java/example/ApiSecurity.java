package example;

import static org.springframework.security.config.Customizer.withDefaults;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
@Profile("api")
public class ApiSecurity {
    @Bean
    @Order(1)
    SecurityFilterChain jwtTokens(HttpSecurity http) throws Exception {
        return http
            .securityMatcher("/api/jwt")
            .authorizeHttpRequests(requests -> requests.anyRequest().hasAuthority("SCOPE_profile"))
            .oauth2ResourceServer(server -> server.jwt(withDefaults()))
            .build();
    }

    @Bean
    @Order(2)
    SecurityFilterChain introspectedTokens(HttpSecurity http) throws Exception {
        return http
            .securityMatcher("/api/introspected")
            .authorizeHttpRequests(requests -> requests.anyRequest().hasAuthority("SCOPE_profile"))
            .oauth2ResourceServer(server -> server.opaqueToken(withDefaults()))
            .build();
    }
}
