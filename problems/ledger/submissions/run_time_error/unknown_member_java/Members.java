import java.util.HashMap;
import java.util.Map;

/** Knows nobody: every look-up ends in a NullPointerException. */
class Members {
    private final Map<String, Long> balances = new HashMap<>();

    long balanceOf(String name) {
        return balances.get(name);
    }
}
