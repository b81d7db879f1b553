// Children that fork as fast as they can while the main process ends: none may slip through the killing.
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 8; i++)
        if (fork() == 0)
            for (;;)
                if (fork() > 0)
                    _exit(0);
    usleep(20000);
    puts("main ends");
}
