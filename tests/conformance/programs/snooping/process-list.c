// The list of processes shows the run and nothing else: the first process and this one.
#include "contained.h"
#include <dirent.h>

int main(void)
{
    DIR *listing = opendir("/proc");
    struct dirent *entry;
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        int pid = atoi(entry->d_name);
        if (pid > 1 && pid != getpid())
            escaped("sees process %d", pid);
    }
    // Numbers from outside would show in what the kernel says about parents, sessions and groups.
    if (getppid() > 1)
        escaped("the parent is process %d", (int)getppid());
    if (getpid() > 10)
        escaped("process number %d: not a namespace of its own", (int)getpid());
    for (pid_t pid = 2; pid < 40000; pid++)
        if (pid != getpid() && (kill(pid, 0) == 0 || errno == EPERM || getsid(pid) != -1))
            escaped("process %d exists", (int)pid);
    return finish();
}
