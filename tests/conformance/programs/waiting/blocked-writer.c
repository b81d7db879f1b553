// Fills its own pipe and then waits for ever to write more.
#include <unistd.h>

int main(void)
{
    static char block[65536];
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    while (write(ends[1], block, sizeof block) > 0) {
    }
    return 2;
}
