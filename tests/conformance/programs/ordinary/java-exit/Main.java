// Exits with a code of its own while another thread is still running.
public class Main {
    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> {
            while (true) {
                Thread.onSpinWait();
            }
        });
        other.start();
        System.out.println("right");
        System.exit(3);
    }
}
