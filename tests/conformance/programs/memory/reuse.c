// Touches 200 MiB of 256 and gives it back, five times over: only the peak counts, not the sum.
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void)
{
    const size_t size = 200ul << 20;
    for (int i = 0; i < 5; i++) {
        char *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            return 1;
        for (size_t at = 0; at < size; at += 4096)
            block[at] = 1;
        munmap(block, size);
    }
    puts("reused");
}
