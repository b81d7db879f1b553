// A program starts with default signal dispositions, nothing blocked, nothing pending and a plain umask:
// what the launcher ignored for itself must not leak through exec.
#include "contained.h"
#include <sys/stat.h>

int main(void)
{
    sigset_t blocked, pending;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigpending(&pending);
    for (int number = 1; number <= SIGRTMAX; number++) {
        struct sigaction action;
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_DFL)
            escaped("signal %d is ignored at the start", number);
        if (sigismember(&blocked, number) == 1 || sigismember(&pending, number) == 1)
            escaped("signal %d is blocked or pending at the start", number);
    }
    mode_t mask = umask(022);
    if (mask != 022 && mask != 077 && mask != 027)
        escaped("umask %03o", (unsigned)mask);
    return finish();
}
