// POSIX shared memory and a named semaphore between two processes of the run.
#include <fcntl.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int memory = shm_open("/own", O_RDWR | O_CREAT, 0600);
    sem_t *ready = sem_open("/ready", O_CREAT, 0600, 0);
    if (memory < 0 || ready == SEM_FAILED || ftruncate(memory, 4096) != 0)
        return perror("open"), 1;
    int *value = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (value == MAP_FAILED)
        return 2;
    if (fork() == 0) {
        *value = 42;
        sem_post(ready);
        _exit(0);
    }
    sem_wait(ready);
    wait(NULL);
    printf("%d\n", *value);
    shm_unlink("/own");
    sem_unlink("/ready");
}
