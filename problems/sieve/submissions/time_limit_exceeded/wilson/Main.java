import java.util.Scanner;

/** Wilson's theorem: p is prime if and only if (p - 1)! + 1 is a multiple of p. Correct and hopeless. */
public class Main {
    public static void main(String[] args) {
        int bound = new Scanner(System.in).nextInt();
        int primes = 0;
        for (int number = 2; number <= bound; number++) {
            long factorial = 1;
            for (int factor = 2; factor < number; factor++) {
                factorial = factorial * factor % number;
            }
            if (factorial == number - 1) {
                primes++;
            }
        }
        System.out.println(primes);
    }
}
