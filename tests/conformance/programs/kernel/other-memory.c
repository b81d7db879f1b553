// Reading, writing and steering other processes' memory without ptrace.
#include "contained.h"
#include <sys/uio.h>

#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

int main(void)
{
    static char here[64] = "mine", there[64];
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    struct iovec local = {there, sizeof there}, remote = {here, sizeof here};
    const pid_t targets[] = {1, getppid(), child};
    for (int i = 0; i < 3; i++) {
        char path[64];
        if (targets[i] == 0)
            continue;
        MUST_FAIL(process_vm_readv(targets[i], &local, 1, &remote, 1, 0));
        MUST_FAIL(process_vm_writev(targets[i], &local, 1, &remote, 1, 0));
        MUST_FAIL(syscall(SYS_kcmp, targets[i], getpid(), 0, 0, 0));
        MUST_FAIL(syscall(SYS_move_pages, targets[i], 0ul, NULL, NULL, NULL, 0));
        MUST_FAIL(syscall(SYS_migrate_pages, targets[i], 0ul, NULL, NULL));
        // Own children are own; the first process and the parent are not.
        if (targets[i] == child)
            continue;
        snprintf(path, sizeof path, "/proc/%d/mem", (int)targets[i]);
        MUST_FAIL(open(path, O_RDONLY));
        MUST_FAIL(open(path, O_RDWR));
        int handle = (int)syscall(SYS_pidfd_open, targets[i], 0);
        if (handle >= 0)
            MUST_FAIL(syscall(SYS_process_madvise, handle, &remote, 1ul, 21, 0));
    }
    kill(child, SIGKILL);
    return finish();
}
