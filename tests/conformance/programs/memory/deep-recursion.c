// Recursion through about 100 MiB of stack: the stack limit is the memory limit, so this is legal.
#include <stdio.h>

__attribute__((noinline)) static long descend(long depth)
{
    volatile char frame[1000];
    frame[depth % 1000] = 1;
    return depth == 0 ? 0 : descend(depth - 1) + frame[depth % 1000];
}

int main(void)
{
    printf("%ld\n", descend(100000));
}
