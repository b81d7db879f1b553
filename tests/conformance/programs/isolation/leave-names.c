// Looks up names that do not exist: the kernel remembers each, in memory that is charged to the run and
// that outlives it.
#include "contained.h"
#include <sys/stat.h>

int main(void)
{
    char path[256];
    unsigned seed = (unsigned)(seconds_now(CLOCK_MONOTONIC) * 1e6);
    struct stat found;
    for (long number = 0; number < 1000000 && seconds_now(CLOCK_PROCESS_CPUTIME_ID) < 1.6; number++) {
        snprintf(path, sizeof path, "/usr/lib/%08x-%ld-%0200d", seed, number, 0);
        stat(path, &found);
    }
    puts("left");
    return 0;
}
