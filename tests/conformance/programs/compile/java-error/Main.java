// A type error.
public class Main {
    public static void main(String[] args) {
        int n = "text";
        System.out.println(n);
    }
}
