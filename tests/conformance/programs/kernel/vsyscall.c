// The old page at a fixed address, through which time can be had past a filter: harmless if it works, a
// fault if not, and never the end of anything but the child that tried.
#include "contained.h"

static void call_old_page(void)
{
    long (*old_time)(long *) = (long (*)(long *))0xffffffffff600400ul;
    __asm__ volatile("" : "+r"(old_time));
    old_time(NULL);
}

int main(void)
{
    attempt_in_child(call_old_page);
    return finish();
}
