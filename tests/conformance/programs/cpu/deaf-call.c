// Tries to outlast its limits in one system call that looks for no signal before it is done: whether pages of 32 TiB are in
// memory, told into the same few bytes again and again. It ends when the call does, and by the limit that it has passed.
#define _GNU_SOURCE
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
    for (;;)
        mincore(asked, length, answer);
}
