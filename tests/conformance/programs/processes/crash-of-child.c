// A child crashes, the main process ends well: the main process counts.
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    if (fork() == 0) {
        raise(SIGSEGV);
        _exit(1);
    }
    wait(NULL);
    puts("right");
}
