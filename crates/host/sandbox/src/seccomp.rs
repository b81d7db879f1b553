//! Filters of the system calls that a run may make.
//!
//! An allowlist for each class, compiled to a balanced search tree. General filter compilers emit one comparison per
//! call. At installation the kernel runs a new filter once for every call number (to fill its cache of calls that are
//! always allowed), so a chain of comparisons takes long, and every run installs a filter.

mod calls;
mod program;

use crate::plan::SeccompClass;
use calls::Rule;
use model::Nanos;
use program::{Action, Program};
use std::cell::OnceCell;
use std::io;
use std::time::Instant;

#[derive(Debug)]
pub struct Filter(Vec<libc::sock_filter>);

/// The filters of all classes; each is compiled when it is first needed.
#[derive(Debug, Default)]
pub struct Filters([OnceCell<Filter>; 3]);

impl Filters {
    pub fn of(&self, class: SeccompClass) -> &Filter {
        let index = match class {
            SeccompClass::Native => 0,
            SeccompClass::Runtime => 1,
            SeccompClass::Compiler => 2,
        };
        self.0[index].get_or_init(|| Filter::of(class))
    }
}

impl Filter {
    pub fn of(class: SeccompClass) -> Self {
        Self(program_of(class).instructions())
    }

    /// Installs the filter in this thread, permanently. `no_new_privs` must be set.
    pub fn install(&self) -> io::Result<()> {
        let program = libc::sock_fprog {
            len: u16::try_from(self.0.len()).map_err(io::Error::other)?,
            filter: self.0.as_ptr().cast_mut(),
        };
        // SAFETY: the program's pointer and length describe its instructions, which live through the call; the kernel
        // copies and checks them.
        #[allow(unsafe_code)]
        let rc =
            unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) };
        if rc == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }
}

/// Makes the filter by which a process executes only what is executed with this pass as the sixth argument of `execveat(2)`,
/// which the kernel does not use.
pub fn only_with_pass(pass: u64) -> Filter {
    Filter(program::only_with_pass(pass))
}

/// Installs the filter of a class in a new thread; returns how long that took.
pub fn time_filter(class: SeccompClass) -> io::Result<Nanos> {
    let filter = Filter::of(class);
    let install = || {
        rustix::thread::set_no_new_privs(true)?;
        let begin = Instant::now();
        filter.install()?;
        Ok(Nanos::from(begin.elapsed()))
    };
    let thread = std::thread::scope(|scope| scope.spawn(install).join());
    thread.unwrap_or_else(|_| Err(io::Error::other("the thread with the filter panicked")))
}

fn program_of(class: SeccompClass) -> Program {
    let mut actions: Vec<(u32, Action)> = Vec::new();
    for number in [calls::BASE, calls::BASE_LEGACY].into_iter().flatten() {
        actions.push((call_number(*number), Action::Allow));
    }
    for (number, rule) in calls::RULES {
        let action = match rule {
            // Go cannot read `go.mod` without it. Locks protect a compiler from other builds, and there are none here.
            Rule::Answer(_) if *number == libc::SYS_flock && class == SeccompClass::Compiler => {
                Action::Errno(0)
            }
            Rule::Answer(errno) => Action::Errno(*errno),
            Rule::UnlessBits { argument, mask, errno } => {
                Action::ErrnoIfBits { argument: *argument, mask: *mask, errno: *errno }
            }
            Rule::UnlessLong { argument, errno } => {
                Action::ErrnoIfLong { argument: *argument, errno: *errno }
            }
            Rule::OnlyValues { argument, values, errno } => {
                Action::AllowValues { argument: *argument, values: values.to_vec(), errno: *errno }
            }
            Rule::ExceptValues { argument, values, kinds } => {
                Action::DenyValues { argument: *argument, values: values.to_vec(), kinds: kinds.to_vec() }
            }
        };
        actions.push((call_number(*number), action));
    }
    if class == SeccompClass::Runtime {
        // Mono sets each thread to the ordinary policy that it already has, and complains on standard output if it may
        // not. The call succeeds without effect.
        actions.push((call_number(libc::SYS_sched_setscheduler), Action::Errno(0)));
    }
    Program::new(actions, Action::Errno(libc::EPERM as u16))
}

fn call_number(number: libc::c_long) -> u32 {
    u32::try_from(number).expect("system call numbers are small and positive")
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Decision;

    const ALLOWED: Decision = Decision::Allow;

    fn decide(class: SeccompClass, number: libc::c_long, arguments: [u64; 6]) -> Decision {
        program_of(class).decide(call_number(number), arguments)
    }

    #[test]
    fn ordinary_calls_pass_in_every_class() {
        for class in [SeccompClass::Native, SeccompClass::Runtime, SeccompClass::Compiler] {
            for number in [libc::SYS_read, libc::SYS_write, libc::SYS_mmap, libc::SYS_execve, libc::SYS_futex]
            {
                assert_eq!(decide(class, number, [0; 6]), ALLOWED, "{number}");
            }
        }
    }

    #[test]
    fn dangerous_calls_are_refused_in_every_class() {
        let refused = [
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_setns,
            libc::SYS_unshare,
            libc::SYS_keyctl,
            libc::SYS_add_key,
            libc::SYS_request_key,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_io_uring_setup,
            libc::SYS_userfaultfd,
            libc::SYS_ptrace,
            libc::SYS_sched_setaffinity,
            libc::SYS_sched_setscheduler,
            libc::SYS_sched_setattr,
            libc::SYS_pivot_root,
            libc::SYS_chroot,
            libc::SYS_reboot,
            libc::SYS_sync,
            libc::SYS_process_vm_readv,
            libc::SYS_open_by_handle_at,
            libc::SYS_mbind,
        ];
        for class in [SeccompClass::Native, SeccompClass::Runtime, SeccompClass::Compiler] {
            for number in refused {
                let expected = match (class, number) {
                    // Succeeds without effect.
                    (SeccompClass::Runtime, libc::SYS_sched_setscheduler) => 0,
                    _ => libc::EPERM as u16,
                };
                assert_eq!(decide(class, number, [0; 6]), Decision::Errno(expected), "{number} in {class:?}");
            }
        }
    }

    #[test]
    fn only_the_holder_of_the_pass_executes() {
        let pass = 0x0123_4567_89ab_cdef;
        let code = only_with_pass(pass).0;
        let decide = |number, sixth| program::decide(&code, call_number(number), [0, 0, 0, 0, 0, sixth]);
        let refused = Decision::Errno(libc::EPERM as u16);
        assert_eq!(decide(libc::SYS_execveat, pass), ALLOWED);
        for other in [0, pass ^ 1, pass ^ (1 << 63), pass << 32, pass >> 32, u64::MAX] {
            assert_eq!(decide(libc::SYS_execveat, other), refused, "{other:x}");
        }
        assert_eq!(decide(libc::SYS_execve, pass), refused);
        for other in [libc::SYS_read, libc::SYS_execve - 1, libc::SYS_execve + 1, libc::SYS_execveat + 1] {
            assert_eq!(decide(other, 0), ALLOWED);
        }
    }

    #[test]
    fn clone3_returns_enosys() {
        // Its flags are in memory, which a filter cannot read; the C library falls back to clone.
        assert_eq!(
            decide(SeccompClass::Runtime, libc::SYS_clone3, [0; 6]),
            Decision::Errno(libc::ENOSYS as u16)
        );
    }

    #[test]
    fn clone_makes_no_namespace() {
        let thread = (libc::CLONE_VM | libc::CLONE_THREAD | libc::CLONE_SIGHAND) as u64;
        assert_eq!(decide(SeccompClass::Native, libc::SYS_clone, [thread, 0, 0, 0, 0, 0]), ALLOWED);
        for flag in [libc::CLONE_NEWUSER, libc::CLONE_NEWNS, libc::CLONE_NEWPID, libc::CLONE_NEWNET] {
            let arguments = [flag as u32 as u64, 0, 0, 0, 0, 0];
            assert_ne!(decide(SeccompClass::Native, libc::SYS_clone, arguments), ALLOWED);
        }
    }

    #[test]
    fn a_call_that_ignores_signals_is_short() {
        let refused = Decision::Errno(libc::ENOMEM as u16);
        for (length, expected) in
            [(4096, ALLOWED), (u64::from(u32::MAX), ALLOWED), (1 << 32, refused), (64 << 40, refused)]
        {
            for class in [SeccompClass::Native, SeccompClass::Runtime, SeccompClass::Compiler] {
                assert_eq!(decide(class, libc::SYS_mincore, [0, length, 0, 0, 0, 0]), expected, "{length}");
            }
        }
    }

    #[test]
    fn only_unix_sockets() {
        let socket =
            |domain: i32| decide(SeccompClass::Runtime, libc::SYS_socket, [domain as u64, 1, 0, 0, 0, 0]);
        assert_eq!(socket(libc::AF_UNIX), ALLOWED);
        for domain in [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_PACKET, libc::AF_VSOCK] {
            assert_eq!(socket(domain), Decision::Errno(libc::EAFNOSUPPORT as u16));
        }
    }

    #[test]
    fn terminal_input_injection_is_refused() {
        let ioctl = |request: u64| decide(SeccompClass::Native, libc::SYS_ioctl, [0, request, 0, 0, 0, 0]);
        assert_eq!(ioctl(libc::TIOCGWINSZ), ALLOWED);
        assert_ne!(ioctl(libc::TIOCSTI), ALLOWED);
        // The kernel uses only 32 bits of the request, so a filter must ignore the rest.
        assert_ne!(ioctl(libc::TIOCSTI | 1 << 40), ALLOWED);
    }

    #[test]
    fn uncounted_resources_are_refused() {
        let huge = libc::MAP_HUGETLB as u64;
        let two_mib = 21_u64 << libc::MAP_HUGE_SHIFT;
        let locks = [libc::F_SETLK, libc::F_SETLKW, libc::F_OFD_SETLK, libc::F_OFD_SETLKW];
        for class in [SeccompClass::Native, SeccompClass::Runtime, SeccompClass::Compiler] {
            for flags in [huge, huge | two_mib, huge | 1 << 40] {
                let refused = Decision::Errno(libc::ENOMEM as u16);
                assert_eq!(decide(class, libc::SYS_mmap, [0, 0, 0, flags, 0, 0]), refused);
            }
            assert_eq!(decide(class, libc::SYS_mmap, [0, 0, 3, libc::MAP_PRIVATE as u64, 0, 0]), ALLOWED);
            for (number, at, flag) in [
                (libc::SYS_shmget, 2, libc::SHM_HUGETLB as u64),
                (libc::SYS_memfd_create, 1, u64::from(libc::MFD_HUGETLB)),
            ] {
                let mut arguments = [0; 6];
                assert_eq!(decide(class, number, arguments), ALLOWED);
                arguments[at] = flag;
                assert_eq!(decide(class, number, arguments), Decision::Errno(libc::ENOMEM as u16));
            }
            let no_locks = Decision::Errno(libc::ENOLCK as u16);
            for lock in locks {
                assert_eq!(decide(class, libc::SYS_fcntl, [0, lock as u64, 0, 0, 0, 0]), no_locks);
            }
            let whole = if class == SeccompClass::Compiler { Decision::Errno(0) } else { no_locks };
            assert_eq!(decide(class, libc::SYS_flock, [0; 6]), whole);
            assert_eq!(decide(class, libc::SYS_fcntl, [0, libc::F_GETFL as u64, 0, 0, 0, 0]), ALLOWED);
        }
    }

    #[test]
    fn calls_that_reveal_earlier_runs_are_refused() {
        // Numbers from linux/nsfs.h and linux/pidfd.h, with and without the size of an answer.
        // The last two read what of a file was looked up and what of it is in memory.
        let ioctls: [u64; 8] = [
            0xb701,
            0x8008_b705,
            0x8008_b70d,
            0xc040_ff0b,
            0x8004_5878,
            1 << 40 | 0xb703,
            0xc020_662a,
            0xc060_6610,
        ];
        let (nowait, dontcache, unknown) = (0x8, 0x80, 0x8000_0000);
        for class in [SeccompClass::Native, SeccompClass::Runtime, SeccompClass::Compiler] {
            let decide = |number, arguments| decide(class, number, arguments);
            for number in [
                libc::SYS_openat2,
                libc::SYS_statx,
                libc::SYS_statfs,
                libc::SYS_fstatfs,
                libc::SYS_pidfd_open,
            ] {
                assert_eq!(decide(number, [0; 6]), Decision::Errno(libc::ENOSYS as u16), "{number}");
            }
            for number in [libc::SYS_preadv2, libc::SYS_pwritev2] {
                for flags in [nowait, dontcache, unknown, nowait | libc::RWF_DSYNC as u64] {
                    let refused = Decision::Errno(libc::EOPNOTSUPP as u16);
                    assert_eq!(decide(number, [0, 0, 0, 0, 0, flags]), refused, "{flags:#x}");
                }
                // The kernel uses 32 bits of the flags.
                assert_eq!(decide(number, [0, 0, 0, 0, 0, 1 << 40]), ALLOWED);
                assert_eq!(decide(number, [0, 0, 0, 0, 0, libc::RWF_APPEND as u64]), ALLOWED);
            }
            for request in ioctls {
                let refused = Decision::Errno(libc::ENOTTY as u16);
                assert_eq!(decide(libc::SYS_ioctl, [0, request, 0, 0, 0, 0]), refused, "{request:#x}");
            }
            assert_eq!(decide(libc::SYS_ioctl, [0, libc::FIONREAD, 0, 0, 0, 0]), ALLOWED);
            let invalid = Decision::Errno(libc::EINVAL as u16);
            for advice in [libc::MADV_COLD, libc::MADV_PAGEOUT, libc::MADV_COLLAPSE, libc::MADV_MERGEABLE] {
                assert_eq!(decide(libc::SYS_madvise, [0, 4096, advice as u64, 0, 0, 0]), invalid, "{advice}");
            }
            for advice in [libc::MADV_DONTNEED, libc::MADV_FREE, libc::MADV_HUGEPAGE] {
                assert_eq!(decide(libc::SYS_madvise, [0, 4096, advice as u64, 0, 0, 0]), ALLOWED, "{advice}");
            }
            for hint in 1035..=1038 {
                assert_eq!(decide(libc::SYS_fcntl, [0, hint, 0, 0, 0, 0]), invalid, "{hint}");
            }
            let cookie = [0, libc::SOL_SOCKET as u64, libc::SO_COOKIE as u64, 0, 0, 0];
            assert_eq!(decide(libc::SYS_getsockopt, cookie), Decision::Errno(libc::ENOPROTOOPT as u16));
            let kind = [0, libc::SOL_SOCKET as u64, libc::SO_TYPE as u64, 0, 0, 0];
            assert_eq!(decide(libc::SYS_getsockopt, kind), ALLOWED);
            let handle = [(libc::CLONE_PIDFD | libc::SIGCHLD) as u64, 0, 0, 0, 0, 0];
            assert_eq!(decide(libc::SYS_clone, handle), Decision::Errno(libc::EPERM as u16));
            assert_eq!(decide(libc::SYS_setsid, [0; 6]), Decision::Errno(libc::EPERM as u16));
        }
    }

    #[test]
    fn a_filter_stays_small() {
        let length = Filter::of(SeccompClass::Compiler).0.len();
        assert!(length < 400, "{length} instructions");
    }
}
