// What an event loop needs: epoll, eventfd, signalfd, select, non-blocking pipes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <unistd.h>

int main(void)
{
    int ends[2], loop = epoll_create1(EPOLL_CLOEXEC), counter = eventfd(0, EFD_NONBLOCK);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int signals = signalfd(-1, &set, SFD_NONBLOCK);
    if (loop < 0 || counter < 0 || signals < 0 || pipe2(ends, O_NONBLOCK | O_CLOEXEC) != 0)
        return 1;
    char byte;
    if (read(ends[0], &byte, 1) != -1 || errno != EAGAIN)
        return 2;
    int watched[] = {ends[0], counter, signals}, seen = 0;
    for (int i = 0; i < 3; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.fd = watched[i]};
        if (epoll_ctl(loop, EPOLL_CTL_ADD, watched[i], &event) != 0)
            return 3;
    }
    uint64_t one = 1;
    if (write(ends[1], "x", 1) != 1 || write(counter, &one, sizeof one) != sizeof one)
        return 4;
    raise(SIGUSR1);
    struct epoll_event events[4];
    seen = epoll_wait(loop, events, 4, 1000);
    fd_set readable;
    FD_ZERO(&readable);
    FD_SET(ends[0], &readable);
    printf("%d %d\n", seen, select(ends[0] + 1, &readable, NULL, NULL, NULL));
}
