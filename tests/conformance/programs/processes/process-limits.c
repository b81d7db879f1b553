// Raising limits: every hard limit may be kept or lowered, never raised, also not for other processes.
#include "contained.h"
#include <sys/resource.h>

int main(void)
{
    for (int resource = 0; resource < RLIM_NLIMITS; resource++) {
        struct rlimit now, more, after;
        if (getrlimit(resource, &now) != 0)
            continue;
        if (now.rlim_max != RLIM_INFINITY) {
            more.rlim_cur = more.rlim_max = now.rlim_max + 1;
            if (setrlimit(resource, &more) == 0 && getrlimit(resource, &after) == 0 &&
                after.rlim_max > now.rlim_max)
                escaped("raised limit %d", resource);
            more.rlim_cur = more.rlim_max = RLIM_INFINITY;
            if (setrlimit(resource, &more) == 0 && getrlimit(resource, &after) == 0 &&
                after.rlim_max > now.rlim_max)
                escaped("lifted limit %d", resource);
        }
        more.rlim_cur = more.rlim_max = 1;
        if (prlimit(1, resource, &more, NULL) == 0)
            escaped("changed limit %d of the first process", resource);
        if (getppid() > 1 && prlimit(getppid(), resource, &more, NULL) == 0)
            escaped("changed limit %d of the parent", resource);
    }
    struct rlimit files, core;
    MUST_WORK(getrlimit(RLIMIT_NOFILE, &files));
    MUST_WORK(getrlimit(RLIMIT_CORE, &core));
    if (files.rlim_max > 256)
        escaped("%ld open files with a limit of 256", (long)files.rlim_max);
    // One byte is as good as none: it is how a kernel with a core handler is told not to start it.
    if (core.rlim_max > 1)
        escaped("core files of %ld bytes", (long)core.rlim_max);
    return finish();
}
