// Hard links to files that are not ours: into the box, so that a later chmod or write hits the original.
#include "contained.h"
#include <sys/stat.h>

int main(void)
{
    const char *targets[] = {"/etc/passwd", "/proc/self/exe", "/program", "/usr/bin/env", "/bin/sh", "/dev/null",
                             "/proc/1/exe", "/proc/self/fd/0"};
    char path[64];
    for (unsigned i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        snprintf(path, sizeof path, "link-%u", i);
        MUST_FAIL(linkat(AT_FDCWD, targets[i], AT_FDCWD, path, AT_SYMLINK_FOLLOW));
        int file = open(targets[i], O_PATH);
        if (file >= 0) {
            MUST_FAIL(linkat(file, "", AT_FDCWD, path, AT_EMPTY_PATH));
            MUST_FAIL(fchmodat(file, "", 0777, AT_EMPTY_PATH));
            close(file);
        }
    }
    return finish();
}
