package example;

import java.util.Map;
import org.springframework.context.annotation.Profile;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@Profile("dpop")
public class BoundApi {
    @RequestMapping("/api/bound")
    Map<String, Object> bound(@AuthenticationPrincipal Jwt token) {
        return Map.of("sub", token.getSubject(), "client", token.getClaimAsString("client_id"));
    }
}
