// Leaves files wherever it can, with and without permissions, open and mapped at the end.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    const char *home = getenv("HOME");
    const char *places[] = {".",        "..",       "/tmp", "/dev/shm", home != NULL ? home : ".", "/box", "/var/tmp",
                            "/program", "/run/lock", "/",    "/dev",     "/run"};
    char path[256];
    for (int i = 0; i < 12; i++) {
        snprintf(path, sizeof path, "%s/left-behind", places[i]);
        int file = open(path, O_WRONLY | O_CREAT, 0666);
        if (file >= 0 && write(file, "left", 4) != 4)
            return 1;
        snprintf(path, sizeof path, "%s/left-behind-directory", places[i]);
        mkdir(path, 0777);
        snprintf(path, sizeof path, "%s/left-behind-directory/inner", places[i]);
        mkdir(path, 0);
        snprintf(path, sizeof path, "%s/left-behind-link", places[i]);
        if (symlink("/etc/passwd", path) != 0)
            continue;
    }
    puts("left");
}
