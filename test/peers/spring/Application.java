package peer;

import static org.springframework.security.config.Customizer.withDefaults;

import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application of the recipe: /me for people who sign in, /machine for callers with an access token. */
@SpringBootApplication
@RestController
public class Application {
    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }

    @Bean
    @Order(1)
    SecurityFilterChain machines(HttpSecurity http) throws Exception {
        return http.securityMatcher("/machine")
            .authorizeHttpRequests(calls -> calls.anyRequest().hasRole("Admin"))
            .oauth2ResourceServer(server -> server.jwt(withDefaults()))
            .build();
    }

    @Bean
    @Order(2)
    SecurityFilterChain people(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(calls -> calls.anyRequest().authenticated())
            .oauth2Login(withDefaults())
            .oidcLogout(logout -> logout.backChannel(withDefaults()))
            .build();
    }

    @GetMapping("/me")
    String me(Authentication person) {
        OidcUser user = (OidcUser) person.getPrincipal();
        return person.getName() + " " + user.getClaimAsStringList("roles");
    }

    @GetMapping("/machine")
    Map<String, Object> machine(Authentication caller) {
        return Map.of("name", caller.getName(), "authorities",
            caller.getAuthorities().stream().map(GrantedAuthority::getAuthority).sorted().toList());
    }
}
