//! The user namespace that a role's programs join.

#![allow(unsafe_code)]

use crate::sys::check;
use rustix::fd::{AsRawFd, OwnedFd};
use std::fs;
use std::io;

/// Stack for the few frames of a process that only waits.
const HOLDER_STACK_BYTES: usize = 16 << 10;
/// The stack alignment that the calling conventions of all architectures require.
const STACK_ALIGNMENT: usize = 16;

/// The user and group that every program has inside.
pub(crate) const INSIDE_USER: u32 = 1000;

/// Makes a user namespace in which user 1000 is the host's `user`, and no other user exists.
///
/// It is made once and every run joins it: mapping users needs a round trip between two processes.
pub fn make(user: u32) -> io::Result<OwnedFd> {
    let holder = Holder::start()?;
    map_users(holder.pid, user)?;
    Ok(fs::File::open(format!("/proc/{}/ns/user", holder.pid))?.into())
}

/// A process that does nothing but hold a new user namespace, until this is dropped.
///
/// It shares memory and descriptors with this process, so that nothing is copied for it or freed after it.
struct Holder {
    pid: i32,
    _stack: Vec<u8>,
}

impl Holder {
    fn start() -> io::Result<Self> {
        let mut stack = vec![0; HOLDER_STACK_BYTES];
        let flags = libc::CLONE_NEWUSER | libc::CLONE_VM | libc::CLONE_FILES | libc::SIGCHLD;
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
            let pid = check(libc::clone(hold, top.cast(), flags, std::ptr::null_mut()));
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
            pid?
        };
        Ok(Self { pid: pid as i32, _stack: stack })
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

extern "C" fn hold(_: *mut libc::c_void) -> libc::c_int {
    // SAFETY: plain values only. The process dies with the thread that made it.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
    loop {
        // SAFETY: waits for a signal, of which only SIGKILL can come; touches nothing.
        unsafe { libc::pause() };
    }
}

fn map_users(pid: i32, user: u32) -> io::Result<()> {
    // user_namespaces(7): without this, groups could be dropped to gain rights.
    fs::write(format!("/proc/{pid}/setgroups"), "deny")?;
    fs::write(format!("/proc/{pid}/uid_map"), format!("{INSIDE_USER} {user} 1"))?;
    fs::write(format!("/proc/{pid}/gid_map"), format!("{INSIDE_USER} {user} 1"))
}

/// Joins the user namespace behind `namespace`.
pub fn join(namespace: &OwnedFd) -> io::Result<()> {
    // SAFETY: plain values only; the calling process has one thread.
    check(unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWUSER) })?;
    Ok(())
}
