// Wants more runs by times that never agree: the first run takes 1.15 times the limit, each later one 1.9 times. It guesses
// which run it is by the age of its program, by the inode of its standard output, and by clocks.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
    struct stat program, output;
    double age = 100;
    if (stat("/proc/self/exe", &program) == 0)
        age = seconds(CLOCK_REALTIME) - (double)program.st_mtim.tv_sec - (double)program.st_mtim.tv_nsec / 1e9;
    int is_late = age > 1.5 || seconds(CLOCK_MONOTONIC) < 2;
    if (fstat(1, &output) == 0)
        is_late |= output.st_ino % 2;
    double until = is_late ? 0.3 * 1.9 : 0.3 * 1.15;
    while (seconds(CLOCK_PROCESS_CPUTIME_ID) < until)
        ;
    puts("sorry");
    return 0;
}
