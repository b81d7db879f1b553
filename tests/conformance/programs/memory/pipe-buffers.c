// Fills pipe buffers, then socket buffers, with data that nobody reads: kernel memory on the run's account.
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char block[65536];

static void fill(int descriptor)
{
    fcntl(descriptor, F_SETFL, O_NONBLOCK);
    while (write(descriptor, block, sizeof block) > 0) {
    }
}

int main(void)
{
    int ends[2];
    memset(block, 1, sizeof block);
    for (int i = 0; i < 64 && pipe(ends) == 0; i++) {
        fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
        fill(ends[1]);
    }
    while (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0) {
        fill(ends[0]);
        fill(ends[1]);
    }
    return 0;
}
