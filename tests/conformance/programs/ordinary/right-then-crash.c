// The right answer, and then a crash: the crash counts.
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    puts("right");
    fflush(stdout);
    abort();
}
