// 300 MiB of static memory that is never touched is not memory used.
#include <stdio.h>

static char large[300 << 20];

int main(int argc, char **argv)
{
    (void)argv;
    volatile char *last = large + sizeof large - (size_t)argc;
    *last = 1;
    printf("%d\n", *last);
}
