// vfork within vfork: every parent is suspended until its child ends, the last one loops.
#define _GNU_SOURCE
#include <unistd.h>

int main(void)
{
    for (;;)
        if (vfork() < 0)
            for (volatile unsigned long i = 0;; i++) {
            }
}
