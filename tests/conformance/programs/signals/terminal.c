// A terminal of the judge's: typing into it (TIOCSTI), stealing it, or opening it by name.
#include "contained.h"
#include <sys/ioctl.h>
#include <termios.h>

int main(void)
{
    const char *names[] = {"/dev/tty", "/dev/console", "/dev/tty0", "/dev/tty1", "/dev/ttyS0", "/dev/pts/0",
                           "/dev/pts/1", "/dev/vcs", "/dev/vcsa1", "/dev/hvc0"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        MUST_FAIL(open(names[i], O_RDWR | O_NOCTTY | O_NONBLOCK));
    int ptmx = open("/dev/ptmx", O_RDWR | O_NOCTTY);
    if (ptmx >= 0)
        escaped("a pseudo terminal");
    for (int descriptor = 0; descriptor < 3; descriptor++) {
        char byte = 'x', subcode = 2;
        pid_t group = getpgrp();
        if (isatty(descriptor))
            escaped("descriptor %d is a terminal", descriptor);
        MUST_FAIL(ioctl(descriptor, TIOCSTI, &byte));
        MUST_FAIL(ioctl(descriptor, TIOCLINUX, &subcode));
        MUST_FAIL(ioctl(descriptor, TIOCSCTTY, 1));
        MUST_FAIL(ioctl(descriptor, TIOCSPGRP, &group));
        // The upper half of the request is cut off by the kernel; a filter must compare 32 bits only.
        MUST_FAIL(syscall(SYS_ioctl, descriptor, 0xdead00000000ul | TIOCSTI, &byte));
    }
    return finish();
}
