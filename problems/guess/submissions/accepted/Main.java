import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        long low = 1;
        long high = Long.parseLong(input.readLine().split(" ")[0]);
        while (true) {
            long depth = low + (high - low) / 2;
            System.out.println(depth);
            String answer = input.readLine();
            if (answer.equals("touched")) {
                return;
            } else if (answer.equals("deeper")) {
                low = depth + 1;
            } else {
                high = depth - 1;
            }
        }
    }
}
