//! A guard: a process on a run's own CPU that looks at the core while the run goes on, and keeps the run from going on
//! while somebody shares the core.
//!
//! It is of real-time class, so to hold the run it need only stay awake: the kernel gives the CPU to nobody else, and
//! charges the run for none of it. Between looks it sleeps. It is in no group that counts the run's time or memory.

#![allow(unsafe_code)]

use crate::launcher::SOCKET_DESCRIPTOR;
use crate::process::HelperProcess;
use crate::{SandboxError, child, pace, protocol, sys};
use cgroup::SlotGroups;
use model::{Nanos, Slowdown};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::{AsFd, FromRawFd, OwnedFd};
use serde::{Deserialize, Serialize};
use std::io;
use std::time::Duration;

/// The first argument that makes a binary a guard.
pub(crate) const GUARD_ARGUMENT: &str = "__guard";

/// Between two looks. Each costs the run 0.01 to 0.03 ms, for the interrupt and the switch; rarer looks tell less.
const LOOK_EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 2_000_000 };
/// A run that is held goes on after so many calm looks in a row, some 0.25 ms.
const CALM_LOOKS: u32 = 8;
/// The lowest priority of its class is above every program.
const PRIORITY: i32 = 1;
/// The kernel ends a guard that stays awake for longer than it may hold a run, and this.
const AWAKE_MAX: Duration = Duration::from_secs(1);

/// When and for how long a run is to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hold {
    /// What a loop of [`crate::Slot::pace`] takes while the core is at its best.
    pub best: Nanos,
    /// For how long at most, all times together; no longer than [`Hold::PATIENCE_MAX`].
    pub patience: Nanos,
}

impl Hold {
    /// More would let others' work on that CPU wait for too long, such as threads of the kernel.
    pub const PATIENCE_MAX: Nanos = Nanos::from_millis(2_000);
}

/// What a guard saw and did during a run, and what it used for that itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub looks: u64,
    pub slow_looks: u64,
    pub slowdown_permille: u32,
    pub held_ns: u64,
    pub cpu_time_ns: u64,
}

/// What a guard is told.
#[derive(Debug, Serialize, Deserialize)]
enum Order {
    /// First of all: on which CPU it is. With it comes the group to enter, if there is one.
    Post { cpu: u32 },
    /// A run begins.
    Watch { best_ns: u64, patience_ns: u64 },
    /// The run has ended, or is to end.
    Release,
}

#[derive(Debug, Serialize, Deserialize)]
enum Report {
    /// It is at its post, or why it cannot be.
    Ready(Result<(), String>),
    /// The watch is over.
    Seen(Seen),
}

/// A guard, from the supervisor's side.
#[derive(Debug)]
pub(crate) struct Guard {
    process: HelperProcess,
    cpu: u32,
    buffer: Vec<u8>,
}

impl Guard {
    /// Starts one for runs on this CPU; says why there is none.
    pub fn start(cpu: u32, groups: &SlotGroups) -> Result<Self, String> {
        let process = HelperProcess::start(GUARD_ARGUMENT).map_err(|error| error.to_string())?;
        let mut guard = Self { process, cpu, buffer: Vec::new() };
        let entrance = groups.guard_entrance().map_err(|error| error.to_string())?;
        let fds: Vec<_> = entrance.iter().map(AsFd::as_fd).collect();
        guard.process.send(&Order::Post { cpu }, &fds).map_err(|error| error.to_string())?;
        match guard.hear() {
            Some(Report::Ready(ready)) => ready.map(|()| guard),
            _ => Err("the guard ended at once".to_owned()),
        }
    }

    /// Says on which CPU it is.
    pub fn cpu(&self) -> u32 {
        self.cpu
    }

    /// Tells it that a run has begun.
    pub fn watch(&self, hold: Hold) -> Result<(), SandboxError> {
        let patience = hold.patience.min(Hold::PATIENCE_MAX);
        self.process.send(&Order::Watch { best_ns: hold.best.0, patience_ns: patience.0 }, &[])
    }

    /// Has it let go of a run that is to end.
    pub fn release(&self) {
        // If it is gone, it holds nothing.
        let _ = self.process.send(&Order::Release, &[]);
    }

    /// Ends the watch; none if the guard is gone.
    pub fn end_watch(&mut self) -> Option<Seen> {
        self.release();
        match self.hear()? {
            Report::Seen(seen) => Some(seen),
            Report::Ready(_) => None,
        }
    }

    fn hear(&mut self) -> Option<Report> {
        protocol::receive(&self.process.socket, &mut self.buffer).ok().flatten().map(|(report, _)| report)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.process.end();
    }
}

/// Is a guard until the supervisor is gone; gives the exit code.
pub(crate) fn serve_to_the_end() -> i32 {
    // SAFETY: the supervisor put its socket at this number; should someone type the argument by hand, the first
    // reading from it fails and we end.
    let socket = unsafe { OwnedFd::from_raw_fd(SOCKET_DESCRIPTOR) };
    i32::from(serve(&socket).is_err())
}

fn serve(socket: &OwnedFd) -> io::Result<()> {
    let mut buffer = Vec::new();
    let Some((Order::Post { cpu }, fds)) = protocol::receive(socket, &mut buffer)? else { return Ok(()) };
    let posted = take_post(cpu, &fds).map_err(|(what, error)| format!("a guard cannot {what}: {error}"));
    let failed = posted.is_err();
    protocol::send(socket, &Report::Ready(posted), &[])?;
    while let (false, Some((order, _))) = (failed, protocol::receive(socket, &mut buffer)?) {
        if let Order::Watch { best_ns, patience_ns } = order {
            let hold = Hold { best: Nanos(best_ns), patience: Nanos(patience_ns) };
            let Some(seen) = watch(socket, &mut buffer, hold)? else { break };
            protocol::send(socket, &Report::Seen(seen), &[])?;
        }
    }
    Ok(())
}

fn take_post(cpu: u32, groups: &[OwnedFd]) -> Result<(), (&'static str, io::Error)> {
    let at = |what| move |error| (what, error);
    for group in groups {
        rustix::io::write(group, b"0").map_err(|error| ("enter the slot's group", error.into()))?;
    }
    child::bind_to_cpus(&[cpu]).map_err(at("go to the run's CPU"))?;
    let awake = (Duration::from_nanos(Hold::PATIENCE_MAX.0) + AWAKE_MAX).as_micros() as u64;
    child::set_limit(libc::RLIMIT_RTTIME, awake).map_err(at("limit itself"))?;
    let priority = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: the structure lives through the call; 0 is this process.
    sys::check(unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority) })
        .map_err(at("get the real-time class"))?;
    sys::drop_all_capabilities().map_err(at("drop its capabilities"))?;
    rustix::thread::set_no_new_privs(true).map_err(|error| ("drop its capabilities", error.into()))
}

/// Looks until it is told that the run has ended; none if the supervisor is gone.
fn watch(socket: &OwnedFd, buffer: &mut Vec<u8>, hold: Hold) -> io::Result<Option<Seen>> {
    let before = own_cpu_time();
    let (mut seen, mut sum) = (Seen::default(), 0);
    while !is_heard(socket, LOOK_EVERY)? {
        let mut slowdown = look(hold.best);
        if slowdown >= Slowdown::FLOOR {
            // An interrupt makes one look slow, and hardly two.
            slowdown = slowdown.min(look(hold.best));
        }
        seen.looks += 1;
        sum += u64::from(slowdown.0);
        if slowdown >= Slowdown::FLOOR {
            seen.slow_looks += 1;
            seen.held_ns += stay_awake(socket, hold, Nanos(seen.held_ns))?.0;
        }
    }
    seen.slowdown_permille = sum.checked_div(seen.looks).unwrap_or_default() as u32;
    seen.cpu_time_ns = (own_cpu_time() - before).0;
    Ok(protocol::receive::<Order>(socket, buffer)?.map(|_| seen))
}

/// Stays awake until the core is calm, or patience or the run is at its end; gives how long it had the CPU, some of which
/// the kernel may have given to the run all the same.
fn stay_awake(socket: &OwnedFd, hold: Hold, held: Nanos) -> io::Result<Nanos> {
    let begin = own_cpu_time();
    let mut calm = 0;
    loop {
        let time = own_cpu_time() - begin;
        if calm == CALM_LOOKS || held + time >= hold.patience || is_heard(socket, AT_ONCE)? {
            return Ok(time);
        }
        calm = if look(hold.best) < Slowdown::FLOOR { calm + 1 } else { 0 };
    }
}

const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

fn look(best: Nanos) -> Slowdown {
    Slowdown::of(pace::look(), best).unwrap_or_default()
}

/// Waits for the supervisor; that it is gone is heard, too.
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
