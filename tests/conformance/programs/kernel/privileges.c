// User, groups and capabilities: none to begin with, none to be had.
#include "contained.h"
#include <grp.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>

int main(void)
{
    gid_t groups[64];
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2] = {{0}}, all[2] = {{~0u, ~0u, ~0u}, {~0u, ~0u, ~0u}};
    if (getuid() == 0 || geteuid() == 0 || getgid() == 0 || getegid() == 0)
        escaped("runs as root: %d %d", (int)getuid(), (int)getgid());
    MUST_WORK(syscall(SYS_capget, &header, sets));
    if ((sets[0].effective | sets[0].permitted | sets[0].inheritable | sets[1].effective | sets[1].permitted |
         sets[1].inheritable) != 0)
        escaped("has capabilities");
    for (int capability = 0; capability < 64; capability++) {
        if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, capability, 0, 0) == 1)
            escaped("ambient capability %d", capability);
        MUST_FAIL(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0));
    }
    int count = getgroups(64, groups);
    for (int i = 0; i < count; i++)
        if (groups[i] == 0)
            escaped("is in group 0");
    MUST_FAIL(syscall(SYS_capset, &header, all));
    MUST_FAIL(setuid(0));
    MUST_FAIL(setgid(0));
    MUST_FAIL(seteuid(0));
    MUST_FAIL(setresuid(0, 0, 0));
    MUST_FAIL(setresgid(0, 0, 0));
    MUST_FAIL(setreuid(0, 0));
    MUST_FAIL(setgroups(1, (gid_t[]){0}));
    setfsuid(0);
    if (setfsuid((uid_t)-1) == 0)
        escaped("file system user is root");
    MUST_FAIL(prctl(PR_SET_SECUREBITS, 1, 0, 0, 0));
    MUST_FAIL(prctl(PR_CAPBSET_DROP, 0, 0, 0, 0));
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        escaped("no_new_privs is off");
    const char *maps[] = {"/proc/self/uid_map", "/proc/self/gid_map", "/proc/self/setgroups", "/proc/self/projid_map",
                          "/proc/1/uid_map"};
    for (int i = 0; i < 5; i++) {
        int file = open(maps[i], O_WRONLY);
        if (file >= 0 && write(file, i == 2 ? "allow" : "0 0 1\n", 5 + (i != 2)) > 0)
            escaped("wrote %s", maps[i]);
    }
    return finish();
}
