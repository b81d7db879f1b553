// Changes times or modes of files that all runs see: the devices and the input. Each would be a message to a
// later run, or to another slot.
#include "contained.h"
#include <sys/stat.h>

int main(void)
{
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
    for (size_t device = 0; device < sizeof devices / sizeof *devices; device++) {
        MUST_FAIL(utimensat(AT_FDCWD, devices[device], NULL, 0));
        int descriptor = open(devices[device], O_RDWR);
        MUST_FAIL(futimens(descriptor, NULL));
        MUST_FAIL(fchmod(descriptor, 0600));
        close(descriptor);
    }
    char byte;
    if (read(0, &byte, 1) != 1)
        return 2;
    MUST_FAIL(futimens(0, NULL));
    return finish();
}
