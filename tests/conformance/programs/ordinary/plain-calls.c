// The harmless calls that run times and contestants make, one by one: a filter must not be too narrow.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static int failures;

#define WORKS(call)                                                                                \
    do {                                                                                           \
        if ((long)(call) == -1) {                                                                  \
            printf("refused: %s: %s\n", #call, strerror(errno));                                   \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

int main(void)
{
    struct timespec time;
    struct timeval day;
    struct rusage usage;
    struct rlimit limit;
    struct tms times_used;
    struct sysinfo info;
    struct utsname name;
    struct stat about;
    struct statx about_more;
    cpu_set_t cpus;
    char buffer[4096];
    int file;
    WORKS(clock_gettime(CLOCK_REALTIME, &time));
    WORKS(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time));
    WORKS(clock_getres(CLOCK_MONOTONIC, &time));
    WORKS(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time));
    WORKS(gettimeofday(&day, NULL));
    WORKS(syscall(SYS_time, NULL));
    WORKS(getrusage(RUSAGE_SELF, &usage));
    WORKS(getrusage(RUSAGE_CHILDREN, &usage));
    WORKS(getrlimit(RLIMIT_STACK, &limit));
    WORKS(setrlimit(RLIMIT_STACK, &limit));
    WORKS(times(&times_used));
    WORKS(sysinfo(&info));
    WORKS(uname(&name));
    WORKS(sched_getaffinity(0, sizeof cpus, &cpus));
    WORKS(sched_yield());
    WORKS(syscall(SYS_getcpu, NULL, NULL, NULL));
    WORKS(prctl(PR_SET_NAME, "renamed"));
    WORKS(prctl(PR_SET_PDEATHSIG, 0));
    WORKS(getpriority(PRIO_PROCESS, 0));
    WORKS(getpid());
    WORKS(getppid());
    WORKS(gettid());
    WORKS(getuid());
    WORKS(getpgrp());
    WORKS(getsid(0));
    WORKS(umask(022));
    WORKS(getgroups(0, NULL));
    WORKS(file = open("file", O_RDWR | O_CREAT, 0600));
    WORKS(fallocate(file, 0, 0, 8192));
    WORKS(posix_fadvise(file, 0, 0, POSIX_FADV_SEQUENTIAL));
    WORKS(lseek(file, 4096, SEEK_SET));
    struct iovec parts[2] = {{"one ", 4}, {"two", 3}};
    WORKS(writev(file, parts, 2));
    WORKS(pwritev(file, parts, 2, 0));
    WORKS(preadv(file, &(struct iovec){buffer, 7}, 1, 0));
    WORKS(fstat(file, &about));
    WORKS(fstatat(AT_FDCWD, "file", &about, AT_SYMLINK_NOFOLLOW));
    WORKS(statx(AT_FDCWD, "file", 0, STATX_BASIC_STATS, &about_more));
    WORKS(fcntl(file, F_SETFL, O_APPEND));
    WORKS(fcntl(file, F_DUPFD_CLOEXEC, 10));
    WORKS(dup2(file, 9));
    WORKS(futimens(file, NULL));
    WORKS(fdatasync(file));
    WORKS(fchmod(file, 0600));
    WORKS(faccessat(AT_FDCWD, "file", R_OK, 0));
    WORKS(readlink("/proc/self/exe", buffer, sizeof buffer));
    WORKS(unlinkat(AT_FDCWD, "file", 0));
    WORKS(memfd_create("memory", MFD_CLOEXEC));
    WORKS(madvise((void *)((unsigned long)buffer & ~4095UL), 4096, MADV_NORMAL));
    WORKS(syscall(SYS_gettid));
    WORKS(close(file));
    puts(failures == 0 ? "all there" : "too narrow");
    return failures != 0;
}
