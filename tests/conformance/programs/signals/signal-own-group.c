// Sends every catchable signal to its own process group while it ignores them itself: if the judge shared
// the group, it would die.
#include "contained.h"

int main(void)
{
    for (int number = 1; number <= SIGRTMAX; number++)
        if (number != SIGKILL && number != SIGSTOP && signal(number, SIG_IGN) != SIG_ERR)
            kill(0, number);
    if (getsid(0) == 0 || getpgrp() == 0)
        escaped("session or process group of somebody outside: %d, %d", (int)getsid(0), (int)getpgrp());
    return finish();
}
