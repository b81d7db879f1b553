// A heap that grows for ever: either the virtual machine gives up or the kernel ends it.
import java.util.ArrayList;
import java.util.List;

public class Main {
    public static void main(String[] args) {
        List<int[]> blocks = new ArrayList<>();
        while (true) {
            int[] block = new int[1 << 20];
            java.util.Arrays.fill(block, 1);
            blocks.add(block);
        }
    }
}
