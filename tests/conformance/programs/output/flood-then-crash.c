// Sixteen MiB of output and then a crash: the flood came first.
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    static char block[65536];
    for (int i = 0; i < 256; i++)
        if (write(1, block, sizeof block) < 0)
            break;
    abort();
}
