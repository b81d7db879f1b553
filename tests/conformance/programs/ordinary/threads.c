// Eight threads add under one mutex and meet at a condition variable: futexes must work.
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 8, ROUNDS = 20000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static long total;
static int done;

static void *add(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    done++;
    pthread_cond_signal(&all_done);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, add, NULL) != 0)
            return 1;
    pthread_mutex_lock(&lock);
    while (done < THREADS)
        pthread_cond_wait(&all_done, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
}
