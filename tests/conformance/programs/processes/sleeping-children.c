// Exponential growth of sleeping processes: uses no time, only places. Counted by the first process.
#include "contained.h"
#include <sys/mman.h>

int main(void)
{
    int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t first = getpid();
    *count = 1;
    for (int round = 0; round < 12; round++) {
        pid_t child = fork();
        if (child == 0)
            __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
        pause_ms(50);
    }
    if (getpid() != first)
        for (;;)
            pause();
    if (*count > 64)
        escaped("%d processes with a limit of 64", *count);
    if (*count < 50)
        escaped("only %d processes with a limit of 64", *count);
    return finish();
}
