// Recursion without end: stack limit and memory limit are the same, so either may be met first.
#include <stdio.h>

__attribute__((noinline)) static long descend(long depth)
{
    volatile char frame[1000];
    frame[depth % 1000] = 1;
    return descend(depth + 1) + frame[depth % 1000];
}

int main(void)
{
    printf("%ld\n", descend(0));
}
