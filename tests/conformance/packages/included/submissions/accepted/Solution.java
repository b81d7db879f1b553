import java.util.Scanner;

class Solution {
    public static void main(String[] arguments) {
        System.out.println(Grader.step(new Scanner(System.in).nextInt()));
    }
}
