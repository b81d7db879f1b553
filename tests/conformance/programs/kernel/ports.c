// Hardware from user space: input and output ports, devices.
#include "contained.h"
#include <sys/io.h>

static void use_port(void)
{
    outb(0, 0x80);
    escaped("wrote to a port");
}

int main(void)
{
    MUST_FAIL(ioperm(0x80, 1, 1));
    MUST_FAIL(iopl(3));
    attempt_in_child(use_port);
    const char *devices[] = {"/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/net/tun",
                             "/dev/vda", "/dev/sda", "/dev/loop0", "/dev/loop-control", "/dev/cpu/0/msr", "/dev/rtc0",
                             "/dev/hpet", "/dev/watchdog", "/dev/userfaultfd", "/dev/snapshot", "/dev/input/event0",
                             "/dev/dri/card0", "/dev/nvram", "/dev/vhost-net", "/dev/uinput", "/dev/bus/usb/001/001"};
    for (unsigned i = 0; i < sizeof devices / sizeof devices[0]; i++) {
        MUST_FAIL(open(devices[i], O_RDONLY | O_NONBLOCK));
        MUST_FAIL(open(devices[i], O_WRONLY | O_NONBLOCK));
    }
    return finish();
}
