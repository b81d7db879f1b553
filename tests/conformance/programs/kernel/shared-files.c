// Files of the host that all runs see: none may be dropped from memory (it would slow the next run down, and
// what is in memory can be asked for), none may be watched.
#include "contained.h"
#include <sys/mman.h>
#include <sys/resource.h>

int main(void)
{
    static const char *const candidates[] = {"/usr/bin/env", "/bin/busybox", "/proc/self/exe"};
    int file = -1;
    for (size_t each = 0; each < 3 && file == -1; each++)
        file = open(candidates[each], O_RDONLY);
    MUST_WORK(file);
    char byte;
    struct rusage before, after;
    MUST_WORK(pread(file, &byte, 1, 0));
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    syscall(SYS_fadvise64, file, 0L, 0L, POSIX_FADV_DONTNEED | 1L << 32);
    volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, file, 0);
    MUST_WORK(page);
    getrusage(RUSAGE_SELF, &before);
    byte = page[0];
    getrusage(RUSAGE_SELF, &after);
    if (after.ru_majflt != before.ru_majflt)
        escaped("a file of the host was dropped from memory");
    int folder = open("/", O_RDONLY | O_DIRECTORY);
    MUST_WORK(folder);
    MUST_FAIL(fcntl(folder, F_NOTIFY, DN_ACCESS));
    MUST_FAIL(syscall(SYS_fcntl, folder, F_NOTIFY | 1L << 32, DN_CREATE));
    MUST_FAIL(fcntl(file, F_SETLEASE, F_RDLCK));
    MUST_FAIL(fcntl(file, F_GETLEASE));
    return finish();
}
