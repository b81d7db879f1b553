// Reserves 64 GiB of addresses and uses one page, as the run times of Go and Java do.
#include <stdio.h>
#include <sys/mman.h>

int main(void)
{
    char *region = mmap(NULL, 64ul << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED || mprotect(region, 4096, PROT_READ | PROT_WRITE) != 0)
        return 1;
    region[0] = 1;
    puts("reserved");
}
