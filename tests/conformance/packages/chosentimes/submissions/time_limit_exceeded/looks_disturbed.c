// Wants more runs by looking disturbed: a timer interrupts it all the time, and datagrams to nobody keep kernel threads
// busy, while it takes 1.9 times the limit.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void ignore(int number)
{
    (void)number;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(void)
{
    struct itimerval often = {{0, 500}, {0, 500}};
    char bytes[1024];
    signal(SIGALRM, ignore);
    setitimer(ITIMER_REAL, &often, NULL);
    memset(bytes, 'x', sizeof bytes);
    while (cpu_seconds() < 0.3 * 1.9) {
        // A new one each time: what it leaves is cleaned up by others.
        int pair[2];
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0)
            continue;
        for (int i = 0; i < 8; i++)
            send(pair[0], bytes, sizeof bytes, MSG_DONTWAIT);
        close(pair[0]);
        close(pair[1]);
    }
    puts("sorry");
    return 0;
}
