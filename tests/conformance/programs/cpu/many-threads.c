// Sixteen busy threads while the first one waits: the sum of all threads' time counts.
#include "burn.h"
#include <pthread.h>
#include <stddef.h>

static void *work(void *unused)
{
    burn_seconds(-1);
    return unused;
}

int main(void)
{
    pthread_t threads[16];
    for (int i = 0; i < 16; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    pthread_join(threads[0], NULL);
}
