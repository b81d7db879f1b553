// Ten children of 0.3 s each that are never waited for: with SIGCHLD ignored, the parent's own
// accounts (getrusage) never show them.
#include "burn.h"
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    signal(SIGCHLD, SIG_IGN);
    for (int i = 0; i < 10; i++)
        if (fork() == 0) {
            burn_seconds(0.3);
            _exit(0);
        }
    // With SIGCHLD ignored this waits for the last child and then fails.
    wait(NULL);
    puts("done");
}
