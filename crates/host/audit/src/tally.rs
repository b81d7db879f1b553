//! Adds events up: which task was on which CPU for how long. No moment is counted twice.

use super::ownership::{Owner, Ownership};
use super::parse::{Event, Interruption, What};
use model::{CpuId, CpuSet, CpuShares, Nanos};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug)]
pub struct CpuEvents<'t> {
    pub cpu: CpuId,
    pub events: Vec<Event<'t>>,
    /// How many events after the last one were lost.
    pub lost: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stints {
    pub count: u64,
    pub total: Nanos,
    pub longest: Nanos,
    /// The part of the total that the run could have used.
    pub taken: Nanos,
    pub cpus: CpuSet,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskTally {
    /// Its last name; `None` if no switch to or from it was seen.
    pub name: Option<String>,
    pub stints: Stints,
    pub cpu_times: BTreeMap<CpuId, Nanos>,
    /// How often it left its CPU although it could have gone on.
    pub forced: u64,
    /// How often it left its CPU because it waited or ended.
    pub voluntary: u64,
    /// How often it continued on another CPU than before.
    pub migrations: u64,
    last_cpu: Option<CpuId>,
}

/// An interruption's name, without what differs between occurrences.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InterruptionName {
    Device(u32, String),
    /// One of the processor's own.
    Local(String),
    Soft(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub tasks: BTreeMap<u32, TaskTally>,
    pub interruptions: BTreeMap<InterruptionName, Stints>,
    pub shares: CpuShares,
    pub lost: u64,
    /// How often the task of an event was not the one of the last switch.
    pub missed_switches: u64,
}

struct CpuNow<'t> {
    cpu: CpuId,
    since: Nanos,
    /// `None` before the first event.
    task: Option<u32>,
    /// How long the task has run since its last switch, without interruptions.
    stint: Nanos,
    interruptions: Vec<(Interruption<'t>, Nanos, Nanos)>,
    /// Threads of the run that were preempted on this CPU and have not returned.
    waiting: BTreeSet<u32>,
}

pub fn tally(begin: Nanos, end: Nanos, recorded: &[CpuEvents<'_>], ownership: &Ownership) -> Tally {
    let mut tally = Tally::default();
    let mut cpus: Vec<CpuNow<'_>> = recorded
        .iter()
        .map(|recorded| CpuNow {
            cpu: recorded.cpu,
            since: begin,
            task: None,
            stint: Nanos::ZERO,
            interruptions: Vec::new(),
            waiting: BTreeSet::new(),
        })
        .collect();
    let mut events: Vec<(usize, &Event<'_>)> = recorded
        .iter()
        .enumerate()
        .flat_map(|(at, recorded)| recorded.events.iter().map(move |event| (at, event)))
        .collect();
    // Stable, so that events of one CPU within a microsecond keep their order.
    events.sort_by_key(|(_, event)| event.time);
    for (at, event) in events {
        if let What::Switch { next, .. } = event.what
            && ownership.of(next) == Owner::Run
        {
            for now in cpus.iter_mut().filter(|now| now.waiting.contains(&next)) {
                // It was waiting there until now.
                tally.pass(now, event.time.min(end), ownership);
                now.waiting.remove(&next);
            }
        }
        tally.take(&mut cpus[at], event, end, ownership);
    }
    for (now, recorded) in cpus.iter_mut().zip(recorded) {
        tally.lost += recorded.lost;
        if recorded.lost == 0 && now.task.is_some() {
            tally.pass(now, end, ownership);
        } else {
            tally.shares.unknown = tally.shares.unknown + end.saturating_sub(now.since);
        }
        while tally.leave(now) {}
        tally.end_stint(now);
    }
    tally
}

impl Tally {
    fn take<'t>(&mut self, now: &mut CpuNow<'t>, event: &Event<'t>, end: Nanos, ownership: &Ownership) {
        match now.task {
            // The first event shows which task was on the CPU when the recording began.
            None => self.arrive(now, event.task),
            Some(task) if task != event.task => self.missed_switch(now, event, end),
            Some(_) => {}
        }
        self.pass(now, event.time.min(end), ownership);
        match event.what {
            What::Switch { name, forced, next, next_name } => {
                // An interruption without a recorded end cannot continue in another task.
                while self.leave(now) {}
                self.end_stint(now);
                if event.task != 0 {
                    let task = self.tasks.entry(event.task).or_default();
                    task.name = Some(shown(name));
                    *(if forced { &mut task.forced } else { &mut task.voluntary }) += 1;
                    if forced && ownership.of(event.task) == Owner::Run && ownership.of(next) != Owner::Run {
                        now.waiting.insert(event.task);
                    }
                }
                self.arrive(now, next);
                if next != 0 {
                    self.tasks.entry(next).or_default().name = Some(shown(next_name));
                }
            }
            What::Enter(interruption) => now.interruptions.push((interruption, Nanos::ZERO, Nanos::ZERO)),
            What::Leave(interruption) => {
                // If it began before the recording, there is nothing to end.
                if now.interruptions.iter().any(|(begun, ..)| interruption.ends(begun)) {
                    loop {
                        let last =
                            now.interruptions.last().is_some_and(|(begun, ..)| interruption.ends(begun));
                        if !self.leave(now) || last {
                            break;
                        }
                    }
                }
            }
            What::Fork { .. } => {}
        }
    }

    /// Handles a switch that is missing in the trace: kernels omit some of them (seen on Linux 6.18, all of them away
    /// from tasks of one process). The time of the switch is not known.
    fn missed_switch(&mut self, now: &mut CpuNow<'_>, event: &Event<'_>, end: Nanos) {
        self.missed_switches += 1;
        while self.leave(now) {}
        self.end_stint(now);
        let time = event.time.min(end);
        self.shares.unknown = self.shares.unknown + time.saturating_sub(now.since);
        now.since = now.since.max(time);
        now.waiting.remove(&event.task);
        self.arrive(now, event.task);
    }

    fn pass(&mut self, now: &mut CpuNow<'_>, time: Nanos, ownership: &Ownership) {
        let Some(task) = now.task else { return };
        let passed = time.saturating_sub(now.since);
        now.since = now.since.max(time);
        let owner = ownership.of(task);
        let wanted = !now.waiting.is_empty();
        let share = match now.interruptions.last_mut() {
            Some((interruption, length, taken)) => {
                *length = *length + passed;
                if wanted || owner == Owner::Run {
                    *taken = *taken + passed;
                }
                match interruption {
                    Interruption::Soft { .. } => &mut self.shares.soft_interrupts,
                    _ => &mut self.shares.interrupts,
                }
            }
            None => {
                now.stint = now.stint + passed;
                if task != 0 {
                    let tally = self.tasks.entry(task).or_default();
                    let on_cpu = tally.cpu_times.entry(now.cpu).or_default();
                    *on_cpu = *on_cpu + passed;
                    if wanted && owner != Owner::Run {
                        tally.stints.taken = tally.stints.taken + passed;
                    }
                }
                match (task, owner) {
                    (0, _) => &mut self.shares.idle,
                    (_, Owner::Run) => &mut self.shares.run,
                    (_, Owner::Ours) => &mut self.shares.ours,
                    (_, Owner::Others) => &mut self.shares.others,
                }
            }
        };
        *share = *share + passed;
    }

    fn arrive(&mut self, now: &mut CpuNow<'_>, task: u32) {
        now.task = Some(task);
        now.stint = Nanos::ZERO;
        if task == 0 {
            return;
        }
        let tally = self.tasks.entry(task).or_default();
        if tally.last_cpu.is_some_and(|last| last != now.cpu) {
            tally.migrations += 1;
        }
        tally.last_cpu = Some(now.cpu);
    }

    fn end_stint(&mut self, now: &mut CpuNow<'_>) {
        if let Some(task) = now.task.filter(|task| *task != 0) {
            self.tasks.entry(task).or_default().stints.add(now.cpu, now.stint);
        }
    }

    /// Ends the innermost interruption; returns whether there was one.
    fn leave(&mut self, now: &mut CpuNow<'_>) -> bool {
        let Some((interruption, length, taken)) = now.interruptions.pop() else { return false };
        let stints = self.interruptions.entry(interruption.into()).or_default();
        stints.add(now.cpu, length);
        stints.taken = stints.taken + taken;
        true
    }
}

impl Stints {
    fn add(&mut self, cpu: CpuId, length: Nanos) {
        self.count += 1;
        self.total = self.total + length;
        self.longest = self.longest.max(length);
        self.cpus.insert(cpu);
    }

    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total = self.total + other.total;
        self.longest = self.longest.max(other.longest);
        self.taken = self.taken + other.taken;
        self.cpus = self.cpus.iter().chain(other.cpus.iter()).collect();
    }
}

impl From<Interruption<'_>> for InterruptionName {
    fn from(interruption: Interruption<'_>) -> Self {
        match interruption {
            Interruption::Device { number, name } => Self::Device(number, shown(name)),
            Interruption::Local(name) => Self::Local(shown(name)),
            Interruption::Soft { name, .. } => Self::Soft(shown(name)),
        }
    }
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests;
