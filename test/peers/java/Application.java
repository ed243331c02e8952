import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.oauth2.client.authentication.OAuth2LoginAuthenticationToken;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.oidc.authentication.OidcAuthorizationCodeAuthenticationProvider;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.registration.ClientRegistrations;
import org.springframework.security.oauth2.client.registration.InMemoryClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.DefaultOAuth2AuthorizationRequestResolver;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationExchange;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationResponse;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.util.MultiValueMap;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * An application with Spring Security's parts as Spring Boot 3 puts them together for `oauth2Login()`: a client with a
 * secret, and not a word about PKCE. Arguments: the issuer, the client's id and its secret.
 */
public class Application {
  private static final String START = "/oauth2/authorization";
  private static final String CALLBACK = "/login/oauth2/code/console";
  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] arguments) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    String own = "http://localhost:" + server.getAddress().getPort();
    ClientRegistration console =
        ClientRegistrations.fromIssuerLocation(arguments[0])
            .registrationId("console")
            .clientId(arguments[1])
            .clientSecret(arguments[2])
            .scope("openid", "profile", "email")
            .redirectUri(own + CALLBACK)
            .userNameAttributeName("preferred_username")
            .build();
    var requests =
        new DefaultOAuth2AuthorizationRequestResolver(new InMemoryClientRegistrationRepository(console), START);
    var provider =
        new OidcAuthorizationCodeAuthenticationProvider(
            new RestClientAuthorizationCodeTokenResponseClient(), new OidcUserService());
    Map<String, OAuth2AuthorizationRequest> open = new ConcurrentHashMap<>();

    server.createContext(
        START,
        exchange -> {
          MockHttpServletRequest request = new MockHttpServletRequest("GET", START + "/console");
          request.setServletPath(START + "/console");
          OAuth2AuthorizationRequest asked = requests.resolve(request);
          open.put(asked.getState(), asked);
          exchange.getResponseHeaders().set("Location", asked.getAuthorizationRequestUri());
          answer(exchange, 302, Map.of());
        });
    server.createContext(
        CALLBACK,
        exchange -> {
          MultiValueMap<String, String> given =
              UriComponentsBuilder.fromUri(exchange.getRequestURI()).build().getQueryParams();
          String code = decoded(given.getFirst("code"));
          String state = decoded(given.getFirst("state"));
          try {
            OAuth2AuthorizationRequest asked = open.remove(state);
            OAuth2AuthorizationResponse response =
                OAuth2AuthorizationResponse.success(code)
                    .redirectUri(own + CALLBACK)
                    .state(state)
                    .build();
            var token =
                new OAuth2LoginAuthenticationToken(console, new OAuth2AuthorizationExchange(asked, response));
            OidcUser user = (OidcUser) provider.authenticate(token).getPrincipal();
            answer(exchange, 200, Map.of("name", user.getName(), "email", String.valueOf(user.getEmail())));
          } catch (RuntimeException refused) {
            answer(exchange, 401, Map.of("refused", String.valueOf(refused.getMessage())));
          }
        });
    server.start();
    System.out.println("listening on " + server.getAddress().getPort());
  }

  private static String decoded(String value) {
    return URLDecoder.decode(String.valueOf(value), StandardCharsets.UTF_8);
  }

  private static void answer(HttpExchange exchange, int status, Map<String, String> body) throws IOException {
    byte[] bytes = JSON.writeValueAsString(body).getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
