// Tries to outlast its limits in one system call that checks for no signal before it is done: whether pages of 32 TiB are in
// memory, written into the same few bytes again and again, in many processes at once. A call that long is refused.
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCK (4UL << 20)

int main(void)
{
    unsigned long length = 32UL << 40, told = length / 4096;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    int memory = memfd_create("told", 0);
    unsigned char *asked = mmap(NULL, length, PROT_NONE, flags, -1, 0);
    unsigned char *answer = mmap(NULL, told, PROT_NONE, flags, -1, 0);
    if (memory < 0 || ftruncate(memory, BLOCK) != 0 || asked == MAP_FAILED || answer == MAP_FAILED)
        return 3;
    for (unsigned long at = 0; at < told; at += BLOCK)
        if (mmap(answer + at, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) == MAP_FAILED)
            return 3;
    for (int others = 0; others < 50 && fork() > 0; others++)
        ;
    // If it is refused, this loop exceeds the limit in an ordinary way.
    if (mincore(asked, 4UL << 30, answer) == 0) {
        puts("ESCAPED: the length has no limit");
        return 0;
    }
    for (;;)
        mincore(asked, length, answer);
}
