//! The user namespace that a role's programs join.

#![allow(unsafe_code)]

use crate::sys::{self, check};
use rustix::fd::{AsRawFd, FromRawFd, OwnedFd};
use rustix::fs::OFlags;
use std::io::{self, Read, Write};

/// Stack for the few frames of a process that only waits.
const HOLDER_STACK_BYTES: usize = 16 << 10;
/// The stack alignment that the calling conventions of all architectures require.
const STACK_ALIGNMENT: usize = 16;

/// The user and group that every program has inside.
pub(crate) const INSIDE_USER: u32 = 1000;

/// Makes a user namespace in which user 1000 is the host's `user`, and no other user exists.
///
/// It is made once and every run joins it: mapping users needs a round trip between two processes. This process may be
/// in a PID namespace of its own, and have no `/proc` but the host's.
pub fn make(host_proc: &OwnedFd, user: u32) -> io::Result<OwnedFd> {
    let holder = Holder::start()?;
    let pid = holder.pid_in(host_proc)?;
    map_users(host_proc, pid, user)?;
    Ok(sys::open_at(host_proc, &format!("{pid}/ns/user"), OFlags::RDONLY)?.into())
}

/// A process that does nothing but hold a new user namespace, until this is dropped.
///
/// It shares memory and descriptors with this process, so that nothing is copied for it or freed after it.
struct Holder {
    pid: i32,
    pidfd: OwnedFd,
    _stack: Vec<u8>,
}

impl Holder {
    fn start() -> io::Result<Self> {
        let mut stack = vec![0; HOLDER_STACK_BYTES];
        let flags =
            libc::CLONE_NEWUSER | libc::CLONE_VM | libc::CLONE_FILES | libc::CLONE_PIDFD | libc::SIGCHLD;
        let mut pidfd: i32 = -1;
        // Signal handlers must not run there, on this process's memory: signals blocked here stay blocked in the child.
        // SAFETY: all sets are valid and live through the calls. The child runs on a stack of its own,
        // which lives until the child is dead, and touches nothing else.
        let pid = unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
            let top = stack.as_mut_ptr().add(HOLDER_STACK_BYTES - STACK_ALIGNMENT);
            let top = top.wrapping_sub(top as usize % STACK_ALIGNMENT);
            let parent = std::ptr::without_provenance_mut(libc::getpid() as usize);
            let pid = check(libc::clone(hold, top.cast(), flags, parent, &raw mut pidfd));
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
            pid?
        };
        // SAFETY: the kernel has just made this descriptor for this process.
        let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
        Ok(Self { pid: pid as i32, pidfd, _stack: stack })
    }

    /// Returns its number in the PID namespace of this `/proc`.
    fn pid_in(&self, proc: &OwnedFd) -> io::Result<i32> {
        let mut text = String::new();
        let path = format!("self/fdinfo/{}", self.pidfd.as_raw_fd());
        sys::open_at(proc, &path, OFlags::RDONLY)?.read_to_string(&mut text)?;
        let pid = text.lines().find_map(|line| line.strip_prefix("Pid:")?.trim().parse().ok());
        pid.filter(|pid| *pid > 0).ok_or_else(|| io::Error::from_raw_os_error(libc::ESRCH))
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        // SAFETY: the PID is that of an unreaped child of this process.
        unsafe {
            libc::kill(self.pid, libc::SIGKILL);
            // The stack is freed only after its death.
            while libc::waitpid(self.pid, std::ptr::null_mut(), 0) == -1
                && io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
            {}
        }
    }
}

extern "C" fn hold(parent: *mut libc::c_void) -> libc::c_int {
    // SAFETY: plain values only. The process dies with the thread that made it, also if that died before this call.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() as usize != parent.addr() {
            libc::_exit(1);
        }
    }
    loop {
        // SAFETY: waits for a signal, of which only SIGKILL can come; touches nothing.
        unsafe { libc::pause() };
    }
}

fn map_users(proc: &OwnedFd, pid: i32, user: u32) -> io::Result<()> {
    let write = |name, text: &str| {
        sys::open_at(proc, &format!("{pid}/{name}"), OFlags::WRONLY)?.write_all(text.as_bytes())
    };
    let map = format!("{INSIDE_USER} {user} 1");
    // user_namespaces(7): without this, groups could be dropped to gain rights.
    write("setgroups", "deny")?;
    write("uid_map", &map)?;
    write("gid_map", &map)
}

/// Joins the user namespace behind `namespace`.
pub fn join(namespace: &OwnedFd) -> io::Result<()> {
    // SAFETY: plain values only; the calling process has one thread.
    check(unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWUSER) })?;
    Ok(())
}
