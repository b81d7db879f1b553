// Locking far more memory than allowed must fail before it hurts anybody.
#include "contained.h"
#include <sys/mman.h>

int main(void)
{
    const size_t size = 1ul << 30;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    MUST_FAIL(mlock(memory, size));
    MUST_FAIL(mlockall(MCL_CURRENT | MCL_FUTURE));
    munmap(memory, size);
    for (int huge = 0; huge < 2; huge++) {
        int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (huge ? 30 << MAP_HUGE_SHIFT : 0);
        void *pages = mmap(NULL, huge ? size : 2ul << 20, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (pages != MAP_FAILED)
            escaped("pages from the machine's reserve of huge pages");
    }
    return finish();
}
