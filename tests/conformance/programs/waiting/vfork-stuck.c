// The parent of a vfork child sleeps unkillably by anything but SIGKILL until the child execs; it never does.
#define _GNU_SOURCE
#include <unistd.h>

int main(void)
{
    if (vfork() == 0)
        for (;;)
            pause();
    return 0;
}
