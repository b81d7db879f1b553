// Wants more runs without another output: it takes 1.15 times the limit, writes nothing, and waits until it is killed at
// its wall-time limit.
#include <time.h>
#include <unistd.h>

int main(void)
{
    struct timespec now;
    do
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < 0.3 * 1.15);
    for (;;)
        pause();
}
