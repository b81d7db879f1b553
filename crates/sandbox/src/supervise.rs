//! Watches one run: its limits, its output, its end.

use crate::child::Report;
use crate::descriptor;
use crate::ending::Ending;
use crate::guard::{Guard, Hold, Seen};
use crate::plan::RunPlan;
use crate::protocol::Ended;
use crate::{SandboxError, sys};
use cgroup::{GroupUse, SlotGroups};
use model::{Bytes, Evidence, Isolation, IsolationKind, LimitKind, Nanos, Reading, RunEnd, RunResult, Usage};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use std::sync::Arc;
use std::time::Instant;

/// The next look at a run is never sooner: a look costs some microseconds of somebody's CPU.
const LOOK_FLOOR: Nanos = Nanos::from_millis(1);
/// What is kept of an output whose limit is not set.
const CAPTURE_BYTES_MAX: u64 = 256 << 20;
/// What is kept of standard error; the rest is counted and thrown away.
const STDERR_KEPT_BYTES: usize = 64 << 10;
/// The largest pipe that an unprivileged process may ask for (`/proc/sys/fs/pipe-max-size`), so that
/// the program seldom waits for us.
const PIPE_BYTES: usize = 1 << 20;
const CHUNK_BYTES: usize = 64 << 10;

/// Where a program's standard input comes from.
#[derive(Debug)]
pub enum Input {
    /// Nothing: an immediate end of file.
    Empty,
    /// This descriptor.
    Descriptor(OwnedFd),
}

/// Where a program's standard output or error goes.
#[derive(Debug)]
pub enum Output {
    /// Into memory, counted against the output limit.
    Capture,
    /// Into memory up to the output limit, which ends nothing; what comes after it is thrown away. Only standard
    /// output counts then.
    Cut {
        /// Whether a run that ends well has broken the limit all the same.
        fails: bool,
    },
    /// Through us to this descriptor, counted against the output limit.
    Forward(OwnedFd),
    /// Straight to this descriptor, not counted.
    Descriptor(OwnedFd),
    /// Away.
    Discard,
}

/// A program's standard input, output and error.
#[derive(Debug)]
pub struct RunIo {
    /// Standard input.
    pub stdin: Input,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// When this becomes readable, the run is ended, as if by a signal.
    pub end_when: Option<Arc<OwnedFd>>,
}

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

/// Our ends of a run's pipes.
#[derive(Debug)]
pub(crate) struct OpenIo {
    stdout: Stream,
    stderr: Stream,
    written: u64,
    limit: u64,
    over: Over,
    killed_for: Option<LimitKind>,
    /// Whether we have killed the run, for whatever reason.
    ended_by_us: bool,
    end_when: Option<Arc<OwnedFd>>,
}

/// What comes of more output than the limit allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    /// The run is ended.
    Ends,
    /// A run that ended well is taken as if it had been.
    FailsLate,
    /// Nothing.
    IsCut,
}

#[derive(Debug, Default)]
struct Stream {
    pipe: Option<OwnedFd>,
    forward: Option<OwnedFd>,
    kept: Vec<u8>,
    keep_max: usize,
    read: u64,
}

impl RunIo {
    /// Makes the usual set: input given, output and error captured.
    pub fn captured(stdin: Input) -> Self {
        Self { stdin, stdout: Output::Capture, stderr: Output::Capture, end_when: None }
    }

    /// Opens what is to be opened; gives our ends and the program's three descriptors.
    pub(crate) fn open(self) -> Result<(OpenIo, [OwnedFd; 3]), SandboxError> {
        let stdin = match self.stdin {
            Input::Empty => null()?,
            Input::Descriptor(fd) => descriptor::checked_input(fd)?,
        };
        let captures = matches!(self.stdout, Output::Capture | Output::Cut { .. });
        let over = match self.stdout {
            Output::Cut { fails: true } => Over::FailsLate,
            Output::Cut { fails: false } => Over::IsCut,
            _ => Over::Ends,
        };
        let (stdout, program_stdout) = Stream::open(self.stdout, usize::MAX)?;
        let (stderr, program_stderr) = Stream::open(self.stderr, STDERR_KEPT_BYTES)?;
        let io = OpenIo {
            stdout,
            stderr,
            written: 0,
            // What is passed on takes no memory of ours.
            limit: if captures { CAPTURE_BYTES_MAX } else { u64::MAX },
            over,
            killed_for: None,
            ended_by_us: false,
            end_when: self.end_when,
        };
        Ok((io, [stdin, program_stdout, program_stderr]))
    }
}

impl Stream {
    fn open(output: Output, keep_max: usize) -> Result<(Self, OwnedFd), SandboxError> {
        let forward = match output {
            Output::Descriptor(fd) => return Ok((Self::default(), fd)),
            Output::Discard => return Ok((Self::default(), null()?)),
            Output::Capture | Output::Cut { .. } => None,
            Output::Forward(fd) => Some(fd),
        };
        let (read, write) =
            rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(SandboxError::system("make a pipe"))?;
        // The program may open its own end again by name, as in `/dev/stderr`, and ours never.
        rustix::fs::fchmod(&write, rustix::fs::Mode::from_raw_mode(0o222))
            .map_err(SandboxError::system("set up a pipe"))?;
        // A smaller pipe works too; it only makes the program wait more often.
        let _ = rustix::pipe::fcntl_setpipe_size(&read, PIPE_BYTES);
        rustix::io::ioctl_fionbio(&read, true).map_err(SandboxError::system("set up a pipe"))?;
        Ok((Self { pipe: Some(read), forward, kept: Vec::new(), keep_max, read: 0 }, write))
    }

    /// Reads what is there and lets at most `allowed` bytes of it through; returns how many there were. At the end of file
    /// the pipe is closed.
    fn read(&mut self, chunk: &mut [u8], allowed: u64) -> Result<u64, SandboxError> {
        let Some(pipe) = &self.pipe else { return Ok(0) };
        let length = match rustix::io::read(pipe, &mut *chunk) {
            Ok(0) => {
                self.pipe = None;
                return Ok(0);
            }
            Ok(length) => length,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(0),
            Err(error) => return Err(SandboxError::system("read the program's output")(error)),
        };
let bytes = &chunk[..length.min(usize::try_from(allowed).unwrap_or(usize::MAX))];
        self.read += length as u64;
        if let Some(forward) = &self.forward {
            write_all(forward, bytes)?;
        } else {
            let keep = self.keep_max.saturating_sub(self.kept.len()).min(bytes.len());
            self.kept.extend_from_slice(&bytes[..keep]);
        }
        Ok(length as u64)
    }
}

/// Lets a program open its own streams again by name, as in `/dev/stderr`; nobody else sees them.
///
/// # Errors
/// When the descriptor is no pipe of ours.
pub fn open_to_all(pipe: impl AsFd) -> Result<(), Errno> {
    rustix::fs::fchmod(pipe, rustix::fs::Mode::from_raw_mode(0o666))
}

pub(crate) fn write_all(fd: &OwnedFd, mut bytes: &[u8]) -> Result<(), SandboxError> {
    while !bytes.is_empty() {
        match rustix::io::write(fd, bytes) {
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            // Whoever read our output has gone; the program may go on.
            Err(Errno::PIPE) => return Ok(()),
            Err(error) => return Err(SandboxError::system("pass the program's output on")(error)),
        }
    }
    Ok(())
}

fn null() -> Result<OwnedFd, SandboxError> {
    let file = std::fs::File::options().read(true).write(true).open("/dev/null");
    file.map(OwnedFd::from).map_err(SandboxError::file("open", "/dev/null"))
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
    fn read(&mut self, chunk: &mut [u8]) -> Result<(), SandboxError> {
        for stream in [&mut self.stdout, &mut self.stderr] {
            // What is over the limit is of no use to anyone; reading goes on so that the pipe empties.
            let allowed = self.limit.saturating_sub(self.written);
            self.written += stream.read(chunk, allowed)?;
        }
        Ok(())
    }

    fn is_ended_by_output(&self) -> bool {
        self.over == Over::Ends && self.written > self.limit
    }

    /// Says whether a run that ended well wrote too much to be taken as it is.
    fn fails_late(&self, end: Option<RunEnd>, files: u64) -> bool {
        let over_limit = self.stdout.read + files > self.limit;
        self.over == Over::FailsLate && end == Some(RunEnd::Exited(0)) && over_limit
    }

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
            // What came after the limit went nowhere, and how much of it we saw is chance.
            output: output.min(Bytes(self.limit)),
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
