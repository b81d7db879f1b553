// Ways to go on for ever in processes whose first thread has ended, is stopped, waits for a child that shares its memory, or
// is replaced by another. Signals to first threads alone do not end such a process.
#ifndef GOES_ON_H
#define GOES_ON_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char way[32];
static pthread_t first_thread;

static int is(const char *name)
{
    return strcmp(way, name) == 0;
}

static void spin(void)
{
    for (volatile unsigned turns = 0;; turns++) {
    }
}

// A program that is executed anew has its way as its name.
static void execute_anew(const char *next)
{
    execl("/proc/thread-self/exe", next, (char *)NULL);
    _exit(3);
}

static void end_first_thread(void)
{
    if (is("raw") || is("breed"))
        syscall(SYS_exit, 0);
    pthread_exit(NULL);
}

static void *second_thread(void *unused)
{
    (void)unused;
    if (is("sleep"))
        for (;;)
            pause();
    if (is("stop-later")) {
        pthread_join(first_thread, NULL);
        kill(getpid(), SIGSTOP);
    }
    static char line[4096];
    memset(line, 'x', sizeof line);
    while (is("flood") && write(1, line, sizeof line) > 0) {
    }
    if (is("exec"))
        execute_anew("spin-alone");
    if (is("exec-again"))
        execute_anew("exec-again");
    if (is("vfork-later")) {
        pthread_join(first_thread, NULL);
        if (vfork() == 0)
            spin();
    }
    spin();
    return NULL;
}

static void go_on_in_a_thread(void)
{
    pthread_t thread;
    first_thread = pthread_self();
    if (pthread_create(&thread, NULL, second_thread, NULL) != 0)
        _exit(1);
    // What is executed takes the place of the first thread, wherever that is.
    if (is("exec"))
        pthread_join(thread, NULL);
    end_first_thread();
}

// Each process has a child by its second thread when its first one has ended, and is gone then.
static void *have_a_child(void *unused)
{
    pthread_t thread;
    if (fork() == 0 && pthread_create(&thread, NULL, have_a_child, unused) == 0)
        syscall(SYS_exit, 0);
    _exit(0);
}

// A process in a session of its own, which nobody waits for.
static void leave_a_daemon(void)
{
    pid_t between = fork();
    if (between == 0) {
        setsid();
        if (fork() == 0)
            go_on_in_a_thread();
        _exit(0);
    }
    waitpid(between, NULL, 0);
}

static int spin_in_a_thread(void *unused)
{
    (void)unused;
    spin();
    return 0;
}

// Is the child of a vfork: its first thread ends, and whoever waits for it waits for the second one.
static int vforked(void *stack)
{
    int thread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    clone(spin_in_a_thread, (char *)stack + (64 << 10), thread, NULL);
    syscall(SYS_exit, 0);
    return 0;
}

static void go_on(const char *in_which_way)
{
    snprintf(way, sizeof way, "%s", in_which_way);
    if (is("spin-alone"))
        spin();
    if (is("daemon")) {
        leave_a_daemon();
        exit(0);
    }
    if (is("sessions"))
        for (int i = 0; i < 5; i++)
            leave_a_daemon();
    if (is("stop"))
        raise(SIGSTOP);
    if (is("vfork") && vfork() == 0)
        spin();
    if (is("vfork-child")) {
        char *stacks = malloc(128 << 10);
        clone(vforked, stacks + (128 << 10), CLONE_VM | CLONE_VFORK | SIGCHLD, stacks);
    }
    if (is("traced") && fork() == 0) {
        // Where it is refused, the child is just stopped.
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
    }
    if (is("processes"))
        for (int i = 0; i < 5; i++)
            if (fork() == 0)
                break;
    if (is("breed") && fork() == 0) {
        have_a_child(NULL);
    }
    go_on_in_a_thread();
}

#endif
