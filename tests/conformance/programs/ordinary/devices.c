// The few devices a program may count on, and random bytes by system call.
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_from(const char *path, void *bytes, size_t count)
{
    int file = open(path, O_RDONLY);
    int got = file < 0 ? -1 : (int)read(file, bytes, count);
    close(file);
    return got;
}

int main(void)
{
    unsigned char a[64], b[64], zeros[64] = {0};
    struct stat about;
    if (read_from("/dev/null", a, sizeof a) != 0)
        return 1;
    memset(a, 1, sizeof a);
    if (read_from("/dev/zero", a, sizeof a) != sizeof a || memcmp(a, zeros, sizeof a) != 0)
        return 2;
    if (read_from("/dev/urandom", a, sizeof a) != sizeof a || read_from("/dev/random", b, sizeof b) < 1)
        return 3;
    if (getrandom(b, sizeof b, 0) != sizeof b || memcmp(a, b, sizeof a) == 0)
        return 4;
    int full = open("/dev/full", O_WRONLY), null = open("/dev/null", O_WRONLY);
    if (full < 0 || write(full, "x", 1) != -1 || null < 0 || write(null, "x", 1) != 1)
        return 5;
    if (stat("/dev/shm", &about) != 0 || !S_ISDIR(about.st_mode))
        return 6;
    puts("devices");
}
