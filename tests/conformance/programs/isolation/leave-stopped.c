// Leaves stopped children, which cannot act on any signal but SIGKILL and SIGCONT.
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            setsid();
            raise(SIGSTOP);
            _exit(0);
        }
        waitpid(child, NULL, WUNTRACED);
    }
    puts("left");
}
