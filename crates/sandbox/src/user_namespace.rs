//! The user namespace that a role's programs join.

#![allow(unsafe_code)]

use crate::process::kill;
use crate::sys::{self, Cloned, check};
use rustix::fd::{AsRawFd, OwnedFd};
use std::fs;
use std::io;

/// The user and group that every program sees itself as.
pub(crate) const INSIDE_USER: u32 = 1000;

/// Makes a user namespace in which user 1000 is the host's `user`, and nobody else exists.
///
/// It is made once and joined by every run: mapping users needs a round trip between two processes.
pub fn make(user: u32) -> io::Result<OwnedFd> {
    let (pid, pidfd) = match sys::clone(libc::CLONE_NEWUSER, None)? {
        Cloned::Child => {
            // Holds the namespace until the parent has it; dies with the parent. The parent may have
            // threads, so nothing is called here but system calls.
            // SAFETY: plain values only.
            unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
            loop {
                // SAFETY: waits for a signal; touches nothing.
                unsafe { libc::pause() };
            }
        }
        Cloned::Parent { pid, pidfd } => (pid, pidfd),
    };
    let result =
        map_users(pid, user).and_then(|()| Ok(fs::File::open(format!("/proc/{pid}/ns/user"))?.into()));
    kill(&pidfd)?;
    // SAFETY: waits for our own child, whose status does not matter.
    check(unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) })?;
    result
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
