// Threads until no more can be made; they count as processes do.
#include "contained.h"
#include <pthread.h>

static void *wait_for_ever(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(void)
{
    pthread_attr_t small;
    pthread_t thread;
    int count = 1;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    while (count < 2000 && pthread_create(&thread, &small, wait_for_ever, NULL) == 0)
        count++;
    if (count > 64)
        escaped("%d threads with a limit of 64", count);
    if (count < 50)
        escaped("only %d threads with a limit of 64", count);
    return finish();
}
