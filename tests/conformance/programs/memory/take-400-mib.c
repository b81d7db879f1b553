// Takes 400 MiB. First it closes a socket, whereupon the kernel frees what earlier runs left in sockets that
// nobody can reach, and waits a little: that is none of this run's memory to spend.
#include "contained.h"
#include <sys/socket.h>

int main(void)
{
    close(socket(AF_UNIX, SOCK_DGRAM, 0));
    pause_ms(100);
    for (int block = 0; block < 400; block++) {
        char *memory = malloc(1 << 20);
        if (memory == NULL)
            return 2;
        memset(memory, 1, 1 << 20);
        __asm__ volatile("" : : "r"(memory) : "memory");
    }
    escaped("400 MiB under a limit of 256 MiB");
    return finish();
}
