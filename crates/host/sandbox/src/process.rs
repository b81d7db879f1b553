//! tauto's helper processes, from the supervisor's side: launchers and guards.

#![allow(unsafe_code)]

use crate::launcher::SOCKET_DESCRIPTOR;
use crate::{SandboxError, protocol, sys};
use model::Nanos;
use rustix::fd::{AsRawFd, BorrowedFd, OwnedFd};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

#[derive(Debug)]
pub struct HelperProcess {
    pid: i32,
    /// The connection to it; it ends when this is closed.
    pub(crate) socket: OwnedFd,
}

impl HelperProcess {
    /// Starts this binary again as the helper that the first argument selects.
    pub fn start(argument: &str) -> Result<Self, SandboxError> {
        let (socket, theirs) = sockets()?;
        Ok(Self { pid: execute(argument, &theirs)?, socket })
    }

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

    pub(crate) fn end(&mut self) {
        // It ends when its socket is closed; if no other socket can be made, it ends with this process.
        if let Ok((unused, _)) = sockets() {
            drop(std::mem::replace(&mut self.socket, unused));
            // If this fails, it has already ended.
            let _ = self.wait();
        }
    }

    /// Kills it and does not wait: it may be waiting for a run that cannot be ended.
    pub(crate) fn abandon(&self) {
        if let Some(pid) = rustix::process::Pid::from_raw(self.pid) {
            // An unreaped child keeps its PID, so this kills no other process; it may already be dead.
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }

    /// Returns whether it has ended; it stays to be waited for.
    pub(crate) fn has_ended(&self) -> bool {
        // SAFETY: zeroes are a valid value, and the structure lives through the call.
        unsafe {
            let mut seen: libc::siginfo_t = std::mem::zeroed();
            let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            libc::waitid(libc::P_PID, self.pid.unsigned_abs(), &raw mut seen, options) == 0
                && seen.si_pid() == self.pid
        }
    }

    /// Waits until it has ended; also returns the CPU time that it used in all.
    pub(crate) fn wait_and_measure(&self) -> std::io::Result<(ExitStatus, Nanos)> {
        let mut status = 0;
        // SAFETY: waits for a child of this process, and stores its status and use on this stack.
        let used = unsafe {
            let mut used: libc::rusage = std::mem::zeroed();
            sys::check(libc::wait4(self.pid, &raw mut status, 0, &raw mut used))?;
            used
        };
        let time =
            |time: libc::timeval| Nanos(time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000);
        Ok((ExitStatus::from_raw(status), time(used.ru_utime) + time(used.ru_stime)))
    }

    pub(crate) fn wait(&self) -> std::io::Result<ExitStatus> {
        let mut status = 0;
        // SAFETY: waits for a child of this process and stores its status on this stack.
        sys::check(unsafe { libc::waitpid(self.pid, &raw mut status, 0) })?;
        Ok(ExitStatus::from_raw(status))
    }
}

fn execute(argument: &str, theirs: &OwnedFd) -> Result<i32, SandboxError> {
    // This very binary, even if the file was replaced since. A new process image keeps clones cheap, since their cost
    // grows with the memory of the cloning process.
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

/// Kills a process; a dead one is no error.
pub(crate) fn kill(pidfd: &OwnedFd) -> std::io::Result<()> {
    match rustix::process::pidfd_send_signal(pidfd, rustix::process::Signal::KILL) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
