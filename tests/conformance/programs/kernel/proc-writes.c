// Writes to the kernel's switches under /proc and /sys: none may open for writing.
#include "contained.h"

int main(void)
{
    const char *switches[] = {"/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname",
                              "/proc/sys/kernel/modprobe", "/proc/sys/kernel/panic", "/proc/sys/vm/drop_caches",
                              "/proc/sys/vm/overcommit_memory", "/proc/sys/vm/panic_on_oom", "/proc/sys/fs/file-max",
                              "/proc/sys/net/ipv4/ip_forward", "/proc/sys/kernel/ns_last_pid",
                              "/proc/sys/kernel/randomize_va_space", "/proc/sys/fs/binfmt_misc/register",
                              "/proc/sys/user/max_user_namespaces", "/proc/irq/0/smp_affinity", "/proc/mtrr",
                              "/proc/acpi/wakeup", "/proc/bus/pci/devices", "/proc/fs/nfsd", "/proc/self/attr/current",
                              "/proc/self/attr/exec", "/proc/self/coredump_filter", "/proc/self/loginuid",
                              "/proc/self/clear_refs", "/proc/self/make-it-fail", "/proc/self/sched", "/proc/self/comm",
                              "/proc/1/comm", "/proc/1/coredump_filter", "/sys/fs/cgroup/cgroup.procs",
                              "/sys/fs/cgroup/release_agent", "/sys/fs/cgroup/memory/release_agent",
                              "/sys/fs/cgroup/rdma/release_agent", "/sys/kernel/uevent_helper", "/sys/power/state",
                              "/sys/kernel/mm/ksm/run", "/sys/kernel/debug/tracing/tracing_on"};
    for (unsigned i = 0; i < sizeof switches / sizeof switches[0]; i++)
        MUST_FAIL(open(switches[i], O_WRONLY));
    return finish();
}
