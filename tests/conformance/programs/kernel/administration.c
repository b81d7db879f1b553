// What belongs to administrators: swap, quotas, accounting, host name, terminals, kernel log, raw handles.
#include "contained.h"
#include <linux/capability.h>
#include <sys/klog.h>

struct handle {
    unsigned bytes;
    int kind;
    unsigned char value[128];
};

int main(void)
{
    struct handle handle = {.bytes = 128};
    int mount_id;
    char text[4096];
    MUST_FAIL(syscall(SYS_swapon, "/dev/null", 0));
    MUST_FAIL(syscall(SYS_swapoff, "/dev/null"));
    MUST_FAIL(syscall(SYS_quotactl, 0x80000700u, "/dev/null", 0, text));
    MUST_FAIL(syscall(SYS_acct, NULL));
    MUST_FAIL(sethostname("other", 5));
    MUST_FAIL(setdomainname("other", 5));
    MUST_FAIL(syscall(SYS_vhangup));
    MUST_FAIL(klogctl(3, text, sizeof text));
    MUST_FAIL(klogctl(10, NULL, 0));
    MUST_FAIL(klogctl(6, NULL, 0));
    MUST_FAIL(syscall(SYS_name_to_handle_at, AT_FDCWD, "/", &handle, &mount_id, 0));
    // The root of most file systems is inode 2: a handle that one can make up.
    handle = (struct handle){.bytes = 8, .kind = 1, .value = {2}};
    int here = open("/", O_RDONLY | O_DIRECTORY);
    MUST_FAIL(syscall(SYS_open_by_handle_at, here, &handle, O_RDONLY));
    MUST_FAIL(syscall(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY));
    return finish();
}
