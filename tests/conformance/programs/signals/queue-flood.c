// Queues real-time signals that nobody takes: kernel memory, bounded for each user by RLIMIT_SIGPENDING. If
// the bound were shared with the judge's user, the judge could no longer be told of its children.
#include "contained.h"

int main(void)
{
    sigset_t all;
    long queued = 0;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    while (queued < 1000000 && sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1}) == 0)
        queued++;
    if (queued >= 1000000)
        escaped("a million queued signals");
    pid_t child = fork();
    if (child == 0)
        _exit(5);
    int status = 0;
    MUST_WORK(waitpid(child, &status, 0));
    return finish();
}
