// Tries to go on for ever in a process whose first thread has ended, is waiting for a child that shares its memory, or has
// been replaced by another; standard input says in which way. Signals to the first thread alone do not end such a process.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char way[32];

static int is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void spin(void)
{
    for (volatile unsigned turns = 0;; turns++) {
    }
}

static void *second_thread(void *unused)
{
    (void)unused;
    if (is("sleep"))
        for (;;)
            pause();
    static char line[4096];
    memset(line, 'x', sizeof line);
    while (is("flood") && write(1, line, sizeof line) > 0) {
    }
    if (is("exec")) {
        // The new program is the same one, which spins where it can read nothing.
        close(0);
        execl("/proc/self/exe", "program", (char *)NULL);
    }
    spin();
    return NULL;
}

int main(void)
{
    ssize_t length = read(0, way, sizeof way - 1);
    if (length <= 0)
        spin();
    way[strcspn(way, "\n")] = 0;
    if (is("stop"))
        raise(SIGSTOP);
    if (is("vfork") && vfork() == 0)
        spin();
    if (is("processes"))
        for (int i = 0; i < 5; i++)
            if (fork() == 0)
                break;
    pthread_t thread;
    if (pthread_create(&thread, NULL, second_thread, NULL) != 0)
        return 1;
    if (is("exec"))
        pthread_join(thread, NULL);
    if (is("raw"))
        syscall(SYS_exit, 0);
    pthread_exit(NULL);
}
