import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.ClientsApi;
import org.openapitools.client.model.Client;
import org.openapitools.client.model.CreateClientBody;
import org.openapitools.client.model.UpdateClientBody;

/** A program on the classes that openapi-generator writes from a console's description. */
final class Program {
  public static void main(String[] args) throws Exception {
    ApiClient caller = new ApiClient();
    caller.updateBaseUri(System.getenv("CONSOLE") + "/api/v1");
    caller.setRequestInterceptor(
        request -> request.header("Authorization", "Bearer " + System.getenv("TOKEN")));
    ClientsApi api = new ClientsApi(caller);
    String name = "full-java";
    CreateClientBody body =
        new CreateClientBody().id("made-by-java").displayName("Made").scopes(List.of("svc:map:orders-*:read"));
    boolean made = api.createClient(body, null, null).getId().equals("made-by-java");
    List<String> listed =
        api.listClients(100, null, null, null, null, null, null).getItems().stream().map(Client::getId).toList();
    String before = api.readClient(name).getDisplayName();
    String after =
        api.updateClient(name, new UpdateClientBody().displayName("Renamed"), null, null).getDisplayName();
    ObjectMapper json = new ObjectMapper();
    JsonNode problem = null;
    try {
      api.updateClient(name, new UpdateClientBody().scopes(List.of("svc:nothing:read")), null, null);
    } catch (ApiException error) {
      problem = json.readTree(error.getResponseBody());
    }
    String pointer = problem.at("/errors/0/pointer").asText();
    String code = problem.get("code").asText();
    System.out.println(json.writeValueAsString(
        Map.of("made", made, "listed", listed, "before", before, "after", after, "code", code, "pointer", pointer)));
  }
}
