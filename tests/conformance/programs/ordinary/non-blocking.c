// Makes all its descriptors non-blocking and shrinks its output pipe, then writes a megabyte as one should.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    static char text[1 << 20];
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 3; i++)
        fcntl(i, F_SETFL, fcntl(i, F_GETFL) | O_NONBLOCK);
    fcntl(1, F_SETPIPE_SZ, 4096);
    for (size_t sent = 0; sent < sizeof text;) {
        ssize_t step = write(1, text + sent, sizeof text - sent);
        if (step > 0)
            sent += (size_t)step;
        else if (errno != EAGAIN)
            return 1;
        else
            poll(&(struct pollfd){.fd = 1, .events = POLLOUT}, 1, -1);
    }
    return 0;
}
