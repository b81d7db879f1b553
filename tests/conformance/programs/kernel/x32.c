// The x32 entry uses the same calls with one high bit set, and a few numbers of its own: a filter that
// compares plain numbers would miss them. The attempt may be killed or refused.
#include "contained.h"

#define X32 0x40000000l

static void ask_for_pid(void)
{
    if (syscall(X32 | SYS_getpid) == getpid())
        escaped("x32 getpid");
}

static void unshare_there(void)
{
    if (syscall(X32 | SYS_unshare, 0x10000000) == 0)
        escaped("x32 unshare");
}

static void trace_there(void)
{
    if (syscall(X32 | 521, 0, 0, 0, 0) == 0)
        escaped("x32 ptrace");
}

static void low_numbers(void)
{
    // Numbers 512 to 547 are x32's own; without the bit they must be unknown.
    for (long number = 512; number < 548; number++)
        if (syscall(number, 0, 0, 0, 0, 0, 0) != -1)
            escaped("call %ld", number);
}

int main(void)
{
    attempt_in_child(ask_for_pid);
    attempt_in_child(unshare_there);
    attempt_in_child(trace_there);
    attempt_in_child(low_numbers);
    return finish();
}
