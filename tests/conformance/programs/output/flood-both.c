// Five MiB on each stream: neither is over the limit of eight, both together are.
#include <unistd.h>

int main(void)
{
    static char block[65536];
    for (int i = 0; i < 80; i++)
        if (write(1, block, sizeof block) != sizeof block || write(2, block, sizeof block) != sizeof block)
            return 1;
    return 0;
}
