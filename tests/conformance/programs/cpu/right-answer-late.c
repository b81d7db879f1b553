// Prints the right answer at once and then loops: the answer does not count.
#include <stdio.h>

int main(void)
{
    puts("done");
    fflush(stdout);
    for (volatile unsigned long i = 0;; i++) {
    }
}
