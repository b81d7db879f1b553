// Fills every writeable place with files of 15 MiB: all are one file system with one bound, so that the
// sum stays below 40 MiB.
#include "contained.h"

int main(void)
{
    static char block[1 << 18];
    const char *home = getenv("HOME");
    const char *places[] = {".", "/tmp", "/dev/shm", home != NULL ? home : ".", "/var/tmp", "/run"};
    long long total = 0;
    char path[256];
    for (int i = 0; i < 24; i++) {
        snprintf(path, sizeof path, "%s/filler-%d", places[i % 6], i);
        int file = open(path, O_WRONLY | O_CREAT, 0600);
        for (int part = 0; file >= 0 && part < 60; part++) {
            ssize_t written = write(file, block, sizeof block);
            if (written <= 0)
                break;
            total += written;
        }
        if (file >= 0)
            close(file);
    }
    if (total < 8 << 20 || total > 40 << 20)
        escaped("%lld bytes in a box of 32 MiB", total);
    return finish();
}
