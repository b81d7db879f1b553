// Leaves 200 MiB of memory files and a socket with a name in a circle that nobody can reach.
#include "circle.h"
#include <stddef.h>
#include <sys/mman.h>
#include <sys/un.h>

int main(void)
{
    int circle = make_circle();
    int named = socket(AF_UNIX, SOCK_DGRAM, 0);
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0left"};
    if (bind(named, (struct sockaddr *)&name, offsetof(struct sockaddr_un, sun_path) + 5) == -1)
        return 2;
    send_descriptor(circle, named);
    static char block[1 << 20];
    memset(block, 7, sizeof block);
    for (int file = 0; file < 20; file++) {
        int memory = memfd_create("left", 0);
        for (int written = 0; written < 10; written++)
            if (write(memory, block, sizeof block) != sizeof block)
                return 2;
        send_descriptor(circle, memory);
        close(memory);
    }
    puts("left");
    return 0;
}
