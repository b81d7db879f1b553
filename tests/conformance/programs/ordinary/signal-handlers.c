// Handlers for a caught fault, a user signal on an alternative stack, a child's end and a blocked signal.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile sig_atomic_t user, children;
static int *volatile nowhere;

static void on_fault(int number)
{
    siglongjmp(back, number);
}

static void on_user(int number)
{
    (void)number;
    user++;
}

static void on_child(int number)
{
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        children++;
}

int main(void)
{
    stack_t alternative = {.ss_sp = malloc(65536), .ss_size = 65536};
    struct sigaction action = {.sa_handler = on_user, .sa_flags = SA_ONSTACK};
    if (sigaltstack(&alternative, NULL) != 0 || sigaction(SIGUSR1, &action, NULL) != 0)
        return 1;
    action.sa_handler = on_fault;
    sigaction(SIGSEGV, &action, NULL);
    action.sa_handler = on_child;
    sigaction(SIGCHLD, &action, NULL);
    int fault = sigsetjmp(back, 1);
    if (fault == 0)
        *nowhere = 1;
    raise(SIGUSR1);
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, &before);
    kill(getpid(), SIGUSR1);
    if (fork() == 0)
        _exit(0);
    while (user < 2 || children < 1)
        sigsuspend(&before);
    printf("%d %d %d\n", fault, user, children);
}
