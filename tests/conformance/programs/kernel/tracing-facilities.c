// BPF, performance events, user fault handling, io_uring, fanotify: large, often exploited parts of the kernel.
#include "contained.h"

#ifndef SYS_io_uring_setup
#define SYS_io_uring_setup 425
#endif

int main(void)
{
    static char zeros[256];
    for (int command = 0; command < 40; command++) {
        // EPERM, not EINVAL: the call must not even look at its arguments.
        errno = 0;
        if (syscall(SYS_bpf, command, zeros, sizeof zeros) != -1 || (errno != EPERM && errno != ENOSYS))
            escaped("bpf(%d): %s", command, strerror(errno));
    }
    for (unsigned kind = 0; kind < 10; kind++) {
        unsigned attributes[32] = {kind, 128};
        MUST_FAIL(syscall(SYS_perf_event_open, attributes, 0, -1, -1, 0));
        MUST_FAIL(syscall(SYS_perf_event_open, attributes, -1, 0, -1, 0));
    }
    MUST_FAIL(syscall(SYS_userfaultfd, 0));
    MUST_FAIL(syscall(SYS_userfaultfd, 1));
    MUST_FAIL(syscall(SYS_io_uring_setup, 4, zeros));
    MUST_FAIL(syscall(SYS_io_uring_setup + 1, 0, 1, 0, 0, NULL, 0));
    MUST_FAIL(syscall(SYS_io_uring_setup + 2, 0, 0, zeros, 1));
    for (int class = 0; class < 16; class += 4) {
        MUST_FAIL(syscall(SYS_fanotify_init, class, O_RDONLY));
        MUST_FAIL(syscall(SYS_fanotify_init, class | 0x200, O_RDONLY));
    }
    MUST_FAIL(syscall(SYS_lookup_dcookie, 1ul, zeros, sizeof zeros));
    return finish();
}
