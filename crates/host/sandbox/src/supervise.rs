//! Watches one run: its limits, its output, its end.

use crate::child::Report;
use crate::counted_by::Counter;
use crate::emulated;
use crate::ending::Ending;
use crate::guard::{Guard, GuardReport, Hold};
use crate::pause::Pause;
use crate::plan::RunPlan;
use crate::protocol::{EndReport, Execution, ReapedUsage};
use crate::streams::{OpenIo, Over};
use crate::watchdog::{self, Urgency};
use crate::watched::{LOOK_FLOOR, Watched};
use crate::{SandboxError, sys};
use cgroup::{Clock, GroupUse, SlotGroups};
use counter::Counts;
use model::{
    Bytes, Evidence, InstructionCount, Isolation, IsolationKind, LimitKind, Nanos, Reading, RunEnd,
    RunResult, Usage,
};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::{Arc, mpsc};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// How much of an output is read at once.
const CHUNK_BYTES: usize = 64 << 10;

/// Why a run lacks the numbers that only its init has.
const UNREPORTED: &str = "the run's init had to be killed before it could report";

#[derive(Debug)]
pub struct Ran {
    pub result: RunResult,
    /// Its standard output, if captured; at most the output limit.
    pub stdout: Vec<u8>,
    /// The first 64 KiB of its standard error, if captured.
    pub stderr: Vec<u8>,
    /// When it ended, on the machine's monotonic clock; shows which of two runs ended first.
    pub ended_at: Nanos,
    /// CPU time that a guard used on the run's CPU; it is not part of the run's.
    pub guard_cpu_time: Nanos,
}

pub(crate) struct Supervision<'a> {
    watched: Watched<'a>,
    io: OpenIo,
    stop: Option<Arc<OwnedFd>>,
    /// The progress of ending the run, once that has begun.
    ending: Option<Ending>,
    /// Whether the processor's counter of the run can no longer be read.
    clock_lost: bool,
}

/// Which descriptors became readable.
struct ReadyDescriptors {
    launcher: bool,
    out_of_memory: bool,
    stop: bool,
    enough: bool,
    clock: bool,
}

impl<'a> Supervision<'a> {
    pub fn new(
        groups: &'a SlotGroups,
        plan: &'a RunPlan,
        mut io: OpenIo,
        init: OwnedFd,
        stop: Option<Arc<OwnedFd>>,
        report: &'a Report,
    ) -> Self {
        io.limit = plan.limits.output.map_or(io.limit, |limit| limit.0);
        Self { watched: Watched::new(groups, plan, init, report), io, stop, ending: None, clock_lost: false }
    }

    /// Registers a guard that may hold the run, and must release it when it is to end.
    pub fn guarded_by(&mut self, guard: &'a Guard, hold: Hold) {
        self.watched.guard = Some(guard);
        self.watched.patience = hold.patience;
    }

    /// Registers a handle that may pause the run.
    pub fn paused_by(&mut self, pause: &'a Pause, before: Duration) {
        self.watched.pause = Some((pause, before));
    }

    /// Registers the memory in which the run's instructions are counted.
    pub fn counted_by(&mut self, counts: Option<&'a Counts>) {
        self.watched.counts = counts;
    }

    pub fn into_io(self) -> OpenIo {
        self.io
    }

    /// Watches until the launcher sends a message, which it does when the run is over. The caller is urgent up to here.
    pub fn watch(&mut self, launcher: &OwnedFd, urgency: Urgency) -> Result<(), SandboxError> {
        let limits = &self.watched.plan.limits;
        if limits.cpu_time.or(limits.wall_time).is_none() && limits.instructions.is_none() {
            drop(urgency);
            return self.supervise(launcher);
        }
        let watched = self.watched.clone();
        std::thread::scope(|scope| {
            let (over, is_over) = mpsc::channel();
            let watchdog = std::thread::Builder::new().name("tauto-watchdog".to_owned());
            // If no thread can be started, the run continues without.
            let watchdog = watchdog.spawn_scoped(scope, move || watchdog::watch(&watched, &is_over));
            drop(urgency);
            let ended = self.supervise(launcher);
            drop(over);
            if let Some(Ok(Some(limit))) = watchdog.ok().map(ScopedJoinHandle::join) {
                self.io.ended_by_us = true;
                self.io.killed_for.get_or_insert(limit);
            }
            ended
        })
    }

    fn supervise(&mut self, launcher: &OwnedFd) -> Result<(), SandboxError> {
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut interrupted = false;
        loop {
            let next = match &mut self.ending {
                None => self.check_limits()?,
                Some(ending) => Some(ending.go_on(self.watched.groups, &self.watched.init)?),
            };
            let timeout = next.map(|nanos| Timespec {
                tv_sec: (nanos.0 / 1_000_000_000) as i64,
                tv_nsec: (nanos.0 % 1_000_000_000) as i64,
            });
            let ready = self.wait(launcher, timeout.as_ref(), interrupted)?;
            if ready.stop {
                interrupted = true;
                self.end_run()?;
            }
            if ready.out_of_memory {
                self.io.killed_for = Some(LimitKind::Memory);
                self.end_run()?;
            }
            if ready.enough {
                self.io.end_when = None;
                self.end_run()?;
            }
            if ready.clock {
                self.read_clock()?;
            }
            self.io.read(&mut chunk)?;
            if self.io.killed_for.is_none() && self.io.is_ended_by_output() {
                self.io.killed_for = Some(LimitKind::Output);
                self.end_run()?;
            }
            if ready.launcher {
                // All writers are dead, so the pipes already contain everything.
                loop {
                    let before = self.io.written;
                    self.io.read(&mut chunk)?;
                    if self.io.awaited().next().is_some() && !interrupted {
                        interrupted = self.wait_for_reader()?;
                    } else if self.io.written == before {
                        break;
                    }
                }
                return if interrupted { Err(SandboxError::Interrupted) } else { Ok(()) };
            }
        }
    }

    /// Ends the run if a limit is exceeded; returns the time until the next check.
    fn check_limits(&mut self) -> Result<Option<Nanos>, SandboxError> {
        let check = self.watched.check(Nanos::ZERO)?;
        if let Some((count, cpu_time)) = check.counted {
            self.io.count_seen.note(count, cpu_time);
        }
        if check.exceeded.is_some() {
            self.io.killed_for = check.exceeded;
            self.end_run()?;
            return Ok(Some(LOOK_FLOOR));
        }
        Ok(check.next)
    }

    /// Ends the run if the processor has counted more than its limit; else it is to wake us again.
    fn read_clock(&mut self) -> Result<(), SandboxError> {
        match (self.watched.clock(), self.watched.groups.clock()) {
            (Some(look), _) if look.is_exceeded() => {
                self.io.killed_for = Some(LimitKind::Instructions);
                self.end_run()
            }
            (Some(look), Some(clock)) => {
                clock.wake_after(look.left()).map_err(SandboxError::system("set the counter of instructions"))
            }
            _ => {
                self.clock_lost = true;
                Ok(())
            }
        }
    }

    fn wait(
        &self,
        launcher: &OwnedFd,
        timeout: Option<&Timespec>,
        interrupted: bool,
    ) -> Result<ReadyDescriptors, SandboxError> {
        let nothing = ReadyDescriptors {
            launcher: false,
            out_of_memory: false,
            stop: false,
            enough: false,
            clock: false,
        };
        let mut polled = vec![PollFd::new(launcher, PollFlags::IN)];
        let out_of_memory =
            self.watched.groups.out_of_memory_event().filter(|_| self.io.killed_for.is_none());
        let stop = self.stop.as_ref().filter(|_| !interrupted);
        let enough = self.io.end_when.as_ref();
        if let Some(event) = &out_of_memory {
            polled.push(PollFd::new(event, PollFlags::IN));
        }
        for fd in stop.into_iter().chain(enough) {
            polled.push(PollFd::new(fd, PollFlags::IN));
        }
        let clock = self.watched.groups.clock().filter(|_| {
            let is_limited = self.watched.plan.limits.instructions.is_some();
            is_limited && !self.clock_lost && self.io.killed_for.is_none()
        });
        let events = clock.map_or(0, |clock| clock.descriptors().len());
        polled.extend(
            clock
                .into_iter()
                .flat_map(Clock::descriptors)
                .map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)),
        );
        for stream in [&self.io.stdout, &self.io.stderr] {
            // Pending output comes first; meanwhile the program waits, and its limits still apply.
            match (stream.awaited(), &stream.pipe) {
                (Some(reader), _) => polled.push(PollFd::new(reader, PollFlags::OUT)),
                (None, Some(pipe)) => polled.push(PollFd::new(pipe, PollFlags::IN)),
                (None, None) => {}
            }
        }
        match rustix::event::poll(&mut polled, timeout) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(nothing),
            Err(error) => return Err(SandboxError::system("wait for the run")(error)),
        }
        let mut answers = polled.iter().map(|polled| !polled.revents().is_empty());
        let mut next_if = |asked: bool| asked && answers.next() == Some(true);
        Ok(ReadyDescriptors {
            launcher: next_if(true),
            out_of_memory: next_if(out_of_memory.is_some()),
            stop: next_if(stop.is_some()),
            enough: next_if(enough.is_some()),
            clock: (0..events).fold(false, |is_ready, _| next_if(true) || is_ready),
        })
    }

    /// Waits, after the run, until the reader accepts more of its output; returns whether a stop was requested instead.
    fn wait_for_reader(&self) -> Result<bool, SandboxError> {
        let stop = self.stop.iter().map(|stop| PollFd::new(&**stop, PollFlags::IN));
        let readers = self.io.awaited().map(|reader| PollFd::new(reader, PollFlags::OUT));
        let mut polled: Vec<_> = stop.chain(readers).collect();
        match rustix::event::poll(&mut polled, None) {
            Ok(_) | Err(Errno::INTR) => Ok(self.stop.is_some() && !polled[0].revents().is_empty()),
            Err(error) => Err(SandboxError::system("wait for the reader of the output")(error)),
        }
    }

    /// Begins to end the run; [`Self::watch`] makes sure that it ends. Every end that the program does not cause itself
    /// starts here.
    fn end_run(&mut self) -> Result<(), SandboxError> {
        self.io.ended_by_us = true;
        if self.ending.is_none() {
            self.ending = Some(self.watched.end()?);
        }
        Ok(())
    }
}

/// What a run reached of what its limits are about.
struct Reached<'a> {
    cpu_time: Nanos,
    wall_time: Nanos,
    counted: &'a Reading<InstructionCount>,
    memory: &'a Reading<Bytes>,
}

impl OpenIo {
    /// Combines the results after the last process was reaped, the guard's report, and the time for which the run was
    /// paused.
    pub fn conclude(
        mut self,
        plan: &RunPlan,
        ended: &EndReport,
        used: &GroupUse,
        counts: Option<&Counts>,
        seen: Option<GuardReport>,
        paused: Nanos,
    ) -> Result<Ran, SandboxError> {
        let seen = seen.unwrap_or_default();
        let ended_at_ns = match ended.reaped {
            Some(reaped) => reaped.at_ns,
            None => sys::clock_ns(libc::CLOCK_MONOTONIC),
        };
        let cpu_time = Execution::cpu_time(ended.begun, used.cpu_time);
        let wall_time =
            ended.begun.map_or(Nanos::ZERO, |begun| Nanos(ended_at_ns.saturating_sub(begun.at_ns)));
        let wall_time = wall_time.saturating_sub(paused);
        // The guard may also have held the run outside of its wall time, while it was built or ended.
        let wall_time = match seen.held_ns {
            0 => wall_time,
            held_ns => wall_time.saturating_sub(Nanos(held_ns)).max(cpu_time),
        };
        let reported = |value: fn(ReapedUsage) -> u64| match ended.reaped {
            Some(reaped) => Reading::Known(value(reaped)),
            None => Reading::unavailable(UNREPORTED),
        };
        let files = match plan.files_are_output {
            true => reported(|reaped| reaped.box_bytes).map(|bytes| bytes.saturating_sub(plan.copied().0)),
            false => Reading::Known(0),
        };
        let seen_count = std::mem::take(&mut self.count_seen);
        let counted = match &plan.counter {
            Some(Counter::Hardware(_)) => {
                used.instructions.clone().map(|count| Execution::instructions(ended.begun, count))
            }
            _ => seen_count.conclude(emulated::count(counts), cpu_time),
        };
        let memory_peak = emulated::own_memory(&used.memory_peak, counts);
        let reached = Reached { cpu_time, wall_time, counted: &counted, memory: &memory_peak };
        let end = self.end(plan, ended, used, &reached, files.known().copied())?;
        // How far beyond it the run got before it was ended is chance.
        let instructions = match (end, plan.limits.instructions) {
            (RunEnd::Limit(LimitKind::Instructions), Some(limit)) => Reading::Known(limit),
            _ => counted,
        };
        // Output after a limit that ends the run was discarded, and how much of it was read is chance.
        let output_max = if self.over == Over::Ends { self.limit } else { u64::MAX };
        let user_time = used.user_time.clone().map(|time| time.min(cpu_time));
        let usage = Usage {
            cpu_time,
            system_time: user_time.clone().map(|user_time| cpu_time - user_time),
            user_time,
            wall_time,
            instructions,
            memory_peak,
            max_rss: reported(|reaped| reaped.max_rss_bytes).map(Bytes),
            output: files.map(|files| Bytes((self.written + files).min(output_max))),
            forced_switches: reported(|reaped| reaped.forced_switches),
            voluntary_switches: reported(|reaped| reaped.voluntary_switches),
            minor_faults: reported(|reaped| reaped.minor_faults),
            major_faults: reported(|reaped| reaped.major_faults),
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
            hardware: used.hardware.clone(),
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
        ended: &EndReport,
        used: &GroupUse,
        reached: &Reached<'_>,
        files: Option<u64>,
    ) -> Result<RunEnd, SandboxError> {
        let limits = &plan.limits;
        let status = ended.reaped.map(|reaped| ExitStatus::from_raw(reaped.status));
        let signal = status.and_then(|status| status.signal());
        let own_end = match (status.and_then(|status| status.code()), signal) {
            (Some(code), _) => Some(RunEnd::Exited(code as u8)),
            (None, Some(signal)) => Some(RunEnd::Signaled(signal as u8)),
            (None, None) => None,
        };
        // If these are not known, the run was killed, and other values show why.
        let files = files.unwrap_or(0);
        let killed = own_end.is_none() || signal == Some(libc::SIGKILL);
        let is_at = |limit: Option<Nanos>, used: Nanos| limit.is_some_and(|limit| used >= limit);
        // An emulator's own memory is known only afterwards, so the kernel's limit is above the run's.
        let is_over =
            |memory: Bytes| plan.emulator().is_some() && limits.memory.is_some_and(|limit| memory > limit);
        let has_more = |count: InstructionCount| limits.instructions.is_some_and(|limit| count > limit);
        let limit = match self.killed_for {
            // If a child was killed for memory, the others may wait for it in vain.
            _ if used.oom_kills > 0 => Some(LimitKind::Memory),
            Some(kind) if killed => Some(kind),
            _ if reached.memory.known().copied().is_some_and(is_over) => Some(LimitKind::Memory),
            _ if self.over == Over::Ends && self.written + files > self.limit => Some(LimitKind::Output),
            // It ended by itself between two checks, but after exceeding the limit.
            _ if reached.counted.known().copied().is_some_and(has_more) => Some(LimitKind::Instructions),
            _ if is_at(limits.cpu_time, reached.cpu_time) => Some(LimitKind::CpuTime),
            _ if is_at(limits.wall_time, reached.wall_time) => Some(LimitKind::WallTime),
            _ if self.fails_late(own_end, files) => Some(LimitKind::Output),
            _ => None,
        };
        match (limit, own_end) {
            (Some(kind), _) => Ok(RunEnd::Limit(kind)),
            (None, Some(end)) => Ok(end),
            (None, None) if self.ended_by_us => Ok(RunEnd::Signaled(libc::SIGKILL as u8)),
            (None, None) => {
                Err(SandboxError::LauncherDied("the run's init was killed by another process".to_owned()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::streams::{Input, RunIo};
    use counter::Emulator;

    const USED: Nanos = Nanos::from_millis(300);

    /// Returns the result of a run that was killed for its limit on CPU time.
    fn result_of(plan: &RunPlan, ended: &EndReport) -> Result<RunResult, SandboxError> {
        let (mut io, _theirs) = RunIo::captured(Input::Empty).open()?;
        (io.killed_for, io.ended_by_us) = (Some(LimitKind::CpuTime), true);
        let used = GroupUse {
            cpu_time: USED,
            user_time: Reading::Known(Nanos::from_millis(250)),
            memory_peak: Reading::Known(Bytes::from_mib(3)),
            oom_kills: 0,
            throttled: Reading::default(),
            cpu_pressure: Reading::default(),
            isolation: None,
            hardware: Reading::default(),
            instructions: Reading::default(),
        };
        io.conclude(plan, ended, &used, None, None, Nanos::ZERO).map(|ran| ran.result)
    }

    fn plan() -> RunPlan {
        RunPlan::new(vec!["program".to_owned()])
    }

    const BEGUN: Option<Execution> =
        Some(Execution { at_ns: 1, setup_cpu_ns: 100_000_000, setup_instructions: 0 });
    const REAPED: Option<ReapedUsage> = Some(ReapedUsage {
        status: libc::SIGKILL,
        at_ns: 400_000_001,
        max_rss_bytes: 5,
        box_bytes: 4096,
        minor_faults: 6,
        major_faults: 7,
        voluntary_switches: 8,
        forced_switches: 9,
    });

    #[test]
    fn numbers_of_a_killed_init_are_unavailable() {
        let Usage { cpu_time, user_time, system_time, wall_time, memory_peak, output, .. } =
            result_of(&plan(), &EndReport { begun: BEGUN, ..EndReport::default() }).unwrap().usage;
        assert!(wall_time > Nanos::ZERO);
        assert_eq!(cpu_time, Nanos::from_millis(200));
        assert_eq!(user_time, Reading::Known(Nanos::from_millis(200)), "at most all of it");
        assert_eq!(system_time, Reading::Known(Nanos::ZERO));
        assert_eq!(memory_peak, Reading::Known(Bytes::from_mib(3)));
        assert_eq!(output, Reading::Known(Bytes(0)), "pipes are ours");
        let files = RunPlan { files_are_output: true, ..plan() };
        let run = result_of(&files, &EndReport { begun: BEGUN, ..EndReport::default() }).unwrap();
        assert_eq!(run.end, RunEnd::Limit(LimitKind::CpuTime));
        let unreported = Reading::unavailable(UNREPORTED);
        let Usage {
            max_rss, output, forced_switches, voluntary_switches, minor_faults, major_faults, ..
        } = run.usage;
        assert_eq!([max_rss, output], [Reading::unavailable(UNREPORTED), Reading::unavailable(UNREPORTED)]);
        assert_eq!(
            [forced_switches, voluntary_switches, minor_faults, major_faults],
            [(); 4].map(|()| unreported.clone())
        );
    }

    #[test]
    fn report_of_an_init_is_used() {
        let files = RunPlan { files_are_output: true, ..plan() };
        let ended = EndReport { begun: BEGUN, reaped: REAPED };
        let usage = result_of(&files, &ended).unwrap().usage;
        assert_eq!(usage.wall_time, Nanos::from_millis(400));
        assert_eq!([usage.max_rss, usage.output], [Bytes(5), Bytes(4096)].map(Reading::Known));
        assert_eq!(
            [usage.minor_faults, usage.major_faults, usage.voluntary_switches, usage.forced_switches],
            [6, 7, 8, 9].map(Reading::Known)
        );
    }

    /// The kernel's limit is exact for a program; only an emulator's own memory is allowed on top of it.
    #[test]
    fn a_peak_above_the_limit_is_a_failure_only_under_an_emulator() {
        let mut under = plan();
        under.limits.memory = Some(Bytes::from_mib(2));
        let ended =
            EndReport { begun: BEGUN, reaped: REAPED.map(|reaped| ReapedUsage { status: 0, ..reaped }) };
        let end = |plan: &RunPlan| result_of(plan, &ended).unwrap().end;
        assert_eq!(end(&under), RunEnd::Exited(0));
        let emulator = Emulator { path: "/usr/bin/qemu-x86_64".into(), version: "7.2.22".to_owned() };
        under.counter = Some(Counter::Emulated(emulator));
        assert_eq!(end(&under), RunEnd::Limit(LimitKind::Memory));
    }

    #[test]
    fn a_program_that_was_never_executed_has_taken_no_time() {
        let usage = result_of(&plan(), &EndReport { reaped: REAPED, ..EndReport::default() }).unwrap().usage;
        assert_eq!([usage.cpu_time, usage.wall_time], [Nanos::ZERO; 2]);
    }
}
