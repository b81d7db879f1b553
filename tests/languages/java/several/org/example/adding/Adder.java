package org.example.adding;

public class Adder {
    public int add(int a, int b) {
        return a + b;
    }
}
