// A thread pool and the collector at work.
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;

public class Main {
    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> parts = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            final int part = i;
            parts.add(pool.submit(() -> {
                int[] garbage = new int[100_000];
                garbage[part] = part;
                return garbage[part];
            }));
        }
        int sum = 0;
        for (Future<Integer> part : parts) {
            sum += part.get();
        }
        pool.shutdown();
        System.out.println(sum);
    }
}
