// Kills everything it may: all processes at once, then every process number. The program itself is spared by
// the kernel, and nobody else can be reached.
#include "contained.h"

int main(void)
{
    pid_t self = getpid();
    kill(-1, SIGKILL);
    kill(-1, SIGSTOP);
    kill(-1, SIGTERM);
    for (pid_t pid = 1; pid < 40000; pid++)
        if (pid != self && kill(pid, SIGKILL) == 0 && pid != 1)
            escaped("sent SIGKILL to process %d", (int)pid);
    for (pid_t group = 2; group < 40000; group++)
        if (group != getpgrp() && kill(-group, SIGKILL) == 0)
            escaped("sent SIGKILL to process group %d", (int)group);
    return finish();
}
