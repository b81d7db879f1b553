// The 32-bit entry to the kernel has other numbers: number 39 is mkdir there and getpid here. A filter for
// one architecture only would let this through. The attempt may be killed or refused.
#include "contained.h"

// 32-bit addresses are needed for pointers: this text lies in static memory below 4 GiB only in programs
// without position independence, so the calls used have no pointer arguments.
static long call32(long number, long first, long second)
{
    long answer;
    __asm__ volatile("int $0x80" : "=a"(answer) : "a"(number), "b"(first), "c"(second) : "memory", "r8", "r9", "r10", "r11");
    return answer;
}

static void ask_for_pid(void)
{
    if (call32(20, 0, 0) == getpid())
        escaped("32-bit getpid");
}

static void fork_there(void)
{
    long child = call32(2, 0, 0);
    if (child == 0)
        _exit(0);
    if (child > 0)
        escaped("32-bit fork");
}

static void unshare_there(void)
{
    if (call32(310, 0x10000000, 0) == 0)
        escaped("32-bit unshare");
}

static void socket_there(void)
{
    if (call32(359, 2, 1) >= 0)
        escaped("32-bit socket");
}

int main(void)
{
    attempt_in_child(ask_for_pid);
    attempt_in_child(fork_there);
    attempt_in_child(unshare_there);
    attempt_in_child(socket_there);
    return finish();
}
