// Creates empty files, directories, links, FIFOs and sockets until nothing more fits: the inode limit
// must bound the sum over all places.
#include "contained.h"
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static int create(const char *path, int kind)
{
    switch (kind) {
    case 0: {
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (file >= 0)
            close(file);
        return file;
    }
    case 1:
        return mkdir(path, 0700);
    case 2:
        return symlink("nowhere", path);
    case 3:
        return mkfifo(path, 0600);
    default: {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
        int server = socket(AF_UNIX, SOCK_STREAM, 0);
        int bound = bind(server, (struct sockaddr *)&address, sizeof address);
        close(server);
        return bound;
    }
    }
}

int main(void)
{
    const char *places[] = {".", "/tmp", "/dev/shm", "/var/tmp"};
    int created = 0;
    char path[100];
    for (int i = 0; i < 8000; i++) {
        snprintf(path, sizeof path, "%s/entry-%d", places[i % 4], i);
        created += create(path, i / 4 % 5) >= 0;
    }
    if (created < 500 || created > 1100)
        escaped("%d entries in a box of 1024", created);
    return finish();
}
