import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Main {
    public static void main(String[] args) throws IOException {
        int bound = Integer.parseInt(new BufferedReader(new InputStreamReader(System.in)).readLine());
        boolean[] composite = new boolean[bound / 2 + 1]; // odd numbers only
        int primes = bound >= 2 ? 1 : 0;
        for (int number = 3; number <= bound; number += 2) {
            if (composite[number / 2]) {
                continue;
            }
            primes++;
            for (long multiple = (long) number * number; multiple <= bound; multiple += 2L * number) {
                composite[(int) (multiple / 2)] = true;
            }
        }
        System.out.println(primes);
    }
}
