// Crashes in a child with large memory and looks for a core file: none is written, nobody is called for it.
#include "contained.h"
#include <dirent.h>
#include <sys/prctl.h>
#include <sys/resource.h>

int main(void)
{
    struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    int status;
    setrlimit(RLIMIT_CORE, &unlimited);
    prctl(PR_SET_DUMPABLE, 1);
    pid_t child = fork();
    if (child == 0)
        abort();
    MUST_WORK(waitpid(child, &status, 0));
    if (WCOREDUMP(status))
        escaped("the kernel says that it dumped core");
    const char *places[] = {".", "/tmp", "/dev/shm", "/"};
    for (int i = 0; i < 4; i++) {
        DIR *listing = opendir(places[i]);
        struct dirent *entry;
        while (listing != NULL && (entry = readdir(listing)) != NULL)
            if (strncmp(entry->d_name, "core", 4) == 0)
                escaped("%s/%s", places[i], entry->d_name);
        if (listing != NULL)
            closedir(listing);
    }
    return finish();
}
