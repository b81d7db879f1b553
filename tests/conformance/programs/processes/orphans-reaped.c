// Three hundred orphans come and go under a limit of 64: the first process of the namespace must reap them.
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 300; i++) {
        pid_t child;
        for (int try = 0; (child = fork()) < 0 && errno == EAGAIN && try < 1000; try++)
            usleep(1000);
        if (child < 0)
            return perror("fork"), 1;
        if (child == 0) {
            fork();
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    puts("reaped");
}
