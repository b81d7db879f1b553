// Uses CPU time of the calling thread for about so many seconds; a negative number means for ever.
#ifndef BURN_H
#define BURN_H
#include <time.h>

static volatile unsigned long burn_sink;

__attribute__((unused)) static void burn_seconds(double seconds)
{
    struct timespec start, now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do {
        for (int i = 0; i < 100000; i++)
            burn_sink += (unsigned long)i;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while (seconds < 0 ||
             (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9 < seconds);
}
#endif
