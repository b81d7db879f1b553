// Every process forks twice and ends, so that no process has a living parent and none lives long: a moving
// target for whoever kills by list. The main process waits.
#include <unistd.h>

int main(void)
{
    if (fork() == 0)
        for (;;)
            if (fork() == 0) {
                if (fork() != 0)
                    _exit(0);
            }
    for (;;)
        pause();
}
