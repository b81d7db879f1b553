// What a program by counted instructions does, by name: program NAME NUMBER.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long steps;

static void work(void) {
    volatile long sum = 0;
    for (long i = 0; i < steps; i++)
        sum += i;
}

static void *thread(void *unused) {
    work();
    return unused;
}

static int compare(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void sort(void) {
    int *numbers = malloc(steps * sizeof *numbers);
    unsigned next = 1;
    for (long i = 0; i < steps; i++)
        numbers[i] = (next = next * 1103515245 + 12345) >> 8;
    qsort(numbers, steps, sizeof *numbers, compare);
    printf("%d\n", numbers[steps / 2]);
}

static void threads(void) {
    pthread_t all[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&all[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(all[i], NULL);
}

// Memory that others may share, then threads.
static void shared_and_threads(int by_file) {
    int file = by_file ? open("/proc/self/exe", O_RDONLY) : -1;
    mmap(NULL, 4096, PROT_READ, MAP_SHARED | (by_file ? 0 : MAP_ANONYMOUS), file, 0);
    // What is translated in between is what the threads do.
    long all = steps;
    steps = 1000;
    work();
    steps = all;
    threads();
}

static void children(int by_vfork) {
    for (int i = 0; i < 4; i++) {
        pid_t child = by_vfork ? vfork() : fork();
        if (child == 0) {
            work();
            _exit(0);
        }
    }
    while (wait(NULL) > 0)
        ;
}

static volatile long handled;

static void handle(int unused) {
    (void)unused;
    handled++;
}

static void signals(void) {
    signal(SIGUSR1, handle);
    for (int i = 0; i < 100; i++)
        raise(SIGUSR1);
    work();
    printf("%ld\n", handled);
}

static void string(void) {
    char *to = malloc(steps);
#ifdef __x86_64__
    void *at = to;
    long count = steps;
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(count) : "a"(1) : "memory");
#else
    work();
#endif
    printf("%d\n", to[steps - 1]);
}

// Writes a function again and again, and calls it each time; then works.
static void changed_code(void) {
#ifdef __x86_64__
    uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int sum = 0;
    for (int i = 0; i < 200; i++) {
        // mov eax, i; ret
        uint8_t bytes[] = {0xb8, i, 0, 0, 0, 0xc3};
        memcpy(code, bytes, sizeof bytes);
        sum += ((int (*)(void))code)();
    }
    printf("%d\n", sum);
#endif
    work();
}

static void read_clocks(void) {
    struct timespec now;
    for (int i = 0; i < 1000; i++)
        clock_gettime(CLOCK_MONOTONIC, &now);
    work();
}

// Prints what would differ from run to run: times, random numbers, its number, where its memory is.
static void surroundings(char **environment) {
    unsigned long random = 0;
    getentropy(&random, sizeof random);
    struct timespec now, used;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    printf("%lx %lx %ld %ld %ld %ld %d\n", random, *(unsigned long *)getauxval(AT_RANDOM), time(NULL), clock(),
           now.tv_nsec, used.tv_nsec, getpid());
    printf("%p %p %p %p\n", (void *)&random, (void *)&steps, malloc(1), malloc(1 << 24));
    for (; *environment; environment++)
        printf("%s\n", *environment);
}

// Finds where its instructions are counted, and sets the count back while it works.
static void lower(void) {
    FILE *maps = fopen("/proc/thread-self/maps", "r");
    char line[512];
    volatile uint64_t *count = NULL;
    unsigned long begin, end;
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, "counts") && sscanf(line, "%lx-%lx", &begin, &end) == 2 && end - begin == 4096)
            count = (uint64_t *)begin;
    if (!count) {
        printf("not found\n");
        return;
    }
    steps = 100000000;
    for (int i = 0; i < 10; i++) {
        work();
        *count = 5;
    }
}

static void memory(void) {
    char *bytes = malloc(steps << 20);
    memset(bytes, 1, steps << 20);
    printf("%d\n", bytes[steps]);
}

static char *const words[] = {"/bin/echo", "executed", NULL};
static char *const none[] = {NULL};

static void told(const char *way, int is_refused) {
    printf("%s: %s\n", way, is_refused ? "refused" : "not refused");
    fflush(stdout);
}

static void execute(void) {
    execve(words[0], words, none);
    told("execve", errno == EPERM);
    syscall(SYS_execveat, AT_FDCWD, words[0], words, none, 0, 0);
    told("execveat", errno == EPERM || errno == ENOSYS);
    int file = open(words[0], O_RDONLY);
    fexecve(file, words, none);
    told("fexecve", 1);
    int copy = memfd_create("copy", 0);
    char part[65536];
    for (ssize_t got; (got = read(file, part, sizeof part)) > 0;)
        if (write(copy, part, got) != got)
            break;
    close(file);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", copy);
    execve(path, words, none);
    told("memory file", errno == EPERM);
    close(copy);
    pid_t child = vfork();
    if (child == 0) {
        execve(words[0], words, none);
        _exit(errno == EPERM ? 7 : 8);
    }
    int status = 0;
    waitpid(child, &status, 0);
    told("vfork", WEXITSTATUS(status) == 7);
    // The emulator makes a child of vfork that does not share memory, so that only its exit code tells.
    int failed = posix_spawn(&child, words[0], NULL, NULL, words, none);
    if (!failed)
        waitpid(child, &status, 0);
    told("posix_spawn", failed || WEXITSTATUS(status) == 127);
    printf("open:");
    for (int fd = 0; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf(" %d", fd);
    printf("\n");
}

int main(int argc, char **argv, char **environment) {
    if (argc < 3)
        return 2;
    steps = atol(argv[2]);
    const char *name = argv[1];
    if (!strcmp(name, "loop")) work();
    else if (!strcmp(name, "sort")) sort();
    else if (!strcmp(name, "threads")) threads();
    else if (!strcmp(name, "shared-memory")) shared_and_threads(0);
    else if (!strcmp(name, "shared-file")) shared_and_threads(1);
    else if (!strcmp(name, "children")) children(0);
    else if (!strcmp(name, "vfork")) children(1);
    else if (!strcmp(name, "signals")) signals();
    else if (!strcmp(name, "string")) string();
    else if (!strcmp(name, "changed-code")) changed_code();
    else if (!strcmp(name, "clock")) read_clocks();
    else if (!strcmp(name, "surroundings")) surroundings(environment);
    else if (!strcmp(name, "lower")) lower();
    else if (!strcmp(name, "memory")) memory();
    else if (!strcmp(name, "execute")) execute();
    else if (!strcmp(name, "forever")) for (;;) work();
    else return 2;
    return 0;
}
