// A pipeline of the program's own processes: each adds one to what comes by and hands it on.
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    enum { STAGES = 10 };
    int ends[2], input = -1, first;
    if (pipe(ends) != 0)
        return 1;
    input = ends[0];
    first = ends[1];
    for (int i = 0; i < STAGES; i++) {
        if (pipe(ends) != 0)
            return 1;
        if (fork() == 0) {
            int value;
            close(first);
            if (read(input, &value, sizeof value) != sizeof value)
                _exit(1);
            value++;
            _exit(write(ends[1], &value, sizeof value) != sizeof value);
        }
        close(input);
        close(ends[1]);
        input = ends[0];
    }
    int value = 32, failed = 0, status;
    if (write(first, &value, sizeof value) != sizeof value || read(input, &value, sizeof value) != sizeof value)
        return 1;
    while (wait(&status) > 0)
        failed += status != 0;
    printf("%d %d\n", value, failed);
}
