// Shared anonymous memory belongs to no process alone; it counts all the same.
#include <string.h>
#include <sys/mman.h>

int main(void)
{
    for (;;) {
        char *block = mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (block == MAP_FAILED)
            return 1;
        memset(block, 1, 8 << 20);
    }
}
