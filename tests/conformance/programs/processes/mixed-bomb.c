// Processes that each start threads, some in sessions of their own: one limit for all of them.
#include "contained.h"
#include <pthread.h>
#include <sys/mman.h>

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int ends[2];
    char byte;
    *count = 1;
    MUST_WORK(pipe(ends));
    for (int child = 0; child < 20; child++)
        if (fork() == 0) {
            pthread_t thread;
            pthread_attr_t small;
            __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
            setsid();
            pthread_attr_init(&small);
            pthread_attr_setstacksize(&small, 1 << 16);
            for (int i = 0; i < 10; i++)
                if (pthread_create(&thread, &small, wait_for_ever, NULL) == 0)
                    __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST);
            close(ends[0]);
            close(ends[1]);
            for (;;)
                pause();
        }
    close(ends[1]);
    // The end of file says that every child has started what it could.
    MUST_WORK(read(ends[0], &byte, 1));
    if (*count > 64)
        escaped("%d threads and processes with a limit of 64", *count);
    return finish();
}
