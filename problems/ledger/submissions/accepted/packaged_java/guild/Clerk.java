package guild;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** Reads requests, prints answers. */
public final class Clerk {
    public static void main(String[] args) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        int requests = Integer.parseInt(input.readLine());
        Book book = new Book();
        StringBuilder answers = new StringBuilder();
        for (int request = 0; request < requests; request++) {
            String[] words = input.readLine().split(" ");
            switch (words[0]) {
                case "deposit":
                    book.deposit(words[1], Long.parseLong(words[2]));
                    break;
                case "transfer":
                    book.transfer(words[1], words[2], Long.parseLong(words[3]));
                    break;
                default:
                    answers.append(book.balance(words[1])).append('\n');
            }
        }
        System.out.print(answers.append("refused ").append(book.refused()).append('\n'));
    }
}
