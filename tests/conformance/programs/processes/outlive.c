// The main process ends at once; children in their own sessions would run on, hold the output pipe open and
// ignore every signal. The run must end now, with the main process's status.
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    puts("main ends");
    fflush(stdout);
    for (int i = 0; i < 10; i++)
        if (fork() == 0) {
            setsid();
            for (int number = 1; number < NSIG; number++)
                signal(number, SIG_IGN);
            for (;;)
                if (i % 2 == 0)
                    pause();
        }
    return 0;
}
