// Floods standard error for ever.
#include <unistd.h>

int main(void)
{
    static char block[65536];
    for (;;)
        if (write(2, block, sizeof block) < 0)
            return 1;
}
