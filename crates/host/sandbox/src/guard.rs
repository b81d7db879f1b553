//! A guard: a process on a run's own CPU that probes the core during the run, and holds the run while the core is
//! contended.
//!
//! It is in the real-time class, so it holds the run by staying awake: the kernel gives the CPU to others for at most
//! some per cent of each second, and charges the run nothing else. Between probes it sleeps. It is in no group that
//! counts the run's time or memory.

#![allow(unsafe_code)]

use crate::affinity::bind_to_cpus;
use crate::launcher::SOCKET_DESCRIPTOR;
use crate::process::HelperProcess;
use crate::{SandboxError, child, pace, protocol, sys};
use cgroup::SlotGroups;
use model::{Nanos, Reading, Slowdown};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, FromRawFd, OwnedFd};
use serde::{Deserialize, Serialize};
use std::io;
use std::time::Duration;

/// The first argument that makes a binary a guard.
pub(crate) const GUARD_ARGUMENT: &str = "__guard";

/// The time between two probes. Each costs the run 0.01 to 0.03 ms, for the interrupt and the switch; fewer would
/// detect less.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };
/// A held run continues after this many calm probes in a row, some 0.25 ms.
const CALM_PROBES: u32 = 8;
/// Even the lowest priority of its class precedes every program.
const PRIORITY: i32 = 1;
/// The kernel ends a guard that stays awake longer than the patience plus this.
const AWAKE_MAX: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// The time of a loop of [`crate::Slot::pace`] on a core at its best.
    pub best: Nanos,
    /// From this slowdown on the core counts as contended.
    pub slow_core: Slowdown,
    /// The longest total time; at most [`Hold::PATIENCE_MAX`].
    pub patience: Nanos,
}

impl Hold {
    /// More would block others for too long: kernel threads on that CPU, and processes that wait for a kernel lock that
    /// the run held when it was stopped.
    pub const PATIENCE_MAX: Nanos = Nanos::from_millis(2_000);
}

/// The observations and actions of a guard during a run, and its own CPU time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GuardReport {
    pub looks: u64,
    pub slow_looks: u64,
    pub slowdown_permille: u32,
    pub held_ns: u64,
    pub cpu_time_ns: u64,
}

impl GuardReport {
    pub fn evidence(&self) -> Reading<model::Guard> {
        match self.looks {
            0 => Reading::unavailable("no guard watched the run"),
            looks => Reading::Known(model::Guard {
                looks,
                slow_looks: self.slow_looks,
                slowdown: Slowdown(self.slowdown_permille),
                held: Nanos(self.held_ns),
            }),
        }
    }
}

#[derive(Debug)]
pub(crate) struct GuardLost {
    pub why: String,
    /// How much CPU time it can have used, and for how long it can have held the run.
    pub report: GuardReport,
}

#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// The first message: its CPU. A file descriptor of the group to enter comes with it, if there is one.
    Post { cpu: u32 },
    /// A run begins. With it comes a file whose text changes when the run has used CPU time.
    Watch { best_ns: u64, slow_core_permille: u32, patience_ns: u64 },
    /// The run has ended, or is to end.
    Release,
}

#[derive(Debug, Serialize, Deserialize)]
enum Report {
    Ready(Result<(), String>),
    GuardReport(GuardReport),
}

#[derive(Debug)]
pub(crate) struct Guard {
    process: HelperProcess,
    buffer: Vec<u8>,
    /// The CPU time that it used by the end of its last watch.
    used: Nanos,
}

impl Guard {
    /// Starts one for runs on this CPU, or returns why it cannot.
    pub fn start(cpu: u32, groups: &SlotGroups) -> Result<Self, String> {
        let process = HelperProcess::start(GUARD_ARGUMENT).map_err(|error| error.to_string())?;
        let mut guard = Self { process, buffer: Vec::new(), used: Nanos::ZERO };
        let entrance = groups.guard_entrance().map_err(|error| error.to_string())?;
        let fds: Vec<_> = entrance.iter().map(AsFd::as_fd).collect();
        guard.process.send(&Order::Post { cpu }, &fds).map_err(|error| error.to_string())?;
        match guard.read_report() {
            Some(Report::Ready(ready)) => ready.map(|()| guard),
            _ => Err("the guard ended at once".to_owned()),
        }
    }

    /// Returns whether it has ended, though nothing asked it to.
    pub fn has_ended(&self) -> bool {
        self.process.has_ended()
    }

    /// Notifies it that a run has begun in these groups. If it has ended, [`Self::end_watch`] returns why.
    pub fn watch(&self, hold: Hold, groups: &SlotGroups) -> Result<(), SandboxError> {
        let order = Order::Watch {
            best_ns: hold.best.0,
            slow_core_permille: hold.slow_core.0,
            patience_ns: hold.patience.0,
        };
        let counter = groups.cpu_counter()?;
        let _ = self.process.send(&order, &[counter]);
        Ok(())
    }

    pub fn release(&self) {
        // If the guard is gone, it holds nothing.
        let _ = self.process.send(&Order::Release, &[]);
    }

    pub fn end_watch(&mut self) -> Result<GuardReport, GuardLost> {
        self.release();
        match self.read_report() {
            Some(Report::GuardReport(seen)) => {
                self.used = self.used + Nanos(seen.cpu_time_ns);
                Ok(seen)
            }
            _ => Err(self.lost()),
        }
    }

    fn lost(&mut self) -> GuardLost {
        self.process.abandon();
        let (how, used) = match self.process.wait_and_measure() {
            Ok((status, used)) => (status.to_string(), used),
            Err(error) => (error.to_string(), Nanos::ZERO),
        };
        GuardLost {
            why: format!("the guard ended during the run ({how})"),
            // It holds by using the CPU, so it has held the run for this long at most.
            report: GuardReport {
                held_ns: used.saturating_sub(self.used).0,
                cpu_time_ns: used.saturating_sub(self.used).0,
                ..GuardReport::default()
            },
        }
    }

    fn read_report(&mut self) -> Option<Report> {
        protocol::receive(&self.process.socket, &mut self.buffer).ok().flatten().map(|(report, _)| report)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.process.end();
    }
}

/// Works as a guard until the supervisor is gone; returns the exit code.
pub(crate) fn serve_to_the_end() -> i32 {
    // SAFETY: the supervisor put its socket at this number; if a user typed the argument by hand, the first read from
    // it fails and the process ends.
    let socket = unsafe { OwnedFd::from_raw_fd(SOCKET_DESCRIPTOR) };
    i32::from(serve(&socket).is_err())
}

fn serve(socket: &OwnedFd) -> io::Result<()> {
    let mut buffer = Vec::new();
    let Some((Order::Post { cpu }, fds)) = protocol::receive(socket, &mut buffer)? else { return Ok(()) };
    let posted = take_post(cpu, fds).map_err(|(what, error)| format!("a guard cannot {what}: {error}"));
    protocol::send(socket, &Report::Ready(posted), &[])?;
    while let Some((order, fds)) = protocol::receive(socket, &mut buffer)? {
        if let (Order::Watch { best_ns, slow_core_permille, patience_ns }, Some(counter)) =
            (order, fds.first())
        {
            let hold = Hold {
                best: Nanos(best_ns),
                slow_core: Slowdown(slow_core_permille),
                patience: Nanos(patience_ns),
            };
            // Kernels before 6.2 lose the affinity when the CPUs of the group change.
            bind_to_cpus(&[cpu])?;
            let Some(seen) = watch(socket, &mut buffer, hold, counter)? else { break };
            protocol::send(socket, &Report::GuardReport(seen), &[])?;
        }
    }
    Ok(())
}

fn take_post(cpu: u32, groups: Vec<OwnedFd>) -> Result<(), (&'static str, io::Error)> {
    let at = |what| move |error| (what, error);
    for group in groups {
        rustix::io::write(group, b"0").map_err(|error| ("enter the slot's group", error.into()))?;
    }
    bind_to_cpus(&[cpu]).map_err(at("go to the run's CPU"))?;
    let awake = (Duration::from_nanos(Hold::PATIENCE_MAX.0) + AWAKE_MAX).as_micros() as u64;
    child::set_limit(libc::RLIMIT_RTTIME, awake).map_err(at("limit itself"))?;
    let priority = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: the structure lives through the call; 0 is this process.
    sys::check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority) })
        .map_err(at("get the real-time class"))?;
    sys::drop_all_capabilities().map_err(at("drop its capabilities"))?;
    rustix::thread::set_no_new_privs(true).map_err(|error| ("drop its capabilities", error.into()))
}

/// Probes until it is notified that the run has ended; `None` if the supervisor is gone.
fn watch(
    socket: &OwnedFd,
    buffer: &mut Vec<u8>,
    hold: Hold,
    counter: &OwnedFd,
) -> io::Result<Option<GuardReport>> {
    let before = own_cpu_time();
    let (mut seen, mut sum) = (GuardReport::default(), 0);
    let mut used = read_start(counter)?;
    while !is_heard(socket, LOOK_EVERY)? {
        let uses = read_start(counter)?;
        let mut slowdown = probe(hold.best);
        if slowdown >= hold.slow_core {
            // An interrupt slows down one probe, but hardly two in a row.
            slowdown = slowdown.min(probe(hold.best));
        }
        seen.looks += 1;
        if slowdown >= hold.slow_core {
            seen.slow_looks += 1;
            // A waiting run loses nothing, and processes that build or end a run must not be held.
            if uses != used {
                let stayed = stay_awake(socket, hold, Nanos(seen.held_ns))?;
                seen.held_ns += stayed.time.0;
                if stayed.is_calm {
                    slowdown = Slowdown::default();
                }
            }
        }
        used = uses;
        sum += u64::from(slowdown.0);
    }
    seen.slowdown_permille = sum.checked_div(seen.looks).unwrap_or_default() as u32;
    seen.cpu_time_ns = (own_cpu_time() - before).0;
    Ok(protocol::receive::<Order>(socket, buffer)?.map(|_| seen))
}

struct Stayed {
    /// For how long the guard had the CPU; the kernel may still have given some of that to the run.
    time: Nanos,
    is_calm: bool,
}

/// Stays awake until the core is calm, patience has run out, or the run is to end.
fn stay_awake(socket: &OwnedFd, hold: Hold, held: Nanos) -> io::Result<Stayed> {
    let begin = own_cpu_time();
    let mut calm = 0;
    loop {
        let (time, is_calm) = (own_cpu_time() - begin, calm == CALM_PROBES);
        if is_calm || held + time >= hold.patience || is_heard(socket, AT_ONCE)? {
            return Ok(Stayed { time, is_calm });
        }
        calm = if probe(hold.best) < hold.slow_core { calm + 1 } else { 0 };
    }
}

fn read_start(counter: &OwnedFd) -> io::Result<[u8; 40]> {
    let mut start = [0; 40];
    let length = rustix::io::pread(counter, &mut start, 0)?;
    if let Some(end) = start[..length].iter().position(|byte| *byte == b'\n') {
        start[end..].fill(0);
    }
    Ok(start)
}

const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

fn probe(best: Nanos) -> Slowdown {
    Slowdown::of(pace::probe(), best).unwrap_or_default()
}

/// Waits for a message from the supervisor; also returns true if the supervisor is gone.
fn is_heard(socket: &OwnedFd, timeout: Timespec) -> io::Result<bool> {
    let mut polled = [PollFd::new(socket, PollFlags::IN)];
    match rustix::event::poll(&mut polled, Some(&timeout)) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn own_cpu_time() -> Nanos {
    Nanos(sys::clock_ns(libc::CLOCK_PROCESS_CPUTIME_ID))
}
