// Any socket may ask about network interfaces, also a UNIX one: there is nothing but a loopback, it is
// down, and it stays down.
#include "contained.h"
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int main(void)
{
    int any = socket(AF_UNIX, SOCK_DGRAM, 0);
    MUST_WORK(any);
    for (int index = 1; index < 200; index++) {
        struct ifreq request = {.ifr_ifindex = index};
        if (ioctl(any, SIOCGIFNAME, &request) == 0 && strcmp(request.ifr_name, "lo") != 0)
            escaped("interface %.16s", request.ifr_name);
    }
    struct ifreq loopback = {.ifr_name = "lo"};
    if (ioctl(any, SIOCGIFFLAGS, &loopback) == 0 && (loopback.ifr_flags & IFF_UP) != 0)
        escaped("the loopback is up");
    loopback.ifr_flags = IFF_UP | IFF_RUNNING;
    MUST_FAIL(ioctl(any, SIOCSIFFLAGS, &loopback));
    strcpy(loopback.ifr_newname, "other");
    MUST_FAIL(ioctl(any, SIOCSIFNAME, &loopback));
    return finish();
}
