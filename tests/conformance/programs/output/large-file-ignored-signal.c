// The same with SIGXFSZ ignored, by every call that can make a file longer.
#include "contained.h"
#include <sys/mman.h>
#include <sys/stat.h>

int main(void)
{
    static char block[1 << 20];
    struct stat about;
    signal(SIGXFSZ, SIG_IGN);
    int file = open("large", O_RDWR | O_CREAT, 0600);
    MUST_WORK(file);
    for (int i = 0; i < 20; i++)
        if (write(file, block, sizeof block) < 0)
            break;
    MUST_WORK(fstat(file, &about));
    if (about.st_size > 16 << 20)
        escaped("a file of %ld bytes by write", (long)about.st_size);
    MUST_FAIL(ftruncate(file, 1ll << 40));
    MUST_FAIL(truncate("large", 17 << 20));
    MUST_FAIL(fallocate(file, 0, 0, 17 << 20));
    MUST_FAIL(posix_fallocate(file, 0, 17 << 20) == 0 ? 0 : -1);
    MUST_FAIL(pwrite(file, "x", 1, 1ll << 34));
    int memory = memfd_create("large", 0);
    if (memory >= 0)
        MUST_FAIL(ftruncate(memory, 1ll << 40));
    return finish();
}
