// Stops itself: a stopped process is idle, and must still be killed.
#include <signal.h>

int main(void)
{
    raise(SIGSTOP);
    return 0;
}
