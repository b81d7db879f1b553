// Eight children of 60 MiB each, none over the limit alone; the main process only waits.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Volatile, so that no optimiser drops memory that is never read.
static char *volatile kept;

int main(void)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0) {
            kept = malloc(60 << 20);
            memset(kept, 1, 60 << 20);
            pause();
        }
    while (wait(NULL) > 0) {
    }
    return 0;
}
