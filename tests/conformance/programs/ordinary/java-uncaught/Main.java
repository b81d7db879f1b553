// An exception that nobody catches: the virtual machine exits 1.
public class Main {
    public static void main(String[] args) {
        int[] values = {1, 2, 3};
        System.out.println(values[args.length + 3]);
    }
}
