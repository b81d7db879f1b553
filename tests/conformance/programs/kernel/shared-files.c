// Files of the host that all runs see: none may be dropped from memory (it would slow the next run down, and
// what is in memory can be asked for), none may be watched.
#include "contained.h"
#include <sys/uio.h>

int main(void)
{
    static const char *const candidates[] = {"/usr/bin/env", "/bin/busybox", "/proc/self/exe"};
    int file = -1;
    for (size_t each = 0; each < 3 && file == -1; each++)
        file = open(candidates[each], O_RDONLY);
    MUST_WORK(file);
    char byte;
    struct iovec bytes = {&byte, 1};
    MUST_WORK(pread(file, &byte, 1, 0));
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    syscall(SYS_fadvise64, file, 0L, 0L, POSIX_FADV_DONTNEED | 1L << 32);
    if (preadv2(file, &bytes, 1, 0, RWF_NOWAIT) == -1 && errno == EAGAIN)
        escaped("a file of the host was dropped from memory");
    int folder = open("/", O_RDONLY | O_DIRECTORY);
    MUST_WORK(folder);
    MUST_FAIL(fcntl(folder, F_NOTIFY, DN_ACCESS));
    MUST_FAIL(syscall(SYS_fcntl, folder, F_NOTIFY | 1L << 32, DN_CREATE));
    MUST_FAIL(fcntl(file, F_SETLEASE, F_RDLCK));
    return finish();
}
