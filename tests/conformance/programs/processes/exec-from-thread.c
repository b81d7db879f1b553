// exec from a second thread: the process keeps its number, the first thread vanishes.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *replace(void *program)
{
    execl("/proc/self/exe", program, "again", (char *)NULL);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1) {
        puts("after exec");
        return 0;
    }
    pthread_create(&thread, NULL, replace, argv[0]);
    pthread_join(thread, NULL);
    return 1;
}
