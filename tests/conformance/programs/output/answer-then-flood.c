// The answer, and a MiB of more that nobody asked for, without a look at what becomes of it.
#include <string.h>
#include <unistd.h>

int main(void)
{
    static char block[65536];
    memset(block, 'x', sizeof block);
    if (write(1, "42\n", 3) != 3)
        return 1;
    for (int i = 0; i < 16; i++)
        if (write(1, block, sizeof block) < 0)
            return 1;
    return 0;
}
