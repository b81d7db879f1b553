// Touches private anonymous mappings, pre-faulted ones among them, until it is killed.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

int main(void)
{
    for (;;) {
        char *block =
            mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (block == MAP_FAILED)
            return 1;
        memset(block, 1, 8 << 20);
    }
}
