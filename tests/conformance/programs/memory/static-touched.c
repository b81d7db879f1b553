// 300 MiB of static memory, touched page by page.
#include <stdio.h>

static char large[300 << 20];

int main(void)
{
    volatile char *memory = large;
    for (size_t i = 0; i < sizeof large; i += 4096)
        memory[i] = 1;
    puts("all of it");
}
