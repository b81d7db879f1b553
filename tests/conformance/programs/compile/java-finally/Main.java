// Each finally block is copied to every way out of its try block, so that nesting doubles the code: larger than
// a class file allows long before it is larger than the disk.
public class Main {
    public static void main(String[] args) {
        int n = args.length;
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
        try { n++; } finally {
            n++;
        } } } } } } } } } } } } }
        System.out.println(n);
    }
}
