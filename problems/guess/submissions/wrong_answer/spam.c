/* Hostile: never reads, sounds the first metre for ever. The validator ends first. */
#include <stdio.h>

int main(void) {
    for (;;) {
        puts("1");
    }
}
