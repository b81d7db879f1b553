import java.util.Scanner;

/** The array has no place for n itself: ArrayIndexOutOfBoundsException for every bound above 1. */
public class Main {
    public static void main(String[] args) {
        int bound = new Scanner(System.in).nextInt();
        boolean[] composite = new boolean[bound];
        int primes = 0;
        for (int number = 1; number <= bound; number++) {
            if (number > 1 && !composite[number]) {
                primes++;
                for (long multiple = (long) number * number; multiple <= bound; multiple += number) {
                    composite[(int) multiple] = true;
                }
            }
        }
        System.out.println(primes);
    }
}
