// Classic ways out of a changed root: dot-dot, held directories, links of /proc, nested roots.
#include "contained.h"
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>

static int same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static void compare(const char *way, int directory, const char *path, const struct stat *root)
{
    struct stat about;
    if (fstatat(directory, path, &about, 0) == 0 && !same_file(&about, root))
        escaped("%s ends in another root", way);
}

int main(void)
{
    struct stat root;
    char up[400] = "";
    MUST_WORK(stat("/", &root));
    for (int i = 0; i < 64; i++)
        strcat(up, "../");
    compare("dot-dot from here", AT_FDCWD, up, &root);
    int here = open(".", O_DIRECTORY | O_RDONLY), top = open("/", O_DIRECTORY | O_RDONLY);
    compare("dot-dot from a held directory", here, up, &root);
    compare("dot-dot above the root", top, "..", &root);
    compare("/proc/self/root", AT_FDCWD, "/proc/self/root", &root);
    compare("/proc/1/root", AT_FDCWD, "/proc/1/root", &root);
    compare("/proc/self/cwd", AT_FDCWD, "/proc/self/cwd/../../../../../..", &root);
    struct open_how how = {.flags = O_PATH | O_DIRECTORY};
    int opened = (int)syscall(SYS_openat2, top, "../../..", &how, sizeof how);
    if (opened >= 0)
        compare("openat2 above the root", opened, ".", &root);
    // With chroot() allowed, a second root below a held directory would lead out.
    mkdir("nested", 0700);
    MUST_FAIL(chroot("nested"));
    MUST_FAIL(syscall(SYS_pivot_root, ".", "nested"));
    MUST_FAIL(umount2("/", MNT_DETACH));
    MUST_FAIL(umount2("/proc", MNT_DETACH));
    MUST_FAIL(umount2("/tmp", MNT_DETACH));
    fchdir(top);
    compare("after fchdir", AT_FDCWD, "..", &root);
    return finish();
}
