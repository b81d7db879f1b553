// Maps, touches and unmaps for ever: the kernel's work on the program's behalf is charged to it.
#include <stddef.h>
#include <sys/mman.h>

int main(void)
{
    enum { SIZE = 8 << 20 };
    for (;;) {
        char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return 1;
        for (int i = 0; i < SIZE; i += 4096)
            memory[i] = 1;
        munmap(memory, SIZE);
    }
}
