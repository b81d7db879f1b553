// Sockets within the run: a socketpair, a named socket in the box, and an abstract one.
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int talk_over(int listener, struct sockaddr_un *address, socklen_t length)
{
    if (bind(listener, (struct sockaddr *)address, length) != 0 || listen(listener, 4) != 0)
        return perror("bind"), 1;
    if (fork() == 0) {
        int client = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(client, (struct sockaddr *)address, length) != 0)
            _exit(1);
        _exit(write(client, "hello", 5) != 5);
    }
    char text[6] = "";
    int server = accept(listener, NULL, NULL), status = 1;
    if (read(server, text, 5) != 5)
        return 1;
    wait(&status);
    close(server);
    close(listener);
    return status != 0 || strcmp(text, "hello") != 0;
}

int main(void)
{
    int pair[2];
    char text[6] = "";
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0)
        return perror("socketpair"), 1;
    if (fork() == 0)
        _exit(send(pair[1], "hello", 5, 0) != 5);
    if (recv(pair[0], text, 5, 0) != 5)
        return 1;
    wait(NULL);
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "box.sock"};
    if (talk_over(socket(AF_UNIX, SOCK_STREAM, 0), &address, sizeof address) != 0)
        return 2;
    memcpy(address.sun_path, "\0own", 4);
    if (talk_over(socket(AF_UNIX, SOCK_STREAM, 0), &address, offsetof(struct sockaddr_un, sun_path) + 4) != 0)
        return 3;
    puts("talked");
}
