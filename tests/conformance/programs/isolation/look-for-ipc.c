// Looks for what an earlier run left in the kernel.
#include "contained.h"
#include "ipc-keys.h"
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

int main(void)
{
    MUST_FAIL(shmget(LEFT_KEY, 0, 0));
    MUST_FAIL(semget(LEFT_KEY, 0, 0));
    MUST_FAIL(msgget(LEFT_KEY, 0));
    MUST_FAIL(mq_open(LEFT_QUEUE, O_RDONLY));
    for (int index = 0; index < 256; index++) {
        struct shmid_ds memory;
        struct msqid_ds queue;
        MUST_FAIL(shmctl(index, SHM_STAT, &memory));
        MUST_FAIL(msgctl(index, MSG_STAT, &queue));
    }
    return finish();
}
