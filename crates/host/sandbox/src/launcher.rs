//! The launcher: one small process with one thread per slot.
//!
//! It builds the slot's container once, then starts runs in it. It makes no decisions: limits are up to the supervisor.
//! When the supervisor ends, so do the launcher and its run.

#![allow(unsafe_code)]

mod step;
use crate::child::{self, Container, Report};
use crate::guard::{self, GUARD_ARGUMENT};
use crate::process::kill;
use crate::protocol::{self, Answer, EndReport, Request, RunRequest, Step};
use crate::seccomp::Filters;
use crate::sys::{self, Cloned, SharedPage, check};
use crate::{container, errand};
use rustix::event::{PollFd, PollFlags};
use rustix::fd::{AsFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::thread::CapabilitySet;
use std::io;
pub use step::SOCKET_DESCRIPTOR;
pub(crate) use step::{StepResult, at, c_strings};

/// The first argument that makes a binary a launcher.
pub const LAUNCHER_ARGUMENT: &str = "__launcher";
/// If this process was started as a launcher or a guard, works as that and never returns.
///
/// Every binary that opens a [`crate::Slot`] calls this first in `main`.
pub fn become_launcher_if_asked() {
    // This fails for no signal that exists.
    let _ = sys::accept_signals();
    match std::env::args_os().nth(1) {
        Some(argument) if argument == LAUNCHER_ARGUMENT => continue_at_the_end_of_the_parent(),
        Some(argument) if argument == GUARD_ARGUMENT => {
            continue_at_the_end_of_the_parent();
            std::process::exit(guard::serve_to_the_end());
        }
        _ => return,
    }
    // SAFETY: the supervisor put its socket at this number; if a user typed the argument by hand, the first read from
    // it fails and the process ends.
    let socket = unsafe { OwnedFd::from_raw_fd(SOCKET_DESCRIPTOR) };
    std::process::exit(serve_to_the_end(&socket));
}

/// Lets this process continue if it is stopped when the supervisor is killed: then it ends its run before itself, so that it
/// holds its claims until then. The kernel also sends this when just the thread that started this process has ended, and
/// it has no effect on a process that is not stopped.
fn continue_at_the_end_of_the_parent() {
    // This fails for no signal that exists.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::CONT));
}

/// Serves the supervisor; returns the exit code.
pub(crate) fn serve_to_the_end(socket: &OwnedFd) -> i32 {
    match serve(socket) {
        Ok(()) => 0,
        Err((step, error)) => {
            let errno = error.raw_os_error().unwrap_or(libc::EIO);
            // If this cannot be sent, the supervisor is gone.
            let _ = protocol::send(socket, &Answer::Failed { step, errno }, &[]);
            1
        }
    }
}

fn serve(socket: &OwnedFd) -> StepResult<()> {
    rustix::io::fcntl_setfd(socket, rustix::io::FdFlags::CLOEXEC).map_err(at(Step::Request))?;
    let mut buffer = Vec::new();
    let (report, file) = SharedPage::<Report>::with_file().map_err(at(Step::Root))?;
    let page = SharedPage::<errand::Times>::new().map_err(at(Step::Root))?;
    let filters = Filters::default();
    let Some(built) = container::build(socket, &mut buffer)? else { return Ok(()) };
    sys::keep_capabilities(KEPT).map_err(at(Step::Capabilities))?;
    let Some((mut container, groups)) = container::furnish(socket, &mut buffer, built)? else {
        return Ok(());
    };
    container::enter(groups)?;
    protocol::send(socket, &Answer::Ready, &[file.as_fd()]).map_err(at(Step::Request))?;
    drop(file);
    while let Some((request, fds)) =
        protocol::receive::<Request>(socket, &mut buffer).map_err(at(Step::Request))?
    {
        let answer = match &request {
            Request::Run(request) => container
                .prepare(request)
                .and_then(|()| run(socket, &container, &report, &filters, request, fds))
                .map(|ended| ended.map(Answer::Ended)),
            Request::Errand { errand, cpus, into_cgroup } => {
                let group = fds.first().filter(|_| *into_cgroup).map(AsFd::as_fd);
                errand::run(&page, *errand, cpus, group).map(|times_ns| Some(Answer::Done { times_ns }))
            }
        };
        match answer {
            Ok(Some(answer)) => protocol::send(socket, &answer, &[]),
            // The supervisor ended in the middle of a run.
            Ok(None) => return Ok(()),
            Err((step, error)) => {
                let errno = error.raw_os_error().unwrap_or(libc::EIO);
                protocol::send(socket, &Answer::Failed { step, errno }, &[])
            }
        }
        .map_err(at(Step::Request))?;
    }
    Ok(())
}

/// Runs one program to its end; `None` if the supervisor is gone.
fn run(
    socket: &OwnedFd,
    container: &Container,
    report: &SharedPage<Report>,
    filters: &Filters,
    request: &RunRequest,
    fds: Vec<OwnedFd>,
) -> StepResult<Option<EndReport>> {
    report.clear();
    let prepared = child::Prepared::new(request, fds, filters).map_err(at(Step::Request))?;
    let namespaces = libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC;
    let (init, pidfd) = match sys::clone(namespaces, None).map_err(at(Step::Clone))? {
        Cloned::Child => child::init(container, report, &prepared),
        Cloned::Parent { pid, pidfd } => (pid, pidfd),
    };
    // The launcher's copies of the program's descriptors would keep its pipes open.
    drop(prepared);
    protocol::send(socket, &Answer::Started, &[pidfd.as_fd()]).map_err(at(Step::Request))?;
    let supervisor_gone = wait_for_init(socket, pidfd.as_fd()).map_err(at(Step::Wait))?;
    if supervisor_gone {
        kill(&pidfd).map_err(at(Step::Wait))?;
    }
    let mut status = 0;
    // SAFETY: waits for a child of this process and stores its status on this stack.
    check(unsafe { libc::waitpid(init, &raw mut status, 0) }).map_err(at(Step::Wait))?;
    if supervisor_gone {
        return Ok(None);
    }
    if let Some((step, errno)) = report.failure() {
        return Err((step, io::Error::from_raw_os_error(errno)));
    }
    Ok(Some(report.ended()))
}

/// Waits until the init is dead or the supervisor has closed its end; returns whether it was the latter.
fn wait_for_init(socket: &OwnedFd, pidfd: BorrowedFd<'_>) -> io::Result<bool> {
    loop {
        // Asking for no event still reports a hang-up.
        let mut polled = [PollFd::new(&pidfd, PollFlags::IN), PollFd::new(socket, PollFlags::empty())];
        match rustix::event::poll(&mut polled, None) {
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
            Ok(_) => {}
        }
        if polled[0].revents().contains(PollFlags::IN) {
            return Ok(false);
        }
        if !polled[1].revents().is_empty() {
            return Ok(true);
        }
    }
}

/// What the launcher keeps for starting runs.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::SYS_ADMIN);
