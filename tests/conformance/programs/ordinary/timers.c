// Timers: alarm, setitimer, timer_create, timerfd, nanosleep, clock_nanosleep and poll's time-out.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ticks, last;

static void on_tick(int number)
{
    last = number;
    ticks++;
}

int main(void)
{
    sigset_t none, blocked;
    sigemptyset(&none);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGALRM);
    sigaddset(&blocked, SIGUSR2);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    struct sigaction action = {.sa_handler = on_tick};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR2, &action, NULL);

    struct itimerval every = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &every, NULL);
    while (ticks < 3)
        sigsuspend(&none);
    setitimer(ITIMER_REAL, &never, NULL);

    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    struct itimerspec once = {{0, 0}, {0, 10000000}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &once, NULL) != 0)
        return 1;
    while (last != SIGUSR2)
        sigsuspend(&none);

    int descriptor = timerfd_create(CLOCK_MONOTONIC, 0);
    uint64_t expirations = 0;
    timerfd_settime(descriptor, 0, &once, NULL);
    if (read(descriptor, &expirations, sizeof expirations) != sizeof expirations)
        return 2;
    struct timespec short_while = {0, 10000000};
    if (nanosleep(&short_while, NULL) != 0 || clock_nanosleep(CLOCK_REALTIME, 0, &short_while, NULL) != 0)
        return 3;
    poll(NULL, 0, 10);
    ticks = 0;
    alarm(1);
    while (ticks == 0)
        sigsuspend(&none);
    printf("%d %d\n", (int)expirations, (int)last);
}
