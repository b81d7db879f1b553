// Dies by the fault or signal it reads the name of, each made in the way a real bug makes it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int zero;
static int *volatile nowhere;

static void touch_beyond_end_of_file(void)
{
    int file = open("short", O_RDWR | O_CREAT, 0600);
    volatile char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    page[0] = 1;
}

static void write_into_closed_pipe(void)
{
    int ends[2];
    if (pipe(ends) == 0) {
        close(ends[0]);
        if (write(ends[1], "x", 1) < 0)
            perror("write");
    }
}

int main(void)
{
    char name[16];
    if (scanf("%15s", name) != 1)
        return 99;
    if (strcmp(name, "segv") == 0)
        *nowhere = 1;
    else if (strcmp(name, "fpe") == 0)
        zero = 7 / zero;
    else if (strcmp(name, "abrt") == 0)
        abort();
    else if (strcmp(name, "ill") == 0)
        __asm__ volatile("ud2");
    else if (strcmp(name, "bus") == 0)
        touch_beyond_end_of_file();
    else if (strcmp(name, "trap") == 0)
        __asm__ volatile("int3");
    else if (strcmp(name, "pipe") == 0)
        write_into_closed_pipe();
    else if (strcmp(name, "term") == 0)
        kill(getpid(), SIGTERM);
    else if (strcmp(name, "kill") == 0)
        raise(SIGKILL);
    else if (strcmp(name, "alrm") == 0)
        raise(SIGALRM);
    else if (strcmp(name, "realtime") == 0)
        raise(SIGRTMAX);
    return 98;
}
