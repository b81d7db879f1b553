// Finds no socket's name that an earlier run left behind.
#include "contained.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(void)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "\0left"};
    int named = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (bind(named, (struct sockaddr *)&name, offsetof(struct sockaddr_un, sun_path) + 5) == -1)
        escaped("the name that an earlier run bound is still taken: %s", strerror(errno));
    return finish();
}
