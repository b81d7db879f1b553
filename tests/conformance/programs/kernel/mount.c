// Mounting and unmounting by the old calls and the new ones.
#include "contained.h"
#include <linux/mount.h>
#include <sys/stat.h>

#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif

static int old_mount(const char *source, const char *target, const char *kind, unsigned long flags)
{
    return (int)syscall(SYS_mount, source, target, kind, flags, NULL);
}

int main(void)
{
    enum { REMOUNT = 32, BIND = 4096, MOVE = 8192, RECURSIVE = 16384, SHARED = 1 << 20 };
    mkdir("point", 0700);
    const char *kinds[] = {"tmpfs", "proc", "sysfs", "cgroup", "cgroup2", "devpts", "overlay", "mqueue",
                           "debugfs", "tracefs", "bpf", "fuse", "securityfs", "ramfs", "nfs", "9p", "devtmpfs"};
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (old_mount("none", "point", kinds[i], 0) == 0)
            escaped("mounted %s", kinds[i]);
        if (syscall(SYS_fsopen, kinds[i], 0) >= 0)
            escaped("fsopen(%s)", kinds[i]);
    }
    MUST_FAIL(old_mount("/", "point", NULL, BIND));
    MUST_FAIL(old_mount("/usr", "point", NULL, BIND | RECURSIVE));
    MUST_FAIL(old_mount("/proc/1/root", "point", NULL, BIND));
    MUST_FAIL(old_mount("none", "/", NULL, REMOUNT));
    MUST_FAIL(old_mount("none", "/", NULL, REMOUNT | BIND));
    MUST_FAIL(old_mount("none", "/tmp", NULL, REMOUNT));
    MUST_FAIL(old_mount("none", "/", NULL, SHARED | RECURSIVE));
    MUST_FAIL(old_mount("/tmp", "point", NULL, MOVE));
    const char *mounted[] = {"/", "/proc", "/dev", "/dev/shm", "/tmp", "/box", "/box/work", "/program", "/usr", "."};
    for (unsigned i = 0; i < sizeof mounted / sizeof mounted[0]; i++)
        for (int flags = 0; flags < 16; flags++)
            if (syscall(SYS_umount2, mounted[i], flags) == 0)
                escaped("umount2(%s, %d)", mounted[i], flags);
    MUST_FAIL(syscall(SYS_open_tree, AT_FDCWD, "/", 1 | AT_RECURSIVE));
    MUST_FAIL(syscall(SYS_move_mount, AT_FDCWD, "/tmp", AT_FDCWD, "point", 0));
    MUST_FAIL(syscall(SYS_fspick, AT_FDCWD, "/", 0));
    MUST_FAIL(syscall(SYS_fsmount, 0, 0, 0));
    unsigned long long attributes[4] = {0, 1, 0, 0};
    MUST_FAIL(syscall(SYS_mount_setattr, AT_FDCWD, "/", 0, attributes, sizeof attributes));
    MUST_FAIL(syscall(SYS_pivot_root, ".", "."));
    MUST_FAIL(chroot("."));
    return finish();
}
