// Anonymous, shared and file mappings, growth, protection changes and advice.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    enum { SIZE = 1 << 20 };
    char *private = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (private == MAP_FAILED || shared == MAP_FAILED)
        return 1;
    memset(private, 1, SIZE);
    if (fork() == 0) {
        private[0] = 2;
        shared[0] = 3;
        _exit(0);
    }
    wait(NULL);
    int file = open("mapped", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (ftruncate(file, SIZE) != 0)
        return 2;
    char *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped == MAP_FAILED)
        return 3;
    strcpy(mapped + SIZE / 2, "through the mapping");
    char text[32] = "";
    if (msync(mapped, SIZE, MS_SYNC) != 0 || pread(file, text, 19, SIZE / 2) != 19)
        return 4;
    private = mremap(private, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
    if (private == MAP_FAILED || mprotect(private, SIZE, PROT_READ) != 0)
        return 5;
    if (madvise(private + SIZE, SIZE, MADV_DONTNEED) != 0 || munmap(mapped, SIZE) != 0)
        return 6;
    printf("%d %d %s\n", private[0], shared[0], text);
}
