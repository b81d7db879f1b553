// Eight MiB to the byte: the limit is what is allowed.
#include <unistd.h>

int main(void)
{
    static char block[65536];
    for (int i = 0; i < 128; i++)
        if (write(1, block, sizeof block) != sizeof block)
            return 1;
    return 0;
}
