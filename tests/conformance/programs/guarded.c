/* Computes until it has used as many milliseconds of CPU time as its argument says. */
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
    long wanted_ms = argc > 1 ? atol(argv[1]) : 0;
    struct timespec used;
    do {
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    } while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < wanted_ms);
    return 0;
}
