package example;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import java.security.interfaces.RSAPrivateKey;
import java.security.interfaces.RSAPublicKey;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;
import org.springframework.security.oauth2.client.endpoint.AbstractOAuth2AuthorizationGrantRequest;
import org.springframework.security.oauth2.client.endpoint.NimbusJwtClientAuthenticationParametersConverter;
import org.springframework.security.oauth2.client.endpoint.OAuth2AccessTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.OAuth2AuthorizationCodeGrantRequest;
import org.springframework.security.oauth2.client.endpoint.OAuth2RefreshTokenGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.RestClientRefreshTokenTokenResponseClient;

@Configuration
@Profile("key")
public class ClientKey {
    @Bean
    RSAKey signingKey(
        @Value("file:key.pem") RSAPrivateKey privateKey,
        @Value("file:public-key.pem") RSAPublicKey publicKey,
        @Value("${KEY_ID}") String keyId
    ) {
        return new RSAKey.Builder(publicKey).privateKey(privateKey).keyID(keyId).algorithm(JWSAlgorithm.PS256).build();
    }

    @Bean
    OAuth2AccessTokenResponseClient<OAuth2AuthorizationCodeGrantRequest> codes(RSAKey signingKey) {
        var client = new RestClientAuthorizationCodeTokenResponseClient();
        client.addParametersConverter(signedWith(signingKey));
        return client;
    }

    @Bean
    OAuth2AccessTokenResponseClient<OAuth2RefreshTokenGrantRequest> refreshes(RSAKey signingKey) {
        var client = new RestClientRefreshTokenTokenResponseClient();
        client.addParametersConverter(signedWith(signingKey));
        return client;
    }

    /** An assertion is for the issuer alone, so that no other receiver can use it there (Spring names the token endpoint). */
    private static <T extends AbstractOAuth2AuthorizationGrantRequest>
        NimbusJwtClientAuthenticationParametersConverter<T> signedWith(RSAKey key) {
        var converter = new NimbusJwtClientAuthenticationParametersConverter<T>(registration -> key);
        converter.setJwtClientAssertionCustomizer(assertion -> {
            var provider = assertion.getAuthorizationGrantRequest().getClientRegistration().getProviderDetails();
            assertion.getClaims().audience(List.of(provider.getIssuerUri()));
        });
        return converter;
    }
}
