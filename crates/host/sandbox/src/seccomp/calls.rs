//! The lists. Calls that are in none of them return EPERM.

use libc::c_long;

pub enum Rule {
    /// Always returns this error.
    Answer(u16),
    /// Allowed unless one of these bits is set in an argument.
    UnlessBits { argument: u8, mask: u32, errno: u16 },
    /// Allowed where an argument, all 64 bits of it, is below 4 GiB.
    UnlessLong { argument: u8, errno: u16 },
    /// Allowed only for these values of an argument.
    OnlyValues { argument: u8, values: &'static [u32], errno: u16 },
    /// Allowed except for these values of an argument, each of which has its own error, and for values of these kinds.
    ExceptValues { argument: u8, values: &'static [(u32, u16)], kinds: &'static [(u32, u16)] },
}

const EINVAL: u16 = libc::EINVAL as u16;
const EPERM: u16 = libc::EPERM as u16;
const ENOMEM: u16 = libc::ENOMEM as u16;
const ENOLCK: u16 = libc::ENOLCK as u16;
const ENOSYS: u16 = libc::ENOSYS as u16;
const ENOTTY: u16 = libc::ENOTTY as u16;
const ENOPROTOOPT: u16 = libc::ENOPROTOOPT as u16;

const NAMESPACE_FLAGS: u32 = (libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET) as u32;

/// A handle of a process has an inode number of its own, from a counter of all processes since the machine was started.
const PROCESS_HANDLE_FLAG: u32 = libc::CLONE_PIDFD as u32;

/// Flags of one read or write that set how it is written. All others reveal whether the file is in memory
/// (`RWF_NOWAIT`), or drop it from there (`RWF_DONTCACHE`).
const HARMLESS_TRANSFER_FLAGS: u32 =
    (libc::RWF_DSYNC | libc::RWF_SYNC | libc::RWF_APPEND | libc::RWF_NOAPPEND) as u32;

/// Options of a socket that are numbers of a counter of the whole machine, or make handles of processes
/// (`asm-generic/socket.h`).
const SO_COOKIE: u32 = 57;
const SO_NETNS_COOKIE: u32 = 71;
const SO_PASSPIDFD: u32 = 76;
const SO_PEERPIDFD: u32 = 77;

/// The part of an `ioctl` request that names the kind of file.
pub const IOCTL_KIND_MASK: u32 = 0xff00;
/// Namespaces (`linux/nsfs.h`): their numbers count those made since the machine was started.
const IOCTL_NAMESPACE: u32 = 0xb700;
/// Handles of processes (`linux/pidfd.h`): the number of the control group counts, too.
const IOCTL_PROCESS_HANDLE: u32 = 0xff00;
/// File systems of the host (XFS, btrfs): their free space, and numbers that count.
const IOCTL_XFS: u32 = 0x5800;
const IOCTL_BTRFS: u32 = 0x9400;
/// Files of any file system (`linux/fs.h`): `EXT4_IOC_GET_ES_CACHE` reads which of their extents were looked up,
/// `PAGEMAP_SCAN` which of their pages are in memory.
const IOCTL_FILE: u32 = 0x6600;

/// Reads and writes a hint for writing, which the kernel keeps with a file (`linux/fcntl.h`).
const F_GET_RW_HINT: u32 = 1035;
const F_SET_RW_HINT: u32 = 1036;
const F_GET_FILE_RW_HINT: u32 = 1037;
const F_SET_FILE_RW_HINT: u32 = 1038;

/// Advice on memory that changes only memory of one's own. Not `MADV_COLD` and `MADV_PAGEOUT`, which mark pages of files
/// that all runs share, nor `MADV_COLLAPSE`, which gives a file a huge page that outlives the run, nor `MADV_MERGEABLE`,
/// which shares equal pages with other runs.
const ADVICE: &[u32] = &[
    libc::MADV_NORMAL as u32,
    libc::MADV_RANDOM as u32,
    libc::MADV_SEQUENTIAL as u32,
    libc::MADV_WILLNEED as u32,
    libc::MADV_DONTNEED as u32,
    libc::MADV_FREE as u32,
    libc::MADV_REMOVE as u32,
    libc::MADV_DONTFORK as u32,
    libc::MADV_DOFORK as u32,
    libc::MADV_HUGEPAGE as u32,
    libc::MADV_NOHUGEPAGE as u32,
    libc::MADV_DONTDUMP as u32,
    libc::MADV_DODUMP as u32,
    libc::MADV_WIPEONFORK as u32,
    libc::MADV_KEEPONFORK as u32,
    libc::MADV_POPULATE_READ as u32,
    libc::MADV_POPULATE_WRITE as u32,
];

pub const RULES: &[(c_long, Rule)] = &[
    (libc::SYS_clone3, Rule::Answer(ENOSYS)),
    (
        libc::SYS_clone,
        Rule::UnlessBits { argument: 0, mask: NAMESPACE_FLAGS | PROCESS_HANDLE_FLAG, errno: EPERM },
    ),
    // What reveals earlier runs, by exact values of the kernel: see docs/channels.md. Programs and libraries know these
    // errors from kernels that do not have the call, and do without it.
    // RESOLVE_CACHED reveals which names were looked up; the flags are in memory, which a filter cannot read.
    (libc::SYS_openat2, Rule::Answer(ENOSYS)),
    // When a file was made, and the number of its mount.
    (libc::SYS_statx, Rule::Answer(ENOSYS)),
    // Free space and files of the host's file systems.
    (libc::SYS_statfs, Rule::Answer(ENOSYS)),
    (libc::SYS_fstatfs, Rule::Answer(ENOSYS)),
    (libc::SYS_pidfd_open, Rule::Answer(ENOSYS)),
    (libc::SYS_pidfd_send_signal, Rule::Answer(ENOSYS)),
    // Sessions are counted, and a program sees the number of its own (/proc/self/autogroup). A process that leads a group
    // gets this error, too.
    (libc::SYS_setsid, Rule::Answer(EPERM)),
    (
        libc::SYS_preadv2,
        Rule::UnlessBits { argument: 5, mask: !HARMLESS_TRANSFER_FLAGS, errno: libc::EOPNOTSUPP as u16 },
    ),
    (
        libc::SYS_pwritev2,
        Rule::UnlessBits { argument: 5, mask: !HARMLESS_TRANSFER_FLAGS, errno: libc::EOPNOTSUPP as u16 },
    ),
    (
        libc::SYS_getsockopt,
        Rule::ExceptValues {
            argument: 2,
            values: &[(SO_COOKIE, ENOPROTOOPT), (SO_NETNS_COOKIE, ENOPROTOOPT), (SO_PEERPIDFD, ENOPROTOOPT)],
            kinds: &[],
        },
    ),
    (
        libc::SYS_socket,
        Rule::OnlyValues { argument: 0, values: &[libc::AF_UNIX as u32], errno: libc::EAFNOSUPPORT as u16 },
    ),
    (
        libc::SYS_socketpair,
        Rule::OnlyValues { argument: 0, values: &[libc::AF_UNIX as u32], errno: libc::EAFNOSUPPORT as u16 },
    ),
    // Reading the execution domain is harmless; changing it can turn off address randomisation
    // or make read imply execute.
    (libc::SYS_personality, Rule::OnlyValues { argument: 0, values: &[0, 0xffff_ffff], errno: EPERM }),
    (
        libc::SYS_ioctl,
        Rule::ExceptValues {
            argument: 1,
            values: &[
                (libc::TIOCSTI as u32, EPERM),
                (libc::TIOCLINUX as u32, EPERM),
                (libc::TIOCCONS as u32, EPERM),
            ],
            kinds: &[
                (IOCTL_NAMESPACE, ENOTTY),
                (IOCTL_PROCESS_HANDLE, ENOTTY),
                (IOCTL_XFS, ENOTTY),
                (IOCTL_BTRFS, ENOTTY),
                (IOCTL_FILE, ENOTTY),
            ],
        },
    ),
    // Leases and notifications reveal what others do with shared files. Range locks use kernel memory that no control
    // group counts, some 100 bytes each; and a lock on a file of the host blocks the host's own programs.
    (
        libc::SYS_fcntl,
        Rule::ExceptValues {
            argument: 1,
            values: &[
                (libc::F_NOTIFY as u32, EPERM),
                (libc::F_SETLEASE as u32, EPERM),
                (libc::F_GETLEASE as u32, EPERM),
                (libc::F_SETLK as u32, ENOLCK),
                (libc::F_SETLKW as u32, ENOLCK),
                (libc::F_OFD_SETLK as u32, ENOLCK),
                (libc::F_OFD_SETLKW as u32, ENOLCK),
                (libc::F_GETLK as u32, ENOLCK),
                (libc::F_OFD_GETLK as u32, ENOLCK),
                (F_GET_RW_HINT, EINVAL),
                (F_SET_RW_HINT, EINVAL),
                (F_GET_FILE_RW_HINT, EINVAL),
                (F_SET_FILE_RW_HINT, EINVAL),
            ],
            kinds: &[],
        },
    ),
    // Filters on sockets are programs in the kernel.
    (
        libc::SYS_setsockopt,
        Rule::ExceptValues {
            argument: 2,
            values: &[
                (libc::SO_ATTACH_FILTER as u32, EPERM),
                (libc::SO_ATTACH_BPF as u32, EPERM),
                (libc::SO_ATTACH_REUSEPORT_CBPF as u32, EPERM),
                (libc::SO_ATTACH_REUSEPORT_EBPF as u32, EPERM),
                (SO_PASSPIDFD, ENOPROTOOPT),
            ],
            kinds: &[],
        },
    ),
    (libc::SYS_flock, Rule::Answer(ENOLCK)),
    // The memory controller does not count huge pages that the machine has reserved. The error is that of a machine
    // without any, so that programs continue with ordinary pages.
    (libc::SYS_mmap, Rule::UnlessBits { argument: 3, mask: libc::MAP_HUGETLB as u32, errno: ENOMEM }),
    (libc::SYS_shmget, Rule::UnlessBits { argument: 2, mask: libc::SHM_HUGETLB as u32, errno: ENOMEM }),
    // It checks for no signal before it is done, which takes 11 s for 64 TiB. A run that was killed in it ends late, and
    // one with many such processes by as much for each.
    (libc::SYS_mincore, Rule::UnlessLong { argument: 1, errno: ENOMEM }),
    (libc::SYS_memfd_create, Rule::UnlessBits { argument: 1, mask: libc::MFD_HUGETLB, errno: ENOMEM }),
    // The error is that of a kernel that does not know the advice.
    (libc::SYS_madvise, Rule::OnlyValues { argument: 2, values: ADVICE, errno: EINVAL }),
    // Advice on a shared file could drop it from memory for everyone, so the call succeeds without effect.
    (libc::SYS_fadvise64, Rule::Answer(0)),
    (libc::SYS_readahead, Rule::Answer(0)),
    (
        libc::SYS_prctl,
        Rule::OnlyValues {
            argument: 0,
            values: &[
                libc::PR_SET_PDEATHSIG as u32,
                libc::PR_GET_PDEATHSIG as u32,
                libc::PR_GET_DUMPABLE as u32,
                libc::PR_SET_DUMPABLE as u32,
                libc::PR_SET_NAME as u32,
                libc::PR_GET_NAME as u32,
                libc::PR_GET_SECCOMP as u32,
                libc::PR_CAPBSET_READ as u32,
                libc::PR_GET_SECUREBITS as u32,
                libc::PR_SET_TIMERSLACK as u32,
                libc::PR_GET_TIMERSLACK as u32,
                libc::PR_SET_NO_NEW_PRIVS as u32,
                libc::PR_GET_NO_NEW_PRIVS as u32,
                libc::PR_GET_TID_ADDRESS as u32,
                libc::PR_SET_THP_DISABLE as u32,
                libc::PR_GET_THP_DISABLE as u32,
                libc::PR_SET_CHILD_SUBREAPER as u32,
                libc::PR_GET_CHILD_SUBREAPER as u32,
                libc::PR_SET_VMA as u32,
            ],
            errno: libc::EINVAL as u16,
        },
    ),
];

pub const BASE: &[c_long] = &[
    // Files that are open, and opening more.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_openat,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_splice,
    libc::SYS_tee,
    libc::SYS_vmsplice,
    libc::SYS_sendfile,
    libc::SYS_copy_file_range,
    // Files in the box.
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_linkat,
    libc::SYS_symlinkat,
    libc::SYS_truncate,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_sync_file_range,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_umask,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_fgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_flistxattr,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect,
    libc::SYS_msync,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_munlock,
    libc::SYS_mlockall,
    libc::SYS_munlockall,
    libc::SYS_get_mempolicy,
    // Processes and threads.
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_wait4,
    libc::SYS_waitid,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getppid,
    libc::SYS_getpgid,
    libc::SYS_setpgid,
    libc::SYS_getsid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_getgroups,
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_capget,
    libc::SYS_set_tid_address,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_rseq,
    libc::SYS_membarrier,
    libc::SYS_getrusage,
    libc::SYS_getrlimit,
    libc::SYS_setrlimit,
    libc::SYS_prlimit64,
    libc::SYS_getpriority,
    libc::SYS_setpriority,
    libc::SYS_ioprio_get,
    libc::SYS_getcpu,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_getattr,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_rr_get_interval,
    // Signals, time, waiting.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_getitimer,
    libc::SYS_setitimer,
    libc::SYS_timer_create,
    libc::SYS_timer_delete,
    libc::SYS_timer_getoverrun,
    libc::SYS_timer_gettime,
    libc::SYS_timer_settime,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_gettime,
    libc::SYS_timerfd_settime,
    libc::SYS_signalfd4,
    libc::SYS_eventfd2,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    // Between the run's own processes: IPC objects die with the run's IPC namespace.
    libc::SYS_shmat,
    libc::SYS_shmdt,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_notify,
    libc::SYS_mq_getsetattr,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_connect,
    libc::SYS_shutdown,
    libc::SYS_getsockname,
    libc::SYS_getpeername,
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_sendmsg,
    libc::SYS_recvmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvmmsg,
    // Information about the machine, as far as the namespaces show it.
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrandom,
];

/// Older variants, which only x86-64 still has.
#[cfg(target_arch = "x86_64")]
pub const BASE_LEGACY: &[c_long] = &[
    libc::SYS_open,
    libc::SYS_creat,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_getdents,
    libc::SYS_dup2,
    libc::SYS_pipe,
    libc::SYS_mkdir,
    libc::SYS_mknod,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_link,
    libc::SYS_symlink,
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_getpgrp,
    libc::SYS_arch_prctl,
    libc::SYS_time,
    libc::SYS_alarm,
    libc::SYS_pause,
    libc::SYS_signalfd,
    libc::SYS_eventfd,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_poll,
    libc::SYS_select,
];

/// Other architectures never had them.
#[cfg(not(target_arch = "x86_64"))]
pub const BASE_LEGACY: &[c_long] = &[];
