// Sends sockets over themselves and closes them, again and again: the kernel's threads that look for such garbage would
// work on the run's CPU, for no one's account, and a run over its limit would seem disturbed.
#include "contained.h"
#include <sys/socket.h>
#include <sys/uio.h>

static int send_over_itself(int one)
{
    char byte = 0;
    struct iovec bytes = {&byte, 1};
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    memset(&control, 0, sizeof control);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(&control.header), &one, sizeof one);
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control};
    return (int)sendmsg(one, &message, MSG_DONTWAIT);
}

int main(void)
{
    int pair[2];
    for (int kind = SOCK_STREAM; kind <= SOCK_SEQPACKET; kind++) {
        if (kind == SOCK_RAW || kind == SOCK_RDM)
            continue;
        MUST_WORK(socketpair(AF_UNIX, kind, 0, pair));
        if (send_over_itself(pair[0]) != -1)
            escaped("a socket of kind %d is on its way", kind);
        else if (errno != ETOOMANYREFS)
            escaped("sending a socket fails by itself: %s", strerror(errno));
        // Messages without descriptors are nothing special.
        MUST_WORK(send(pair[0], "x", 1, 0));
        close(pair[0]);
        close(pair[1]);
    }
    // Where the first was refused, others are, whatever is open.
    for (int round = 0; round < 1000; round++) {
        MUST_WORK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
        if (send_over_itself(pair[0]) != -1 || send_over_itself(pair[1]) != -1) {
            escaped("in round %d", round);
            break;
        }
        close(pair[0]);
        close(pair[1]);
    }
    return finish();
}
