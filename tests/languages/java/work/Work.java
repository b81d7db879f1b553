import java.io.*;
import java.util.*;

class Work {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        Map<Integer, Boolean> seen = new HashMap<>();
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            seen.put(Integer.parseInt(words[0]) + Integer.parseInt(words[1]), true);
        }
        StringBuilder out = new StringBuilder();
        for (int sum : new TreeSet<>(seen.keySet())) out.append(sum).append('\n');
        System.out.print(out);
    }
}
