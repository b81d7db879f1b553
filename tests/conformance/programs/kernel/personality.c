// Changing how addresses are laid out or which kernel is shown would change times and hide from the filter;
// asking what it is must work.
#include "contained.h"
#include <sys/personality.h>

int main(void)
{
    MUST_WORK(personality(0xffffffff));
    const unsigned long wanted[] = {ADDR_NO_RANDOMIZE, READ_IMPLIES_EXEC, PER_LINUX32, ADDR_COMPAT_LAYOUT,
                                    MMAP_PAGE_ZERO, UNAME26};
    int before = personality(0xffffffff);
    for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (personality(wanted[i] | (unsigned long)before) != -1 && personality(0xffffffff) != before)
            escaped("personality %#lx", wanted[i]);
    return finish();
}
