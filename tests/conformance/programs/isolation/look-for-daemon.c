// Looks for the daemons of an earlier run: by their sockets and in the list of processes.
#include "contained.h"
#include "ipc-keys.h"
#include <dirent.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

int main(void)
{
    for (int is_abstract = 0; is_abstract < 2; is_abstract++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        snprintf(address.sun_path + is_abstract, 64, "%s%s", is_abstract ? "" : "/tmp/", LEFT_SOCKET);
        socklen_t length =
            (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address.sun_path + is_abstract));
        int client = socket(AF_UNIX, SOCK_STREAM, 0);
        MUST_WORK(client);
        if (connect(client, (struct sockaddr *)&address, length) == 0)
            escaped("a daemon of an earlier run answers");
    }
    DIR *listing = opendir("/proc");
    struct dirent *entry;
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        int pid = atoi(entry->d_name);
        if (pid > 1 && pid != getpid())
            escaped("process %d is still there", pid);
    }
    return finish();
}
