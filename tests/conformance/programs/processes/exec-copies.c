// Runs a copy of itself from the box, from a memory file and through an open descriptor: allowed, and each
// copy is as contained as the first (no new rights, same user).
#include "contained.h"
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

static void report(const char *how)
{
    if (getuid() == 0 || geteuid() == 0 || getuid() != geteuid())
        escaped("%s runs as %d/%d", how, (int)getuid(), (int)geteuid());
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        escaped("%s may gain rights", how);
    if (syscall(SYS_unshare, 0x10000000) == 0)
        escaped("%s may make a user namespace", how);
}

static void run(const char *how, int descriptor, const char *path)
{
    pid_t child = fork();
    int status;
    if (child == 0) {
        char *arguments[] = {"copy", (char *)how, NULL}, *nothing[] = {NULL};
        if (descriptor >= 0)
            syscall(SYS_execveat, descriptor, "", arguments, nothing, AT_EMPTY_PATH);
        else
            execve(path, arguments, nothing);
        _exit(0);
    }
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        escapes++;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        report(argv[1]);
        return escapes;
    }
    report("the program");
    int own = open("/proc/self/exe", O_RDONLY), copy = open("copy", O_WRONLY | O_CREAT, 0755);
    int memory = memfd_create("copy", 0);
    struct stat about;
    MUST_WORK(own);
    MUST_WORK(copy);
    MUST_WORK(fstat(own, &about));
    off_t from_start = 0;
    while (from_start < about.st_size && sendfile(copy, own, &from_start, (size_t)about.st_size) > 0) {
    }
    fchmod(copy, 06755);
    close(copy);
    run("a copy in the box", -1, "./copy");
    run("the program by descriptor", own, NULL);
    from_start = 0;
    while (memory >= 0 && from_start < about.st_size &&
           sendfile(memory, own, &from_start, (size_t)about.st_size) > 0) {
    }
    if (memory >= 0)
        run("a memory file", memory, NULL);
    return finish();
}
