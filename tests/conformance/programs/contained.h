// Shared by the attack programs. Each attempt that the sandbox let through is printed as one
// "ESCAPED: ..." line; finish() prints "contained" only if there was none. Lines go straight to
// descriptor 1, so that a fork never prints a buffered line twice.
#ifndef CONTAINED_H
#define CONTAINED_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int escapes;

__attribute__((unused, format(printf, 1, 2))) static void escaped(const char *format, ...)
{
    char line[1024] = "ESCAPED: ";
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + used, sizeof line - used - 1, format, arguments);
    va_end(arguments);
    used += length < 0 ? 0 : (size_t)length;
    if (used > sizeof line - 2)
        used = sizeof line - 2;
    line[used++] = '\n';
    if (write(1, line, used) < 0)
        _exit(4);
    escapes++;
}

// The call is part of an attack: any answer but -1 is an escape.
#define MUST_FAIL(call)                                                                            \
    do {                                                                                           \
        if ((long)(call) != -1)                                                                    \
            escaped("%s", #call);                                                                  \
    } while (0)

// The call is needed by the test itself: without it the outcome would say nothing.
#define MUST_WORK(call)                                                                            \
    do {                                                                                           \
        if ((long)(call) == -1) {                                                                  \
            dprintf(1, "BROKEN: %s: %s\n", #call, strerror(errno));                                \
            _exit(3);                                                                              \
        }                                                                                          \
    } while (0)

// Runs an attempt in a child, so that a filter which kills is as good as one which refuses.
__attribute__((unused)) static int attempt_in_child(void (*attempt)(void))
{
    pid_t child = fork();
    MUST_WORK(child);
    if (child == 0) {
        escapes = 0;
        attempt();
        _exit(escapes > 0 ? 99 : 0);
    }
    int status = 0;
    MUST_WORK(waitpid(child, &status, 0));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99)
        escapes++;
    return status;
}

__attribute__((unused)) static double seconds_now(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((unused)) static void pause_ms(long milliseconds)
{
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) == -1 && errno == EINTR) {
    }
}

__attribute__((unused)) static int finish(void)
{
    if (escapes == 0 && write(1, "contained\n", 10) != 10)
        return 4;
    return 0;
}
#endif
