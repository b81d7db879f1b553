// Opens descriptors until no more are given; the limit is 256 for each process.
#include "contained.h"

int main(void)
{
    int count = 0;
    while (count < 5000 && dup(0) >= 0)
        count++;
    if (count > 256 || count < 200)
        escaped("%d descriptors with a limit of 256", count);
    return finish();
}
