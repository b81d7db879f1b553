// A child stops the main process again and again.
#include <signal.h>
#include <unistd.h>

int main(void)
{
    pid_t parent = getpid();
    if (fork() == 0)
        for (;;) {
            kill(parent, SIGSTOP);
            usleep(100000);
        }
    for (;;)
        pause();
}
