// Escape through control groups: mounting a hierarchy, leaving the own group, a release agent, more memory.
#include "contained.h"
#include <dirent.h>
#include <sys/mount.h>
#include <sys/stat.h>

int main(void)
{
    mkdir("groups", 0700);
    const char *options[] = {"memory", "rdma", "cpu", "pids", "freezer", "none,name=x", "devices", "cpuset", NULL};
    for (int i = 0; i < 9; i++)
        if (mount("cgroup", "groups", "cgroup", 0, options[i]) == 0)
            escaped("mounted hierarchy %s", options[i] != NULL ? options[i] : "of all");
    MUST_FAIL(mount("cgroup2", "groups", "cgroup2", 0, NULL));
    DIR *listing = opendir("/sys/fs/cgroup");
    if (listing != NULL)
        escaped("/sys/fs/cgroup is there");
    MUST_FAIL(open("/sys/fs/cgroup/cgroup.procs", O_RDONLY));
    MUST_FAIL(open("/sys/fs/cgroup/memory.max", O_RDWR));
    MUST_FAIL(open("/proc/cgroups", O_WRONLY));
    return finish();
}
