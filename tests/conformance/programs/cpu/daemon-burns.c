// A daemon, forked twice and in a session of its own, burns while the main process sleeps.
#include "burn.h"
#include <unistd.h>

int main(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            burn_seconds(-1);
        _exit(0);
    }
    for (;;)
        pause();
}
