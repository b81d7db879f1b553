// Every call whose exact answer tells of earlier runs: what was looked up, what is in memory, and numbers that
// the kernel goes on counting from run to run. docs/channels.md has the list.
#include "contained.h"
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif
// From linux/stat.h, which does not go with sys/stat.h.
#define NUMBER_OF_MOUNT 0x1000
#define UNIQUE_NUMBER_OF_MOUNT 0x4000

static void what_was_looked_up(void)
{
    struct open_how how = {.flags = O_RDONLY, .resolve = RESOLVE_CACHED};
    MUST_FAIL(syscall(SYS_openat2, AT_FDCWD, "/usr", &how, sizeof how));
    if (errno == EAGAIN || errno == ENOENT)
        escaped("openat2 tells what was looked up");
    how.resolve = 0;
    MUST_FAIL(syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof how));
}

static void what_is_in_memory(int file, int own)
{
    char byte = 0;
    struct iovec bytes = {&byte, 1};
    // All flags but those that say how something is written, and bits that have no meaning yet.
    for (int bit = 0; bit < 31; bit++) {
        int flag = 1 << bit;
        if (flag & (RWF_DSYNC | RWF_SYNC | RWF_APPEND | 0x20))
            continue;
        if (preadv2(file, &bytes, 1, 0, flag) != -1 || errno != EOPNOTSUPP)
            escaped("preadv2 with flag %#x", flag);
        if (pwritev2(own, &bytes, 1, 0, flag) != -1 || errno != EOPNOTSUPP)
            escaped("pwritev2 with flag %#x", flag);
    }
    MUST_WORK(preadv2(file, &bytes, 1, 0, 0));
    MUST_WORK(pwritev2(own, &bytes, 1, 0, RWF_DSYNC));
    MUST_FAIL(syscall(451 /* cachestat */, file, NULL, NULL, 0));
    // Of a file that one may not write, all pages are said to be in memory.
    void *mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    unsigned char present = 0;
    if (mapped != MAP_FAILED && mincore(mapped, 4096, &present) == 0 && (present & 1) == 0)
        escaped("mincore tells what is in memory");
    unsigned parameters[30] = {0};
    MUST_FAIL(syscall(SYS_io_uring_setup, 8, parameters));
    unsigned long context = 0;
    MUST_FAIL(syscall(SYS_io_setup, 1, &context));
}

static void numbers_of_mounts_and_file_systems(int file)
{
    const char *paths[] = {"/", "/usr", "/program", "/box", "/proc"};
    for (int i = 0; i < 5; i++) {
        struct statfs room;
        MUST_FAIL(statfs(paths[i], &room));
        char about[256];
        for (int times = 0; times < 2; times++)
            MUST_FAIL(syscall(SYS_statx, AT_FDCWD, paths[i], 0,
                              times == 0 ? UNIQUE_NUMBER_OF_MOUNT : NUMBER_OF_MOUNT | STATX_BTIME, about));
        char handle[256] = {64};
        int mount = 0;
        MUST_FAIL(syscall(SYS_name_to_handle_at, AT_FDCWD, paths[i], handle, &mount, 0));
    }
    struct statfs room;
    MUST_FAIL(fstatfs(file, &room));
    unsigned long request[4] = {32, -1, 0, 0};
    MUST_FAIL(syscall(457 /* statmount */, request, NULL, 0, 0));
    MUST_FAIL(syscall(458 /* listmount */, request, NULL, 0, 0));
}

static void numbers_of_namespaces(void)
{
    const char *names[] = {"cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"};
    for (int i = 0; i < 8; i++) {
        char path[64], answer[256];
        snprintf(path, sizeof path, "/proc/self/ns/%s", names[i]);
        int namespace = open(path, O_RDONLY);
        if (namespace == -1)
            continue;
        for (unsigned long request = 0; request < 32; request++)
            for (unsigned long size = 0; size <= 64; size += 4)
                for (unsigned long direction = 0; direction < 4; direction++)
                    MUST_FAIL(ioctl(namespace, direction << 30 | size << 16 | 0xb700 | request, answer));
        close(namespace);
    }
}

static void numbers_of_sockets_and_processes(void)
{
    unsigned long long number = 0;
    int ends[2], handle = -1;
    MUST_WORK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    for (int option = 0; option < 3; option++) {
        socklen_t length = sizeof number;
        MUST_FAIL(getsockopt(ends[0], SOL_SOCKET, (const int[]){57, 71, 77}[option], &number, &length));
    }
    int on = 1;
    MUST_FAIL(setsockopt(ends[0], SOL_SOCKET, 76 /* SO_PASSPIDFD */, &on, sizeof on));
    MUST_FAIL(syscall(SYS_pidfd_open, getpid(), 0));
    pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD | 0x1000 /* CLONE_PIDFD */, NULL, &handle, NULL, 0);
    if (child == 0)
        _exit(0);
    if (child > 0)
        escaped("clone gives a handle of a process");
    // Sessions are counted: /proc/self/autogroup.
    child = fork();
    MUST_WORK(child);
    if (child == 0)
        _exit(setsid() == -1 ? 0 : 1);
    int status = 0;
    MUST_WORK(waitpid(child, &status, 0));
    if (status != 0)
        escaped("a session of its own");
}

int main(void)
{
    int file = open("/proc/self/exe", O_RDONLY), own = open("/tmp/own", O_CREAT | O_RDWR, 0600);
    MUST_WORK(file);
    MUST_WORK(own);
    what_was_looked_up();
    what_is_in_memory(file, own);
    numbers_of_mounts_and_file_systems(file);
    numbers_of_namespaces();
    numbers_of_sockets_and_processes();
    MUST_FAIL(fcntl(file, F_GETLEASE));
    MUST_FAIL(syscall(SYS_inotify_init1, 0));
    MUST_FAIL(syscall(SYS_kcmp, getpid(), getpid(), 0, file, own));
    return finish();
}
