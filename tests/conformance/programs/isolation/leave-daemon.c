// Leaves daemons behind: double-forked, in their own sessions, deaf to signals, listening on an abstract
// socket and a named one; the main process waits until they listen and ends.
#include "ipc-keys.h"
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static void serve(int is_abstract, int ready)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char byte;
    snprintf(address.sun_path + is_abstract, 64, "%s%s", is_abstract ? "" : "/tmp/", LEFT_SOCKET);
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    socklen_t length =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address.sun_path + is_abstract));
    if (bind(server, (struct sockaddr *)&address, length) != 0 || listen(server, 5) != 0)
        _exit(1);
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_IGN);
    if (write(ready, "r", 1) != 1)
        _exit(1);
    for (;;) {
        int client = accept(server, NULL, NULL);
        if (read(client, &byte, 1) == 0)
            close(client);
    }
}

int main(void)
{
    int ends[2];
    char bytes[2];
    if (pipe(ends) != 0)
        return 1;
    for (int is_abstract = 0; is_abstract < 2; is_abstract++)
        if (fork() == 0) {
            setsid();
            if (fork() == 0)
                serve(is_abstract, ends[1]);
            _exit(0);
        }
    close(ends[1]);
    for (int i = 0; i < 2; i++)
        if (read(ends[0], &bytes[i], 1) != 1)
            return 2;
    puts("left");
}
