// Echoes all of its input and fails if that was not ten million bytes: nothing may be lost on the way.
#include <unistd.h>

int main(void)
{
    static char block[65536];
    long total = 0, got;
    while ((got = read(0, block, sizeof block)) > 0) {
        for (long sent = 0, step; sent < got; sent += step)
            if ((step = write(1, block + sent, (size_t)(got - sent))) < 0)
                return 2;
        total += got;
    }
    return total != 10000000;
}
