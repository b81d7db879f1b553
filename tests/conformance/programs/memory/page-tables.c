// Reads one byte in every 2 MiB of a huge reserved region: its resident set stays near nothing (the zero
// page), while the kernel's page tables grow. They count.
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
    const size_t step = 2ul << 20, size = 1ul << 40;
    char *region = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED)
        return 1;
    madvise(region, size, MADV_NOHUGEPAGE);
    volatile char sum = 0;
    for (size_t i = 0; i < size; i += step)
        sum += region[i];
    return 0;
}
