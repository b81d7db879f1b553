// CLONE_PARENT makes a sibling: a process whose parent is the sandbox's own first process, and whose end that
// process is told. It ends well and first; then the main process crashes.
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
    puts("right");
    fflush(stdout);
    if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, NULL) == 0)
        _exit(0);
    // Orphans are handed to the same first process.
    if (fork() == 0) {
        if (fork() == 0)
            _exit(0);
        _exit(0);
    }
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 0)
        return 2;
    usleep(100000);
    abort();
}
