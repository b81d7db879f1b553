import java.util.Scanner;

public class Main {
    public static void main(String[] args) {
        Scanner input = new Scanner(System.in);
        Members members = new Members();
        for (int request = input.nextInt(); request > 0; request--) {
            if (input.next().equals("balance")) {
                System.out.println(members.balanceOf(input.next()));
            } else {
                input.nextLine();
            }
        }
    }
}
