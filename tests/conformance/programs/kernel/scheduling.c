// Taking a larger share: priority, real-time classes, other CPUs, timer slack of others, I/O classes.
#include "contained.h"
#include <sched.h>
#include <sys/resource.h>

#ifndef SYS_sched_setattr
#define SYS_sched_setattr 314
#endif

int main(void)
{
    struct sched_param highest = {.sched_priority = 1}, none = {0};
    cpu_set_t granted, wanted;
    MUST_WORK(sched_getaffinity(0, sizeof granted, &granted));
    for (int cpu = 0; cpu < 256; cpu++) {
        CPU_ZERO(&wanted);
        CPU_SET(cpu, &wanted);
        if (sched_setaffinity(0, sizeof wanted, &wanted) == 0)
            escaped("moved itself to CPU %d", cpu);
    }
    memset(&wanted, 0xff, sizeof wanted);
    MUST_FAIL(sched_setaffinity(0, sizeof wanted, &wanted));
    MUST_FAIL(sched_setaffinity(1, sizeof granted, &granted));
    const int classes[] = {SCHED_FIFO, SCHED_RR, SCHED_BATCH, SCHED_IDLE};
    for (int i = 0; i < 4; i++)
        MUST_FAIL(sched_setscheduler(0, classes[i], classes[i] <= SCHED_RR && classes[i] > 0 ? &highest : &none));
    struct {
        unsigned size, policy;
        unsigned long long flags;
        int nice;
        unsigned priority;
        unsigned long long runtime_ns, deadline_ns, period_ns;
    } deadline = {48, 6, 0, 0, 0, 1000000, 10000000, 10000000}, nicer = {48, 0, 0, -5, 0, 0, 0, 0};
    MUST_FAIL(syscall(SYS_sched_setattr, 0, &deadline, 0));
    MUST_FAIL(syscall(SYS_sched_setattr, 0, &nicer, 0));
    MUST_FAIL(setpriority(PRIO_PROCESS, 0, -1));
    MUST_FAIL(setpriority(PRIO_PROCESS, 1, 19));
    MUST_FAIL(setpriority(PRIO_USER, 0, -1));
    MUST_FAIL(nice(-10));
    // Class 1 is real time.
    MUST_FAIL(syscall(SYS_ioprio_set, 1, 0, 1 << 13));
    MUST_FAIL(open("/proc/self/autogroup", O_WRONLY));
    MUST_FAIL(open("/proc/self/timerslack_ns", O_WRONLY));
    MUST_FAIL(open("/dev/cpu_dma_latency", O_RDWR));
    return finish();
}
