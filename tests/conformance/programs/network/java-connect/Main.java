// A socket and a server socket from Java.
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

public class Main {
    public static void main(String[] args) {
        StringBuilder worked = new StringBuilder();
        byte[] loopback = {127, 0, 0, 1};
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByAddress(loopback))) {
            worked.append(" listening");
            new Socket(InetAddress.getByAddress(loopback), server.getLocalPort()).close();
            worked.append(" connected");
        } catch (IOException expected) {
            // Refused, as it should be.
        }
        System.out.println(worked.length() == 0 ? "contained" : "ESCAPED:" + worked);
    }
}
