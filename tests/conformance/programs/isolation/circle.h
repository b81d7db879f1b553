// A circle of sockets, each on its way over the other: nobody can reach them any more, and the kernel keeps
// them, with all else that was sent, until it looks for such garbage, which it does only when some other
// socket is closed.
#ifndef CIRCLE_H
#define CIRCLE_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static void send_descriptor(int over, int descriptor)
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
    memcpy(CMSG_DATA(&control.header), &descriptor, sizeof descriptor);
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &control,
                             .msg_controllen = sizeof control};
    // Where sending is refused there is no circle, which is as good.
    (void)!sendmsg(over, &message, MSG_DONTWAIT);
}

// Gives a socket; what is sent over it is in the circle.
static int make_circle(void)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == -1) {
        dprintf(1, "BROKEN: socketpair\n");
        _exit(3);
    }
    send_descriptor(pair[0], pair[0]);
    send_descriptor(pair[1], pair[1]);
    return pair[0];
}
#endif
