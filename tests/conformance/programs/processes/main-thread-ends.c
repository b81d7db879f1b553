// The first thread ends, another one prints and decides the exit code.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *go_on(void *unused)
{
    (void)unused;
    usleep(50000);
    puts("from the second thread");
    exit(3);
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, go_on, NULL);
    pthread_exit(NULL);
}
