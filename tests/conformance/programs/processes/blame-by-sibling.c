// The reverse: siblings and orphans crash and exit with 7 first; the main process ends well and must not be
// blamed for them.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) != 0)
        return 1;
    if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL) == 0)
        _exit(7);
    if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL) == 0)
        raise(SIGSEGV);
    if (fork() == 0) {
        if (fork() == 0)
            _exit(9);
        _exit(0);
    }
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 0)
        return 2;
    usleep(100000);
    puts("right");
}
