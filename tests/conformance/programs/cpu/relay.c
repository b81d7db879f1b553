// Hides its time from whoever samples process lists: each process burns 2 ms, starts its successor
// and ends, and the main process only waits. The whole relay takes three seconds.
#include "burn.h"
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        return 1;
    if (fork() == 0) {
        for (int runner = 0; runner < 1500; runner++) {
            burn_seconds(0.002);
            pid_t successor = fork();
            if (successor != 0)
                _exit(successor < 0);
        }
        _exit(0);
    }
    close(ends[1]);
    // Every runner holds the writing end, so this returns when the last one has ended.
    if (read(ends[0], &byte, 1) == 0)
        puts("done");
}
