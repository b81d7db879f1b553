//! Our own helpers as processes, from the supervisor's side: a launcher or a guard.

#![allow(unsafe_code)]

use crate::launcher::SOCKET_DESCRIPTOR;
use crate::{SandboxError, protocol, sys};
use rustix::fd::{AsRawFd, BorrowedFd, OwnedFd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

/// A helper that was started, and our end of its socket.
#[derive(Debug)]
pub struct HelperProcess {
    pid: i32,
    /// Speaks to it; it ends when this is closed.
    pub(crate) socket: OwnedFd,
}

impl HelperProcess {
    /// Starts a fresh image of this binary that its first argument makes one of our helpers.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(argument: &str) -> Result<Self, SandboxError> {
        let (socket, theirs) = sockets()?;
        Ok(Self { pid: execute(argument, &theirs)?, socket })
    }

    /// Returns its number as a process.
    pub(crate) fn id(&self) -> u32 {
        self.pid.unsigned_abs()
    }

    pub(crate) fn send<M: serde::Serialize>(
        &self,
        message: &M,
        fds: &[BorrowedFd<'_>],
    ) -> Result<(), SandboxError> {
        protocol::send(&self.socket, message, fds).map_err(SandboxError::system("send to a helper"))
    }

    /// Ends it, and with it whatever still runs.
    pub(crate) fn end(&mut self) {
        // It ends when its socket does; without another socket to put there, it ends with us.
        if let Ok((unused, _)) = sockets() {
            drop(std::mem::replace(&mut self.socket, unused));
            // It has ended already if this fails.
            let _ = self.wait();
        }
    }

    /// Kills it and goes on without it: it may wait for a run that cannot be ended.
    pub(crate) fn abandon(&self) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.pid) {
            // It is our own child that nobody has waited for, so the number is its own; gone already is as wanted.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }

    /// Waits until it has ended.
    pub(crate) fn wait(&self) -> std::io::Result<ExitStatus> {
        let mut status = 0;
        // SAFETY: waits for our own child and stores its status on this stack.
        sys::check(unsafe { libc::waitpid(self.pid, &raw mut status, 0) })?;
        Ok(ExitStatus::from_raw(status))
    }
}

fn execute(argument: &str, theirs: &OwnedFd) -> Result<i32, SandboxError> {
    // This very binary, even when the file was replaced since; a fresh image keeps clones cheap,
    // since their cost grows with the memory of the process that makes them.
    let path = Path::new("/proc/self/exe");
    let mut command = Command::new(path);
    command.arg(argument).env_clear().current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
    let number = theirs.as_raw_fd();
    // SAFETY: between fork and exec only dup2 and fcntl are called, which are async-signal-safe.
    unsafe { command.pre_exec(move || put_in_place(number)) };
    let helper =
        command.spawn().map_err(|source| SandboxError::StartHelper { path: path.to_owned(), source })?;
    Ok(helper.id() as i32)
}

pub(crate) fn put_in_place(number: i32) -> std::io::Result<()> {
    // SAFETY: plain descriptor numbers. dup2 to itself would leave the close-on-exec flag.
    unsafe {
        if number == SOCKET_DESCRIPTOR {
            sys::check(libc::fcntl(number, libc::F_SETFD, 0))?;
        } else {
            sys::check(libc::dup2(number, SOCKET_DESCRIPTOR))?;
        }
    }
    Ok(())
}

pub(crate) fn sockets() -> Result<(OwnedFd, OwnedFd), SandboxError> {
    socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
        .map_err(SandboxError::system("make a socket for the launcher"))
}

/// Kills a process; one that is dead already is as wanted.
pub(crate) fn kill(pidfd: &OwnedFd) -> std::io::Result<()> {
    match rustix::process::pidfd_send_signal(pidfd, rustix::process::Signal::KILL) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
