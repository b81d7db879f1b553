// Kernel keyrings outlive processes and are shared by user, not by namespace of processes.
#include "contained.h"

int main(void)
{
    for (long ring = -8; ring < 0; ring++) {
        MUST_FAIL(syscall(SYS_add_key, "user", "left", "data", 4, ring));
        MUST_FAIL(syscall(SYS_request_key, "user", "left", NULL, ring));
    }
    for (long operation = 0; operation < 33; operation++)
        if (syscall(SYS_keyctl, operation, -3, 0, 0, 0) != -1)
            escaped("keyctl(%ld)", operation);
    return finish();
}
