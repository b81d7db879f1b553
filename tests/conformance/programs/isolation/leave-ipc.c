// Leaves System V shared memory, semaphores, message queues and a POSIX message queue, where they are allowed.
#include "ipc-keys.h"
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

int main(void)
{
    int segment = shmget(LEFT_KEY, 4096, IPC_CREAT | 0666);
    char *memory = segment < 0 ? (char *)-1 : shmat(segment, NULL, 0);
    if (memory != (char *)-1)
        strcpy(memory, "left");
    semget(LEFT_KEY, 1, IPC_CREAT | 0666);
    int queue = msgget(LEFT_KEY, IPC_CREAT | 0666);
    struct {
        long kind;
        char text[4];
    } message = {1, "left"};
    if (queue >= 0)
        msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT);
    mqd_t posix_queue = mq_open(LEFT_QUEUE, O_RDWR | O_CREAT, 0666, NULL);
    if (posix_queue != (mqd_t)-1)
        mq_send(posix_queue, "left", 4, 0);
    puts("left");
}
