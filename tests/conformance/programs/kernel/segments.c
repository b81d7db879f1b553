// The processor's segment descriptors, which 32-bit and 16-bit code needs.
#include "contained.h"
#include <asm/ldt.h>

int main(void)
{
    struct user_desc segment = {.entry_number = 1, .limit = 1, .seg_32bit = 1};
    MUST_FAIL(syscall(SYS_modify_ldt, 1, &segment, sizeof segment));
    MUST_FAIL(syscall(SYS_modify_ldt, 0, &segment, sizeof segment));
    return finish();
}
