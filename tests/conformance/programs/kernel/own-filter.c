// Installs restrictions on itself, as sandboxing libraries do: allowed or refused, but never a way to loosen
// the filter that is there.
#include "contained.h"
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>

int main(void)
{
    struct sock_filter allow_all[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    struct sock_fprog program = {1, allow_all};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    struct landlock_ruleset_attr rules = {.handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE};
    int set = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof rules, 0);
    if (set >= 0)
        syscall(SYS_landlock_restrict_self, set, 0);
    MUST_FAIL(unshare(CLONE_NEWUSER));
    MUST_FAIL(chroot("/"));
    if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
        escaped("no_new_privs is off");
    MUST_FAIL(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
    return finish();
}
