package org.example;

import java.util.Scanner;
import org.example.adding.Adder;

/* The entry point is found by reading, so this is none: public static void main(String[] args) */
public final class Start {
    public static void main(String... args) {
        Scanner in = new Scanner(System.in);
        System.out.println(new Adder().add(in.nextInt(), in.nextInt()));
    }
}
