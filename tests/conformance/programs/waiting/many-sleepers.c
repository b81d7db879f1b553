// Thirty sleeping processes in thirty sessions: all idle, all to be killed.
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 30; i++)
        if (fork() == 0) {
            setsid();
            for (;;)
                pause();
        }
    for (;;)
        pause();
}
