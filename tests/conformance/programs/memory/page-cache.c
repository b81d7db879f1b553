// Reads up to 400 MiB of the system's files, by read() and by mapping, with a memory limit of 64 MiB.
// The page cache that this fills is the machine's, and can be dropped: it must never end the run.
#define _GNU_SOURCE
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long long total;

static int visit(const char *path, const struct stat *about, int kind, struct FTW *unused)
{
    static char block[1 << 16];
    (void)unused;
    if (kind != FTW_F || !S_ISREG(about->st_mode) || about->st_size == 0)
        return 0;
    int file = open(path, O_RDONLY);
    if (file < 0)
        return 0;
    volatile char sum = 0;
    ssize_t got;
    char *mapped = mmap(NULL, (size_t)about->st_size, PROT_READ, MAP_PRIVATE, file, 0);
    posix_fadvise(file, 0, 0, POSIX_FADV_WILLNEED);
    if (mapped != MAP_FAILED) {
        for (off_t at = 0; at < about->st_size; at += 4096)
            sum += mapped[at];
        munmap(mapped, (size_t)about->st_size);
    }
    while ((got = read(file, block, sizeof block)) > 0)
        total += got;
    close(file);
    return total > 400ll << 20;
}

int main(void)
{
    nftw("/usr/lib", visit, 50, FTW_PHYS);
    puts(total > 10 << 20 ? "read" : "nothing to read");
}
