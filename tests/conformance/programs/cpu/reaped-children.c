// Ten children of 0.3 s each, one after the other, each waited for.
#include "burn.h"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 10; i++) {
        if (fork() == 0) {
            burn_seconds(0.3);
            _exit(0);
        }
        wait(NULL);
    }
    puts("done");
}
