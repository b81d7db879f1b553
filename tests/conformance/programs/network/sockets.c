// Every socket family and kind there is: only those of AF_UNIX may be made.
#include "contained.h"
#include <sys/socket.h>

int main(void)
{
    for (int family = 0; family < 64; family++)
        for (int kind = 1; kind <= 10; kind++) {
            const int protocols[] = {0, 1, 2, 6, 17, 41, 58, 132, 255, 262};
            for (int i = 0; i < 10; i++) {
                int pair[2];
                int made = socket(family, kind, protocols[i]);
                if (made >= 0 && family != AF_UNIX)
                    escaped("socket(%d, %d, %d)", family, kind, protocols[i]);
                if (made >= 0)
                    close(made);
                if (family != AF_UNIX && socketpair(family, kind, protocols[i], pair) == 0)
                    escaped("socketpair(%d, %d, %d)", family, kind, protocols[i]);
                if (escapes > 20)
                    return finish();
            }
        }
    // The kernel takes 32 bits of the family; a filter that compares 64 sees another number.
    MUST_FAIL(syscall(SYS_socket, 0x100000000l | AF_INET, SOCK_STREAM, 0));
    MUST_FAIL(syscall(SYS_socket, 0x100000000l | AF_NETLINK, SOCK_RAW, 0));
    return finish();
}
