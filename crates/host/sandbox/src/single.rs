//! A place for a single run: the process that starts it is also its init.
//!
//! A [`crate::Slot`] keeps a launcher, so that each of many runs costs little. A single run needs none: the first clone
//! of this process is the run's init, which builds the container itself and whose end removes it. That saves a process,
//! a mount namespace, and two exchanges of messages.

#![allow(unsafe_code)]

use crate::affinity::Affinity;
use crate::building::is_closed;
use crate::child::{self, Prepared, Report};
use crate::emulated;
use crate::handover;
use crate::launcher::{SOCKET_DESCRIPTOR, StepResult, at};
use crate::own_limits::OwnLimits;
use crate::plan::{Role, RunPlan};
use crate::process::{kill, put_in_place, sockets};
use crate::protocol::{self, RunRequest, Step};
use crate::seccomp::Filters;
use crate::slot::{SlotOptions, group_limits, step_failed};
use crate::slot_number::{self, SlotNumber};
use crate::streams::RunIo;
use crate::supervise::{Ran, Supervision};
use crate::sys::{self, Cloned, SharedPage, check};
use crate::watchdog::Urgency;
use crate::{SandboxError, container, request};
use cgroup::{Clock, SlotGroups};
use model::Bytes;
use rustix::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::io;
use std::mem::ManuallyDrop;

/// The run's init is in the version 1 groups too.
const RESIDENTS: u32 = 1;

#[derive(Debug)]
pub struct InitProcess {
    pid: i32,
    pidfd: OwnedFd,
    socket: OwnedFd,
    report: SharedPage<Report>,
    reaped: bool,
    /// It cannot be ended, so it is not waited for.
    abandoned: bool,
}

impl InitProcess {
    /// Starts it as a copy of this process. It begins to build what every run needs.
    ///
    /// # Errors
    /// When it cannot be started, or this process has more than one thread.
    pub fn start() -> Result<Self, SandboxError> {
        let failed = SandboxError::system::<io::Error>;
        sys::check_single_thread().map_err(failed("copy a process with threads"))?;
        let report = SharedPage::<Report>::new().map_err(failed("share memory with the run's init"))?;
        let (socket, theirs) = sockets()?;
        let cpus = Affinity::read().map_err(failed("read our CPUs"))?;
        let others = cpus.idle_others();
        match sys::clone(libc::CLONE_NEWPID, None).map_err(failed("clone the run's init"))? {
            Cloned::Parent { pid, pidfd } => {
                // Both work at the same time: the kernel often leaves a copy on the CPU of its original for milliseconds. Once
                // it is on another, it may be on all again. If this fails, it only takes longer.
                if let Some(others) = &others {
                    let _ = others.set_for(pid).and_then(|()| cpus.set_for(pid));
                }
                Ok(Self { pid, pidfd, socket, report, reaped: false, abandoned: false })
            }
            Cloned::Child => {
                if let Err(failure) = be_init(&theirs, &report) {
                    report.fail(&failure);
                }
                // SAFETY: leaves at once; exit handlers and destructors belong to the supervisor.
                unsafe { libc::_exit(1) }
            }
        }
    }

    fn wait(&mut self) -> io::Result<()> {
        if !self.reaped {
            // SAFETY: waits for a child of this process, whose status does not matter.
            check(unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), 0) })?;
            self.reaped = true;
        }
        Ok(())
    }

    /// If a message could not be sent because the init has ended, its report has the cause.
    fn explain(&mut self, sent: Result<(), SandboxError>) -> Result<(), SandboxError> {
        match sent {
            Err(SandboxError::System { source, .. }) if is_closed(&source) => {
                // It ends by itself, after it has reported why.
                self.wait().map_err(SandboxError::system("wait for the run's init"))?;
                Err(match self.report.failure() {
                    Some((step, errno)) => step_failed(step, errno, ""),
                    None => {
                        SandboxError::LauncherDied("the run's init was killed by another process".to_owned())
                    }
                })
            }
            sent => sent,
        }
    }

    fn end(&mut self) {
        if !self.reaped && !self.abandoned {
            // If this fails, it has already ended.
            let _ = kill(&self.pidfd).and_then(|()| self.wait());
        }
    }
}

impl Drop for InitProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// Works as the run's init from the beginning; returns only if it fails or the supervisor is gone.
fn be_init(socket: &OwnedFd, report: &Report) -> StepResult<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(at(Step::Clone))?;
    put_in_place(socket.as_raw_fd()).map_err(at(Step::Descriptors))?;
    // SAFETY: closes what belongs to the supervisor; nothing of the copy is used from here on.
    check(unsafe { libc::syscall(libc::SYS_close_range, SOCKET_DESCRIPTOR + 1, u32::MAX, 0) })
        .map_err(at(Step::Descriptors))?;
    // SAFETY: the socket was put at this number just now. It closes when this process ends, which is after the report of a
    // failure.
    let socket = ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(SOCKET_DESCRIPTOR) });
    let socket: &OwnedFd = &socket;
    let mut buffer = Vec::new();
    let filters = Filters::default();
    let Some(built) = container::build(socket, &mut buffer)? else { return Ok(()) };
    // While the supervisor makes the groups.
    report.numbers.move_on().map_err(at(Step::Descriptors))?;
    let Some((mut container, groups)) = container::furnish(socket, &mut buffer, built)? else {
        return Ok(());
    };
    let request = protocol::receive::<RunRequest>(socket, &mut buffer).map_err(at(Step::Request))?;
    let Some((request, fds)) = request else { return Ok(()) };
    let prepared = Prepared::new(&request, fds, &filters).map_err(at(Step::Request))?;
    container.numbers_moved = true;
    container.prepare(&request)?;
    // Last, so that the groups count little besides the run.
    container::enter(groups)?;
    child::init(&container, report, &prepared)
}

/// A place for one run: a lock, control groups, a user and an init.
#[derive(Debug)]
pub struct SingleRun {
    init: InitProcess,
    groups: SlotGroups,
    place: SlotNumber,
    options: SlotOptions,
}

impl SingleRun {
    /// Takes a place. An `init` that was started before has already built a part of the container.
    pub fn open(options: SlotOptions, init: Option<InitProcess>) -> Result<Self, SandboxError> {
        slot_number::prepare()?;
        let mut init = match init {
            Some(init) => init,
            None => InitProcess::start()?,
        };
        // The init builds its container, and makes ready for its users, while its groups are made.
        let sent = handover::send_root(&init.socket, &options.root);
        init.explain(sent)?;
        let (place, groups) = SlotNumber::take(|place| {
            // If this cannot be sent, neither can the run, and that explains why.
            let _ = handover::send_users(&init.socket, place, &options.roles);
            place.groups(RESIDENTS, &options.cpus)
        })?;
        Ok(Self { init, groups, place, options })
    }

    pub fn user(&self, role: Role) -> u32 {
        self.place.user(role)
    }

    /// Returns the host's PID of the run's init, the ancestor of all its processes.
    pub fn init(&self) -> u32 {
        self.init.pid.unsigned_abs()
    }

    /// Runs a program to its end.
    ///
    /// # Errors
    /// On an internal failure. A program that crashes or exceeds a limit is a result.
    pub fn run(mut self, plan: &RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        let (io, theirs) = io.open()?;
        self.groups.begin(&group_limits(plan), Bytes(0))?;
        let into_cgroup = self.groups.clone_target();
        let clock_events = self.groups.clock().map_or(0, |clock| clock.descriptors().len());
        let (request, mounts) = request::make(plan, clock_events, into_cgroup.is_some(), &OwnLimits::read())?;
        let counts = plan.emulator().map(|_| emulated::counts()).transpose()?;
        let mut fds: Vec<_> = theirs.iter().map(AsFd::as_fd).collect();
        fds.extend(emulated::descriptors(counts.as_ref())?);
        fds.extend(self.groups.clock().into_iter().flat_map(Clock::descriptors));
        fds.extend(into_cgroup);
        fds.extend(mounts.iter().map(AsFd::as_fd));
        let urgency = Urgency::begin();
        let socket = &self.init.socket;
        let sent = handover::send_belongings(socket, &self.groups, std::iter::empty()).and_then(|()| {
            protocol::send(socket, &request, &fds).map_err(SandboxError::system("send the run to its init"))
        });
        drop(fds);
        drop((theirs, mounts));
        self.init.explain(sent)?;
        let init = self.init.pidfd.try_clone();
        let init = init.map_err(SandboxError::system("copy the handle of the run's init"))?;
        let stop = self.options.stop.clone();
        let mut supervision = Supervision::new(&self.groups, plan, io, init, stop, &self.init.report);
        supervision.counted_by(counts.as_ref());
        let watched = supervision.watch(&self.init.pidfd, urgency);
        if matches!(watched, Err(SandboxError::NotEnded { .. })) {
            self.init.abandoned = true;
        }
        watched?;
        let io = supervision.into_io();
        self.init.wait().map_err(SandboxError::system("wait for the run's init"))?;
        if let Some((step, errno)) = self.init.report.failure() {
            return Err(step_failed(step, errno, plan.argv.first().map_or("", String::as_str)));
        }
        let used = self.groups.finish()?;
        io.conclude(plan, &self.init.report.ended(), &used, counts.as_ref(), None, model::Nanos::ZERO)
    }
}

impl Drop for SingleRun {
    fn drop(&mut self) {
        if self.init.abandoned {
            self.groups.release_cpus();
            return;
        }
        self.init.end();
        // What cannot be removed now is removed the next time the slot is opened.
        let _ = self.groups.remove();
    }
}
