// Two threads, two mutexes, opposite order.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_hold_one;

static void *other(void *unused)
{
    pthread_mutex_lock(&second);
    pthread_barrier_wait(&both_hold_one);
    pthread_mutex_lock(&first);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&both_hold_one, NULL, 2);
    pthread_mutex_lock(&first);
    pthread_create(&thread, NULL, other, NULL);
    pthread_barrier_wait(&both_hold_one);
    pthread_mutex_lock(&second);
}
