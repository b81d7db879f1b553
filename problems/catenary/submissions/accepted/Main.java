import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Main {
    static double solve(double ratio) {
        double low = 0;
        double high = 20;
        for (int step = 0; step < 64; step++) {
            double middle = (low + high) / 2;
            if (Math.sinh(middle) < ratio * middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    public static void main(String[] args) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        int chains = Integer.parseInt(input.readLine());
        StringBuilder output = new StringBuilder();
        for (int chain = 0; chain < chains; chain++) {
            String[] words = input.readLine().split(" ");
            double gap = Double.parseDouble(words[0]);
            double length = Double.parseDouble(words[1]);
            output.append(length / 2 * Math.tanh(solve(length / gap) / 2)).append('\n');
        }
        System.out.print(output);
    }
}
