// Forty children that nobody waits for: zombies at the end of a run hold nothing up.
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 40; i++)
        if (fork() == 0)
            _exit(i);
    usleep(10000);
    puts("unburied");
}
