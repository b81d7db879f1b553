// The child ends well with the right answer, the main process crashes: the main process counts.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    if (fork() == 0) {
        puts("right");
        exit(0);
    }
    wait(NULL);
    abort();
}
