//! Watches one run: its limits, its output, its end.

use crate::child::Report;
use crate::ending::Ending;
use crate::guard::{Guard, Hold, Seen};
use crate::plan::RunPlan;
use crate::protocol::Ended;
use crate::streams::{OpenIo, Over};
use crate::{SandboxError, sys};
use cgroup::{GroupUse, SlotGroups};
use model::{Bytes, Evidence, Isolation, IsolationKind, LimitKind, Nanos, Reading, RunEnd, RunResult, Usage};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::sync::Arc;
use std::time::Instant;

/// The next look at a run is never sooner: a look costs some microseconds of somebody's CPU.
const LOOK_FLOOR: Nanos = Nanos::from_millis(1);
/// What is read of an output at once.
const CHUNK_BYTES: usize = 64 << 10;

/// One run, done.
#[derive(Debug)]
pub struct Ran {
    /// What it did.
    pub result: RunResult,
    /// What it wrote to standard output, where that was captured; at most the output limit.
    pub stdout: Vec<u8>,
    /// The first 64 KiB that it wrote to standard error, where that was captured.
    pub stderr: Vec<u8>,
    /// When it ended, on the machine's monotonic clock; tells which of two runs ended first.
    pub ended_at: Nanos,
    /// CPU time that a guard used on the run's CPU, which is not the run's.
    pub guard_cpu_time: Nanos,
}

/// A run that is under way.
pub(crate) struct Supervision<'a> {
    groups: &'a SlotGroups,
    plan: &'a RunPlan,
    io: OpenIo,
    init: OwnedFd,
    stop: Option<Arc<OwnedFd>>,
    started: Instant,
    /// Where the run tells when the program was executed; its wall time begins then.
    report: Option<&'a Report>,
    parallel: u64,
    guard: Option<&'a Guard>,
    /// For how long the guard may hold the run, on the clock.
    patience: Nanos,
    /// How far we are with ending the run, once something has to.
    ending: Option<Ending>,
}

/// Who has something to say.
struct Heard {
    launcher: bool,
    out_of_memory: bool,
    stop: bool,
    enough: bool,
}

impl<'a> Supervision<'a> {
    pub fn new(
        groups: &'a SlotGroups,
        plan: &'a RunPlan,
        mut io: OpenIo,
        init: OwnedFd,
        stop: Option<Arc<OwnedFd>>,
        report: Option<&'a Report>,
    ) -> Self {
        io.limit = plan.limits.output.map_or(io.limit, |limit| limit.0);
        let parallel = match &plan.cpus {
            Some(cpus) => cpus.len().max(1) as u64,
            None => std::thread::available_parallelism().map_or(1, |count| count.get() as u64),
        };
        let started = Instant::now();
        let (guard, patience, ending) = (None, Nanos::ZERO, None);
        Self { groups, plan, io, init, stop, started, report, parallel, guard, patience, ending }
    }

    /// Allows for a guard that may hold the run, and must let go of it when it is to end.
    pub fn guarded_by(&mut self, guard: &'a Guard, hold: Hold) {
        self.guard = Some(guard);
        self.patience = hold.patience;
    }

    pub fn into_io(self) -> OpenIo {
        self.io
    }

    /// Watches until the launcher has something to say, which it has when the run is over.
    pub fn watch(&mut self, launcher: &OwnedFd) -> Result<(), SandboxError> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut interrupted = false;
        loop {
            let next = match &mut self.ending {
                None => self.look()?,
                Some(ending) => Some(ending.go_on(self.groups, &self.init)?),
            };
            let timeout = next.map(|nanos| Timespec {
                tv_sec: (nanos.0 / 1_000_000_000) as i64,
                tv_nsec: (nanos.0 % 1_000_000_000) as i64,
            });
            let heard = self.wait(launcher, timeout.as_ref(), interrupted)?;
            if heard.stop {
                interrupted = true;
                self.end_run()?;
            }
            if heard.out_of_memory {
                self.io.killed_for = Some(LimitKind::Memory);
                self.end_run()?;
            }
            if heard.enough {
                self.io.end_when = None;
                self.end_run()?;
            }
            self.io.read(&mut chunk)?;
            if self.io.killed_for.is_none() && self.io.is_ended_by_output() {
                self.io.killed_for = Some(LimitKind::Output);
                self.end_run()?;
            }
            if heard.launcher {
                // All writers are dead, so what the pipes hold is all that there is. Their end must not
                // be waited for: it stays away as long as a socket that nobody can reach holds one.
                loop {
                    let before = self.io.written;
                    self.io.read(&mut chunk)?;
                    if self.io.written == before {
                        break;
                    }
                }
                return if interrupted { Err(SandboxError::Interrupted) } else { Ok(()) };
            }
        }
    }

    /// Ends the run if a limit is passed; returns the time until the next look is due.
    fn look(&mut self) -> Result<Option<Nanos>, SandboxError> {
        let mut next: Option<Nanos> = None;
        let mut due = |time: Nanos| next = Some(next.map_or(time, |earlier: Nanos| earlier.min(time)));
        if let Some(limit) = self.plan.limits.wall_time {
            let limit = limit + self.patience;
            let used = self.wall_time();
            if used >= limit {
                self.io.killed_for = Some(LimitKind::WallTime);
            }
            due((limit - used).max(LOOK_FLOOR));
        }
        if let Some(limit) = self.plan.limits.cpu_time {
            let used = self.groups.cpu_time()?;
            if used >= limit {
                self.io.killed_for = Some(LimitKind::CpuTime);
            }
            // With all its CPUs busy, the run reaches its limit no earlier than this.
            due(Nanos((limit - used).0 / self.parallel).max(LOOK_FLOOR));
        }
        if self.io.killed_for.is_some() {
            self.end_run()?;
            return Ok(Some(LOOK_FLOOR));
        }
        Ok(next)
    }

    fn wall_time(&self) -> Nanos {
        match self.report.map(Report::executed_at_ns) {
            None => Nanos::from(self.started.elapsed()),
            Some(None) => Nanos::ZERO,
            Some(Some(start)) => Nanos(sys::clock_ns(libc::CLOCK_MONOTONIC).saturating_sub(start)),
        }
    }

    fn wait(
        &self,
        launcher: &OwnedFd,
        timeout: Option<&Timespec>,
        interrupted: bool,
    ) -> Result<Heard, SandboxError> {
        let nothing = Heard { launcher: false, out_of_memory: false, stop: false, enough: false };
        let mut polled = vec![PollFd::new(launcher, PollFlags::IN)];
        let out_of_memory = self.groups.out_of_memory_event().filter(|_| self.io.killed_for.is_none());
        let stop = self.stop.as_ref().filter(|_| !interrupted);
        let enough = self.io.end_when.as_ref();
        if let Some(event) = &out_of_memory {
            polled.push(PollFd::new(event, PollFlags::IN));
        }
        for fd in stop.into_iter().chain(enough) {
            polled.push(PollFd::new(fd, PollFlags::IN));
        }
        for pipe in [&self.io.stdout.pipe, &self.io.stderr.pipe].into_iter().flatten() {
            polled.push(PollFd::new(pipe, PollFlags::IN));
        }
        match rustix::event::poll(&mut polled, timeout) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(nothing),
            Err(error) => return Err(SandboxError::system("wait for the run")(error)),
        }
        let mut answers = polled.iter().map(|polled| !polled.revents().is_empty());
        let mut next_if = |asked: bool| asked && answers.next() == Some(true);
        Ok(Heard {
            launcher: next_if(true),
            out_of_memory: next_if(out_of_memory.is_some()),
            stop: next_if(stop.is_some()),
            enough: next_if(enough.is_some()),
        })
    }

    /// Ends the run; [`Self::watch`] sees to it that it really ends. Every end that is not the program's own comes from here.
    fn end_run(&mut self) -> Result<(), SandboxError> {
        // Who is held cannot even die.
        if let Some(guard) = self.guard {
            guard.release();
        }
        self.io.ended_by_us = true;
        if self.ending.is_none() {
            self.ending = Some(Ending::begin(self.groups, &self.init)?);
        }
        Ok(())
    }
}

impl OpenIo {
    /// Puts together what is known when the last process is reaped, and what a guard has seen.
    pub fn conclude(
        self,
        plan: &RunPlan,
        ended: &Ended,
        used: &GroupUse,
        seen: Option<Seen>,
    ) -> Result<Ran, SandboxError> {
        let seen = seen.unwrap_or_default();
        let setup = Nanos(ended.setup_cpu_ns);
        let cpu_time = used.cpu_time - setup;
        let ended_at_ns = match ended.status {
            Some(_) => ended.ended_at_ns,
            // Its init was killed before it could tell.
            None => sys::clock_ns(libc::CLOCK_MONOTONIC),
        };
        let wall_time = Nanos(ended_at_ns.saturating_sub(ended.executed_at_ns));
        // A guard is on one CPU; it may have held the run while that was built or taken down.
        let wall_time = match seen.held_ns {
            0 => wall_time,
            held_ns => wall_time.saturating_sub(Nanos(held_ns)).max(cpu_time),
        };
        let files = if plan.files_are_output { ended.box_bytes } else { 0 };
        let output = Bytes(self.written + files);
        let end = self.end(plan, ended, used, (cpu_time, wall_time, output))?;
        let usage = Usage {
            cpu_time,
            user_time: used.user_time.min(cpu_time),
            system_time: cpu_time - used.user_time.min(cpu_time),
            wall_time,
            memory_peak: used.memory_peak.clone(),
            max_rss: Bytes(ended.max_rss_bytes),
            // What came after a limit that ends the run went nowhere, and how much of it we saw is chance.
            output: if self.over == Over::Ends { output.min(Bytes(self.limit)) } else { output },
            forced_switches: ended.forced_switches,
            voluntary_switches: ended.voluntary_switches,
            minor_faults: ended.minor_faults,
            major_faults: ended.major_faults,
        };
        let cpus = plan.cpus.clone().unwrap_or_default();
        let bound = if cpus.is_empty() { IsolationKind::None } else { IsolationKind::Affinity };
        let evidence = Evidence {
            throttled: used.throttled.clone(),
            cpu_pressure: used.cpu_pressure.clone(),
            migrations: match cpus.len() {
                1 => Reading::Known(0),
                _ => Reading::unavailable("the run may be on several CPUs; an audit counts its moves"),
            },
            isolation: used
                .isolation
                .clone()
                .unwrap_or_else(|| Isolation { kind: bound, ..Isolation::default() }),
            guard: seen.evidence(),
            cpus,
            ..Evidence::default()
        };
        Ok(Ran {
            result: RunResult { end, usage, evidence },
            stdout: self.stdout.kept,
            stderr: self.stderr.kept,
            ended_at: Nanos(ended_at_ns),
            guard_cpu_time: Nanos(seen.cpu_time_ns),
        })
    }

    fn end(
        &self,
        plan: &RunPlan,
        ended: &Ended,
        used: &GroupUse,
        (cpu_time, wall_time, output): (Nanos, Nanos, Bytes),
    ) -> Result<RunEnd, SandboxError> {
        let status = ended.status.map(std::os::unix::process::ExitStatusExt::from_raw);
        let status: Option<std::process::ExitStatus> = status;
        let signal = status.and_then(|status| std::os::unix::process::ExitStatusExt::signal(&status));
        let own_end = match (status.and_then(|status| status.code()), signal) {
            (Some(code), _) => Some(RunEnd::Exited(code as u8)),
            (None, Some(signal)) => Some(RunEnd::Signaled(signal as u8)),
            (None, None) => None,
        };
        let killed = own_end.is_none() || signal == Some(libc::SIGKILL);
        let reached = |limit: Option<Nanos>, used: Nanos| limit.is_some_and(|limit| used >= limit);
        let limit = match self.killed_for {
            // Where a child was killed for memory, the rest may wait for it in vain.
            _ if used.oom_kills > 0 => Some(LimitKind::Memory),
            Some(kind) if killed => Some(kind),
            _ if self.over == Over::Ends && output.0 > self.limit => Some(LimitKind::Output),
            // It ended by itself between two looks, but past the limit all the same.
            _ if reached(plan.limits.cpu_time, cpu_time) => Some(LimitKind::CpuTime),
            _ if reached(plan.limits.wall_time, wall_time) => Some(LimitKind::WallTime),
            _ if self.fails_late(own_end, output.0 - self.written) => Some(LimitKind::Output),
            _ => None,
        };
        match (limit, own_end) {
            (Some(kind), _) => Ok(RunEnd::Limit(kind)),
            (None, Some(end)) => Ok(end),
            (None, None) if self.ended_by_us => Ok(RunEnd::Signaled(libc::SIGKILL as u8)),
            (None, None) => {
                Err(SandboxError::LauncherDied("the run's init was killed by someone".to_owned()))
            }
        }
    }
}
