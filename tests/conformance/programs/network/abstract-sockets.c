// Abstract UNIX sockets belong to a network namespace, not to a file system: none of the machine's may be
// seen or reached. Named ones of well-known services are not there.
#include "contained.h"
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static void try_name(const char *name, int is_abstract)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    memcpy(address.sun_path + is_abstract, name, length);
    for (int kind = SOCK_STREAM; kind <= SOCK_SEQPACKET; kind++) {
        int client = socket(AF_UNIX, kind, 0);
        if (client >= 0 && connect(client, (struct sockaddr *)&address,
                                   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + 1)) == 0)
            escaped("connected to %s%s", is_abstract ? "@" : "", name);
        if (client >= 0)
            close(client);
    }
}

int main(void)
{
    const char *abstract[] = {"/tmp/.X11-unix/X0", "/tmp/dbus-session", "ISCSIADM_ABSTRACT_NAMESPACE",
                              "/org/kernel/linux/storage/multipathd", "/com/ubuntu/upstart", "wayland-0", "left-behind"};
    const char *named[] = {"/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock",
                           "/run/dbus/system_bus_socket", "/run/systemd/private", "/run/systemd/journal/socket",
                           "/dev/log", "/run/nscd/socket", "/tmp/.X11-unix/X0", "/run/udev/control",
                           "/var/run/postgresql/.s.PGSQL.5432"};
    for (unsigned i = 0; i < sizeof abstract / sizeof abstract[0]; i++)
        try_name(abstract[i], 1);
    for (unsigned i = 0; i < sizeof named / sizeof named[0]; i++)
        try_name(named[i], 0);
    FILE *list = fopen("/proc/net/unix", "r");
    char line[512];
    // The first line is the heading; no socket has been left open by ourselves.
    if (list != NULL && fgets(line, sizeof line, list) != NULL)
        while (fgets(line, sizeof line, list) != NULL)
            if (strchr(line, '@') != NULL)
                escaped("sees %s", line);
    return finish();
}
