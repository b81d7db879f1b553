// The compiled program is read-only: it cannot be changed for the next run, replaced, or moved away.
#include "contained.h"
#include <limits.h>
#include <sys/mount.h>
#include <sys/stat.h>

int main(void)
{
    char path[PATH_MAX], directory[PATH_MAX], inner[PATH_MAX + 16];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    MUST_WORK(length);
    path[length] = '\0';
    strcpy(directory, path);
    *strrchr(directory, '/') = '\0';
    MUST_FAIL(open(path, O_WRONLY));
    MUST_FAIL(open(path, O_RDWR | O_TRUNC));
    MUST_FAIL(open("/proc/self/exe", O_WRONLY));
    MUST_FAIL(chmod(path, 0777));
    MUST_FAIL(unlink(path));
    MUST_FAIL(rename(path, "/tmp/program"));
    MUST_FAIL(truncate(path, 0));
    MUST_FAIL(chmod(directory, 0777));
    MUST_FAIL(mount("/tmp", directory, NULL, MS_BIND, NULL));
    snprintf(inner, sizeof inner, "%s/planted", directory);
    MUST_FAIL(open(inner, O_WRONLY | O_CREAT, 0700));
    MUST_FAIL(symlink("/tmp", inner));
    MUST_FAIL(utimensat(AT_FDCWD, path, NULL, 0));
    // A child that outlives an exec could write once the text is no longer busy.
    int held = open(path, O_RDONLY);
    if (held >= 0) {
        snprintf(inner, sizeof inner, "/proc/self/fd/%d", held);
        MUST_FAIL(open(inner, O_WRONLY));
        MUST_FAIL(fchmod(held, 0777));
        MUST_FAIL(ftruncate(held, 0));
    }
    return finish();
}
