// A child burns while its parent sleeps in wait(): the child's time is the run's time.
#include "burn.h"
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    if (fork() == 0)
        burn_seconds(-1);
    wait(NULL);
}
