package example;

import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.endpoint.OAuth2AccessTokenResponseClient;
import org.springframework.security.oauth2.client.endpoint.OAuth2RefreshTokenGrantRequest;
import org.springframework.security.oauth2.client.endpoint.RestClientRefreshTokenTokenResponseClient;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class Pages {
    private final OAuth2AccessTokenResponseClient<OAuth2RefreshTokenGrantRequest> refreshing;

    Pages(ObjectProvider<OAuth2AccessTokenResponseClient<OAuth2RefreshTokenGrantRequest>> own) {
        refreshing = own.getIfAvailable(RestClientRefreshTokenTokenResponseClient::new);
    }

    @GetMapping("/")
    Map<String, Object> home() {
        return Map.of("home", true);
    }

    @GetMapping("/me")
    Map<String, Object> me(@AuthenticationPrincipal OidcUser user) {
        return user.getClaims();
    }

    /** Spring refreshes by itself shortly before a token expires; this does it now, with Spring's own client. */
    @GetMapping("/refresh")
    Map<String, Object> refresh(@RegisteredOAuth2AuthorizedClient("identity") OAuth2AuthorizedClient client) {
        var before = client.getAccessToken();
        var request = new OAuth2RefreshTokenGrantRequest(client.getClientRegistration(), before, client.getRefreshToken());
        var after = refreshing.getTokenResponse(request).getAccessToken();
        return Map.of("refreshed", !after.getTokenValue().equals(before.getTokenValue()));
    }
}
