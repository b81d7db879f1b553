// Fills and reads a hash table, so that the compiler and the collector both have work.
import java.util.HashMap;

class Jvm {
    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        long sum = 0;
        for (int round = 0; round < rounds; round++) {
            HashMap<Integer, long[]> table = new HashMap<>();
            for (int i = 0; i < 20_000; i++) {
                table.computeIfAbsent(i * 7919 % 9973, key -> new long[4])[i % 4] += i;
            }
            for (long[] value : table.values()) {
                sum += value[0];
            }
        }
        System.out.println(sum);
    }
}
