// 90 MiB, shared by fork and then written by four children: five copies.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    enum { SIZE = 90 << 20 };
    volatile char *block = malloc(SIZE);
    for (int i = 0; i < SIZE; i += 4096)
        block[i] = 1;
    for (int child = 0; child < 4; child++)
        if (fork() == 0) {
            for (int i = 0; i < SIZE; i += 4096)
                block[i] = 2;
            pause();
        }
    while (wait(NULL) > 0) {
    }
    return 0;
}
