// The same with every process in a session and a process group of its own, deaf to every signal.
#include <signal.h>
#include <unistd.h>

int main(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    for (;;)
        if (fork() == 0)
            setsid();
}
