// Files of /proc, /sys and /dev that show the kernel's or other people's doings.
#include "contained.h"

int main(void)
{
    const char *files[] = {"/proc/kcore", "/proc/kmsg", "/proc/kallsyms", "/proc/keys", "/proc/key-users", "/proc/timer_list",
                           "/proc/sched_debug", "/proc/slabinfo", "/proc/vmallocinfo", "/proc/pagetypeinfo", "/proc/kpageflags",
                           "/proc/kpagecount", "/proc/kpagecgroup", "/proc/iomem", "/proc/ioports", "/proc/locks",
                           "/proc/sysvipc/shm", "/proc/bus/input/devices", "/proc/sys/kernel/hostname",
                           "/proc/sys/kernel/core_pattern", "/proc/config.gz", "/proc/cmdline", "/proc/modules",
                           "/proc/driver/rtc", "/proc/fs/ext4", "/proc/scsi/scsi", "/proc/asound/cards", "/proc/latency_stats",
                           "/sys/kernel/notes", "/sys/kernel/debug", "/sys/class/dmi/id/product_uuid", "/sys/class/net/lo",
                           "/sys/devices/system/cpu/online", "/sys/firmware", "/sys/kernel/vmcoreinfo", "/dev/mem",
                           "/dev/kmsg", "/dev/log", "/etc/shadow", "/etc/gshadow", "/etc/sudoers", "/etc/hostname",
                           "/etc/machine-id", "/etc/fstab", "/etc/crontab", "/root/.bashrc", "/root/.ssh/authorized_keys",
                           "/root/.docker/config.json", "/root/.netrc", "/var/run/secrets/kubernetes.io/serviceaccount/token",
                           "/var/log/syslog", "/etc/ssh/ssh_host_ed25519_key", "/etc/ssl/private", "/etc/kubernetes/admin.conf"};
    char bytes[64];
    for (unsigned i = 0; i < sizeof files / sizeof files[0]; i++) {
        int file = open(files[i], O_RDONLY | O_NONBLOCK);
        if (file < 0)
            continue;
        ssize_t got = read(file, bytes, sizeof bytes);
        if (got > 0 || (got < 0 && errno == EISDIR))
            escaped("read %s", files[i]);
        close(file);
    }
    return finish();
}
