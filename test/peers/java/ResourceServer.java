import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.RemoteJWKSet;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtValidators;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * Resource servers as dashboards of this ecosystem are built on, each with the defaults of its library:
 * /nimbus and /spring answer who calls and in which roles, or 401 and why.
 *
 * Arguments: the issuer and the address of its key set. Prints the port that it listens on.
 */
class ResourceServer {
  record Caller(String subject, List<?> roles) {}

  interface Decoder {
    Caller decode(String token) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    String issuer = args[0];
    String keySet = args[1];
    HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    serve(server, "/nimbus", nimbus(issuer, keySet));
    serve(server, "/spring", spring(issuer, keySet));
    server.start();
    System.out.println("listening on " + server.getAddress().getPort());
  }

  /** Nimbus JOSE + JWT: the type verifier is the default one, which takes JWT and no type at all. */
  @SuppressWarnings("deprecation")
  static Decoder nimbus(String issuer, String keySet) throws MalformedURLException {
    var processor = new DefaultJWTProcessor<SecurityContext>();
    var keys = new RemoteJWKSet<SecurityContext>(new URL(keySet));
    processor.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.RS256, keys));
    var expected = new JWTClaimsSet.Builder().issuer(issuer).build();
    processor.setJWTClaimsSetVerifier(new DefaultJWTClaimsVerifier<>(expected, Set.of("sub", "iat", "exp")));
    return token -> {
      JWTClaimsSet claims = processor.process(token, null);
      return new Caller(claims.getSubject(), claims.getStringListClaim("roles"));
    };
  }

  /** Spring Security, as `spring.security.oauth2.resourceserver.jwt.jwk-set-uri` and `issuer-uri` build it. */
  static Decoder spring(String issuer, String keySet) {
    NimbusJwtDecoder decoder = NimbusJwtDecoder.withJwkSetUri(keySet).build();
    decoder.setJwtValidator(JwtValidators.createDefaultWithIssuer(issuer));
    return token -> {
      Jwt jwt = decoder.decode(token);
      return new Caller(jwt.getSubject(), jwt.getClaimAsStringList("roles"));
    };
  }

  static void serve(HttpServer server, String path, Decoder decoder) {
    server.createContext(path, exchange -> {
      String field = exchange.getRequestHeaders().getFirst("Authorization");
      String token = field != null && field.startsWith("Bearer ") ? field.substring(7) : "";
      try {
        Caller caller = decoder.decode(token);
        answer(exchange, 200, caller.subject() + " " + caller.roles());
      } catch (Exception refusal) {
        exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer error=\"invalid_token\"");
        answer(exchange, 401, String.valueOf(refusal.getMessage()));
      }
    });
  }

  static void answer(HttpExchange exchange, int status, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
