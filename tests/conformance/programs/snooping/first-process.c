// The first process of the namespace is the judge's: its memory, arguments, environment, files and places must
// stay closed, as must those of every other process that is visible and not ours.
#include "contained.h"
#include <dirent.h>

static void look_at(const char *process)
{
    const char *files[] = {"cmdline", "comm", "status", "stat", "mountinfo", "environ", "maps", "smaps", "smaps_rollup", "mem", "auxv", "stack", "syscall", "io", "pagemap",
                           "personality", "numa_maps", "map_files", "fd", "fdinfo", "task/1/environ", "task/1/mem",
                           "root/", "cwd/", "patch_state", "ksm_stat"};
    const char *links[] = {"root", "cwd", "exe", "fd/0", "fd/1", "fd/2", "fd/3", "fd/4", "fd/5", "ns/mnt", "ns/net", "ns/user"};
    char path[128], bytes[256];
    for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "/proc/%s/%s", process, files[i]);
        int file = open(path, O_RDONLY);
        if (file < 0)
            continue;
        DIR *listing = fdopendir(dup(file));
        if (listing != NULL && readdir(listing) != NULL)
            escaped("listed %s", path);
        if (listing == NULL && read(file, bytes, sizeof bytes) > 0)
            escaped("read %s", path);
        close(file);
    }
    for (unsigned i = 0; i < sizeof links / sizeof links[0]; i++) {
        snprintf(path, sizeof path, "/proc/%s/%s", process, links[i]);
        ssize_t length = readlink(path, bytes, sizeof bytes);
        if (length >= 0)
            escaped("%s leads to %.*s", path, (int)length, bytes);
    }
}

int main(void)
{
    DIR *processes = opendir("/proc");
    struct dirent *entry;
    look_at("1");
    while (processes != NULL && (entry = readdir(processes)) != NULL) {
        int pid = atoi(entry->d_name);
        if (pid > 1 && pid != getpid())
            look_at(entry->d_name);
    }
    return finish();
}
