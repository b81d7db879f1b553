// Eight MiB and one byte.
#include <unistd.h>

int main(void)
{
    static char block[65536];
    for (int i = 0; i < 128; i++)
        if (write(1, block, sizeof block) != sizeof block)
            return 1;
    return write(1, "x", 1) != 1;
}
