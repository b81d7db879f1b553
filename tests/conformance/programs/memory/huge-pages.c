// Tries to get huge pages that the machine has set aside, which the memory controller does not count: by mapping, as shared
// memory, and as a file in memory, in every size. Without reserving them a mapping is made also where none are set aside.
#include "contained.h"
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

#define SIZE (2UL << 20)

int main(void)
{
    int sizes[] = {0, 16, 21, 30};
    for (int i = 0; i < 4; i++) {
        int map = MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | sizes[i] << MAP_HUGE_SHIFT;
        int share = IPC_CREAT | SHM_HUGETLB | sizes[i] << MAP_HUGE_SHIFT | 0600;
        MUST_FAIL(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, map, -1, 0));
        MUST_FAIL(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, map | MAP_NORESERVE, -1, 0));
        MUST_FAIL(shmget(IPC_PRIVATE, SIZE, share));
        MUST_FAIL(shmget(IPC_PRIVATE, SIZE, share | SHM_NORESERVE));
        MUST_FAIL(syscall(SYS_memfd_create, "huge", MFD_HUGETLB | (unsigned)sizes[i] << MAP_HUGE_SHIFT));
    }
    // Those of the kernel's own making are counted like all others.
    void *ordinary;
    MUST_WORK(ordinary = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(ordinary, SIZE, MADV_HUGEPAGE);
    memset(ordinary, 1, SIZE);
    return finish();
}
