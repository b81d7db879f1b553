// Leaves 240 MiB in a System V segment, which the kernel gives back some time after the run's end.
#include "contained.h"
#include <sys/ipc.h>
#include <sys/shm.h>

int main(void)
{
    size_t size = (size_t)240 << 20;
    int segment = shmget(IPC_PRIVATE, size, IPC_CREAT | 0600);
    char *memory = segment == -1 ? (char *)-1 : shmat(segment, NULL, 0);
    if (memory != (char *)-1)
        memset(memory, 1, size);
    return puts("left") < 0;
}
