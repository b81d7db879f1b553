// Extended attributes, capabilities on files, set-user-id bits, immutable flags, project quotas, owners.
#include "contained.h"
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

int main(void)
{
    int file = open("marked", O_RDWR | O_CREAT, 0700);
    int flags = FS_IMMUTABLE_FL | FS_APPEND_FL;
    MUST_WORK(file);
    const char capability[20] = {0, 0, 0, 2, (char)0xff, (char)0xff, (char)0xff, (char)0xff};
    MUST_FAIL(fsetxattr(file, "security.capability", capability, sizeof capability, 0));
    MUST_FAIL(fsetxattr(file, "trusted.overlay.opaque", "y", 1, 0));
    MUST_FAIL(setxattr("/usr", "user.mark", "x", 1, 0));
    MUST_FAIL(ioctl(file, FS_IOC_SETFLAGS, &flags));
    MUST_FAIL(fchown(file, 0, 0));
    MUST_FAIL(fchown(file, 1, (gid_t)-1));
    MUST_FAIL(fchown(file, (uid_t)-1, 0));
    MUST_FAIL(chown("/program", 1000, 1000));
    // A set-user-id bit on an own file gives nothing; it must not stick to anybody else's either.
    chmod("marked", 06755);
    MUST_FAIL(chmod("/usr/bin/env", 06755));
    MUST_FAIL(chmod("/bin/busybox", 06755));
    return finish();
}
