import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        StringBuilder output = new StringBuilder();
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            int space = line.indexOf(' ');
            long a = Long.parseLong(line.substring(0, space));
            long b = Long.parseLong(line.substring(space + 1));
            output.append(Math.abs(a - b)).append('\n');
        }
        System.out.print(output);
    }
}
