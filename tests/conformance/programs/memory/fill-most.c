// Takes 200 MiB of 256, in memory and in the box, and ends: what it took must be free for the next run.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char *block = malloc(180 << 20);
    if (block == NULL)
        return 1;
    memset(block, 1, 180 << 20);
    int file = open("/tmp/filler", O_WRONLY | O_CREAT, 0600);
    for (int i = 0; i < 15; i++)
        if (write(file, block, 1 << 20) != 1 << 20)
            return 2;
    printf("%d\n", block[12345]);
}
