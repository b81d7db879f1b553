// Ignores SIGPIPE and SIGXFSZ and every error: only a kill ends it.
#include <signal.h>
#include <unistd.h>

int main(void)
{
    static char block[65536];
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    for (;;)
        if (write(1, block, sizeof block) < 0)
            usleep(1000);
}
