// Descriptors that the judge forgot to close: only 0, 1 and 2 may be open, and they may lead nowhere else.
#include "contained.h"
#include <sys/stat.h>

int main(void)
{
    char path[64], target[4096];
    for (int descriptor = 3; descriptor < 65536; descriptor++)
        if (fcntl(descriptor, F_GETFD) != -1) {
            snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
            ssize_t length = readlink(path, target, sizeof target - 1);
            escaped("descriptor %d: %.*s", descriptor, length > 0 ? (int)length : 0, target);
        }
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        struct stat about;
        if (fcntl(descriptor, F_GETFD) == -1)
            escaped("descriptor %d is closed", descriptor);
        else if (fstat(descriptor, &about) == 0 && S_ISDIR(about.st_mode))
            escaped("descriptor %d is a directory", descriptor);
    }
    return finish();
}
