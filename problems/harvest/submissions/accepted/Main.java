import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.StringTokenizer;

public class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        input.readLine();
        StringTokenizer weights = new StringTokenizer(input.readLine());
        long withLast = 0;
        long withoutLast = 0;
        while (weights.hasMoreTokens()) {
            long taken = withoutLast + Long.parseLong(weights.nextToken());
            withoutLast = Math.max(withLast, withoutLast);
            withLast = taken;
        }
        System.out.println(Math.max(withLast, withoutLast));
    }
}
