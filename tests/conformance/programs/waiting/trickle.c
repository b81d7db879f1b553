// Wakes every 10 ms to print a dot: looks alive, uses almost no CPU time, never ends.
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    for (;;) {
        if (write(1, ".", 1) != 1)
            return 1;
        usleep(10000);
    }
}
