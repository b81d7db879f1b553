// Memory policy: pages must stay on the memory nodes that were granted.
#include "contained.h"

int main(void)
{
    static char area[8192] __attribute__((aligned(4096)));
    unsigned long nodes = 1;
    area[0] = 1;
    MUST_FAIL(syscall(SYS_mbind, area, sizeof area, 2, &nodes, 64ul, 0));
    MUST_FAIL(syscall(SYS_set_mempolicy, 2, &nodes, 64ul));
    MUST_FAIL(syscall(450, area, sizeof area, 0ul, 0ul));
    return finish();
}
