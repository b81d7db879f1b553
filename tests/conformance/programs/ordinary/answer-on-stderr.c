// The right answer on the wrong stream.
#include <stdio.h>

int main(void)
{
    fputs("right\n", stderr);
}
