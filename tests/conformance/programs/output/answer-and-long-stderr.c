// A MiB of standard error, and then the answer.
#include <string.h>
#include <unistd.h>

int main(void)
{
    static char block[65536];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 16; i++)
        if (write(2, block, sizeof block) < 0)
            return 1;
    return write(1, "42\n", 3) != 3;
}
