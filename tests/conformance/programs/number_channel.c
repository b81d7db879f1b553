// Sends a symbol to the next run by the kernel's counter of inode numbers, or receives it:
// program PERIOD SYMBOLS [SYMBOL]. The symbol is in which part of the period the counter is.
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned long number(void)
{
    int ends[2];
    struct stat about = {0};
    if (pipe(ends) == -1)
        exit(3);
    fstat(ends[0], &about);
    close(ends[0]);
    close(ends[1]);
    return about.st_ino;
}

int main(int argc, char **argv)
{
    unsigned long period = strtoul(argv[1], NULL, 10), part = period / strtoul(argv[2], NULL, 10);
    if (argc < 4) {
        printf("%lu\n", number() % period / part);
        return 0;
    }
    // The first eighth of the part: what making the next run takes comes after it.
    unsigned long wanted = strtoul(argv[3], NULL, 10) * part + part / 8;
    for (long made = 0; made < 4000000; made++) {
        unsigned long place = number() % period;
        if (place >= wanted && place <= wanted + part / 8)
            return 0;
    }
    return 1;
}
