// Waits for a signal with every signal ignored.
#include <signal.h>
#include <unistd.h>

int main(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    for (;;)
        pause();
}
