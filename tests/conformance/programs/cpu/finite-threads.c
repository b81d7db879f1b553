// Ten threads of 0.3 s each: no thread is over the limit of 1 s, all together are three times over.
#include "burn.h"
#include <pthread.h>
#include <stdio.h>

static void *work(void *unused)
{
    burn_seconds(0.3);
    return unused;
}

int main(void)
{
    pthread_t threads[10];
    for (int i = 0; i < 10; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0)
            return 1;
    for (int i = 0; i < 10; i++)
        pthread_join(threads[i], NULL);
    puts("done");
}
