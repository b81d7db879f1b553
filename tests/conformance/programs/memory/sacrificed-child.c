// A child takes all memory and is killed for it; the main process prints the right answer and ends well.
// The run was over its limit all the same.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Volatile, so that no optimiser drops memory that is never read.
static char *volatile kept;

int main(void)
{
    if (fork() == 0)
        for (;;) {
            kept = malloc(1 << 20);
            memset(kept, 1, 1 << 20);
        }
    wait(NULL);
    puts("right");
}
