// Credentials in messages: claiming another user or process number must be refused, and passing a
// descriptor to oneself gives nothing new.
#include "contained.h"
#include <sys/socket.h>

static int send_as(int socket, pid_t pid, uid_t uid, gid_t gid)
{
    struct ucred who = {pid, uid, gid};
    char space[CMSG_SPACE(sizeof who)] = {0};
    struct iovec data = {"x", 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof space};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_CREDENTIALS;
    header->cmsg_len = CMSG_LEN(sizeof who);
    memcpy(CMSG_DATA(header), &who, sizeof who);
    return (int)sendmsg(socket, &message, MSG_DONTWAIT);
}

int main(void)
{
    int pair[2];
    MUST_WORK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    MUST_FAIL(send_as(pair[0], getpid(), 0, getgid()));
    MUST_FAIL(send_as(pair[0], getpid(), getuid(), 0));
    MUST_FAIL(send_as(pair[0], 1, getuid(), getgid()));
    MUST_FAIL(send_as(pair[0], 0, 0, 0));
    int one = 1;
    MUST_FAIL(setsockopt(pair[0], SOL_SOCKET, SO_SNDBUFFORCE, &(int){1 << 28}, sizeof(int)));
    MUST_FAIL(setsockopt(pair[0], SOL_SOCKET, SO_MARK, &one, sizeof one));
    MUST_FAIL(setsockopt(pair[0], SOL_SOCKET, SO_PRIORITY, &(int){7}, sizeof(int)));
    return finish();
}
