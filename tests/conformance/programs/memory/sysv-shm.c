// System V shared memory, kept alive by the kernel without any process attached: refused, or counted.
#include "contained.h"
#include <sys/ipc.h>
#include <sys/shm.h>

int main(void)
{
    for (int i = 0; i < 40; i++) {
        int segment = shmget(IPC_PRIVATE, 8 << 20, IPC_CREAT | 0600);
        char *memory = segment < 0 ? (char *)-1 : shmat(segment, NULL, 0);
        if (memory == (char *)-1)
            return finish();
        memset(memory, 1, 8 << 20);
        shmdt(memory);
    }
    escaped("320 MiB of System V shared memory with a limit of 256 MiB");
    return finish();
}
