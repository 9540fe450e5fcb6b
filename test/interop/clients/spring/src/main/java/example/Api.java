package example;

import java.util.Map;
import org.springframework.context.annotation.Profile;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.core.OAuth2AuthenticatedPrincipal;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Profile("api")
public class Api {
    @GetMapping("/api/jwt")
    Map<String, Object> jwt(@AuthenticationPrincipal Jwt token) {
        return Map.of("sub", token.getSubject(), "audience", token.getAudience());
    }

    @GetMapping("/api/introspected")
    Map<String, Object> introspected(@AuthenticationPrincipal OAuth2AuthenticatedPrincipal token) {
        return Map.of("sub", token.getName(), "attributes", token.getAttributes().keySet());
    }
}
