// What the kernel tells a process about itself must not name the judge's places: mounts, control groups,
// descriptors, the first process's command line, the own arguments.
#define _GNU_SOURCE
#include "contained.h"
#include <strings.h>

static void search(const char *where, const char *text, size_t length)
{
    const char *words[] = {"tauto", "judge", "submission", "secret", "/home/", "/root/", "target/debug",
                           "target/release", ".ans", "testdata", "cargo"};
    for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *found = memmem(text, length, words[i], strlen(words[i]));
        if (found != NULL)
            escaped("%s says %.*s", where, (int)strcspn(found, "\n"), found);
    }
}

int main(void)
{
    static char text[1 << 18];
    const char *files[] = {"/proc/self/mountinfo", "/proc/self/mounts", "/proc/self/mountstats", "/proc/self/cgroup",
                           "/proc/1/cgroup", "/proc/self/cmdline", "/proc/self/maps", "/proc/self/environ", "/proc/self/cpuset",
                           "/proc/self/status", "/proc/1/status", "/proc/1/cmdline", "/proc/1/comm", "/proc/1/stat",
                           "/proc/1/mountinfo", "/proc/1/cpuset", "/proc/mounts", "/etc/passwd", "/etc/group"};
    for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
        int file = open(files[i], O_RDONLY);
        ssize_t length = 0, got;
        while (file >= 0 && length < (ssize_t)sizeof text &&
               (got = read(file, text + length, sizeof text - (size_t)length)) > 0)
            length += got;
        search(files[i], text, (size_t)length);
        if (file >= 0)
            close(file);
    }
    const char *links[] = {"/proc/self/fd/0", "/proc/self/fd/1", "/proc/self/fd/2", "/proc/self/cwd", "/proc/self/root",
                           "/proc/self/exe"};
    for (unsigned i = 0; i < sizeof links / sizeof links[0]; i++) {
        ssize_t length = readlink(links[i], text, sizeof text);
        if (length > 0)
            search(links[i], text, (size_t)length);
    }
    return finish();
}
