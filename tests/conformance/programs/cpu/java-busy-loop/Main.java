// The plain endless loop in Java.
public class Main {
    public static void main(String[] args) {
        long i = 0;
        while (i >= 0) {
            i = (i + 1) % 1000003;
        }
    }
}
