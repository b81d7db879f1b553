import java.util.HashMap;
import java.util.Map;

/** The balances of all members and the transfers that failed. */
final class Book {
    private final Map<String, Long> balances = new HashMap<>();
    private int refused;

    void deposit(String name, long amount) {
        balances.merge(name, amount, Long::sum);
    }

    void transfer(String from, String to, long amount) {
        if (balance(from) < amount) {
            refused++;
            return;
        }
        deposit(from, -amount);
        deposit(to, amount);
    }

    long balance(String name) {
        return balances.getOrDefault(name, 0L);
    }

    int refused() {
        return refused;
    }
}
