// ptrace in every direction: the first process, the parent, a child, a thread of its own, being traced.
// Tracing a child is refused too, since a tracer can change what a system call filter has seen.
#include "contained.h"
#include <sys/ptrace.h>

static void ask_to_be_traced(void)
{
    MUST_FAIL(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

int main(void)
{
    pid_t child = fork();
    if (child == 0)
        for (;;)
            pause();
    const pid_t targets[] = {1, getppid(), child, getpid()};
    for (int i = 0; i < 4; i++) {
        if (targets[i] == 0)
            continue;
        MUST_FAIL(ptrace(PTRACE_SEIZE, targets[i], NULL, NULL));
        MUST_FAIL(ptrace(PTRACE_ATTACH, targets[i], NULL, NULL));
        MUST_FAIL(ptrace(PTRACE_POKEDATA, targets[i], NULL, NULL));
    }
    attempt_in_child(ask_to_be_traced);
    kill(child, SIGKILL);
    return finish();
}
