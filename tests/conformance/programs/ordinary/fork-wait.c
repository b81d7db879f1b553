// Children used as they should be: started, answered for by exit code, and waited for.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    for (int i = 1; i <= 10; i++)
        if (fork() == 0)
            _exit(i);
    int sum = 0, status;
    while (wait(&status) > 0)
        sum += WEXITSTATUS(status);
    printf("%d\n", sum);
}
