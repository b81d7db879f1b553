//! Which tasks ran on a set of CPUs during an interval, by name, and where each thread of a run ran.
//!
//! It uses the kernel's own events where tracing is available: [`parse`] reads them, [`tally`] adds them up, [`report`]
//! names the tasks. Otherwise it uses counters before and after ([`estimate`]), and the audit is marked as an estimate.
//!
//! # Files
//!
//! `tracefs.rs` records, `parse.rs` reads the kernel's text, `tally.rs` adds up, `report.rs` names the tasks; without
//! events `estimate.rs` and `sampler.rs` use counters.
//!
//! # Invariants
//!
//! - An audit has its own tracing instances, which are removed with it.

#![forbid(unsafe_code)]

mod advice;
mod counters;
mod estimate;
mod ownership;
mod parse;
mod report;
mod sampler;
mod tally;
mod tasks;
mod tracefs;

pub use ownership::KnownTasks;
pub use parse::{Event, Interruption, What, events as parse_events};
pub use tasks::switches;
pub use tracefs::{Instance, TraceError, TraceFs};

use estimate::Before;
use model::{Audit, CpuSet, Nanos, Reading};
use ownership::Ownership;
use report::{Identity, WatchedCpus};
use system::{Roots, files};
use tally::CpuEvents;

/// The buffer of each watched CPU. An event takes about 32 bytes, and a CPU with one busy program has
/// about 1500 a second, so this is for minutes.
const CPU_BUFFER_BYTES: u64 = 8 << 20;
/// Total size of all buffers; on a machine with many CPUs each gets less.
const ALL_BUFFERS_BYTES: u64 = 256 << 20;
/// Forks are watched on all CPUs, since a run's first process is made on a helper's CPU: room for some thousand on
/// each.
const FORK_BUFFER_BYTES: u64 = 128 << 10;

/// Watches a set of CPUs, one interval after the other.
#[derive(Debug)]
pub struct Auditor {
    roots: Roots,
    cpus: CpuSet,
    elsewhere: CpuSet,
    tick: Nanos,
    source: Source,
    begun: Nanos,
}

#[derive(Debug)]
enum Source {
    Events(Box<Tracer>),
    Counters { why: String, before: Option<Before> },
}

/// The two instances: events on the watched CPUs, and forks on all CPUs.
#[derive(Debug)]
struct Tracer {
    events: Instance,
    forks: Instance,
}

impl Auditor {
    /// Prepares for watching. This takes some milliseconds; the intervals then cost little more than their events.
    pub fn open(roots: &Roots, cpus: &CpuSet) -> Self {
        let source = match Tracer::open(roots, cpus) {
            Ok(tracer) => Source::Events(Box::new(tracer)),
            Err(error) => Source::Counters { why: error.to_string(), before: None },
        };
        Self::with(roots, cpus, source)
    }

    /// Prepares for watching by counters alone, as if there were no events.
    pub fn by_counters(roots: &Roots, cpus: &CpuSet, why: &str) -> Self {
        Self::with(roots, cpus, Source::Counters { why: why.to_owned(), before: None })
    }

    fn with(roots: &Roots, cpus: &CpuSet, source: Source) -> Self {
        let online = files::value::<CpuSet>(&roots.sys.join("devices/system/cpu/online"));
        let elsewhere = online.known().map(|online| online.difference(cpus)).unwrap_or_default();
        Self {
            roots: roots.clone(),
            cpus: cpus.clone(),
            elsewhere,
            tick: system::counters::tick(),
            source,
            begun: Nanos::ZERO,
        }
    }

    pub fn cpus(&self) -> &CpuSet {
        &self.cpus
    }

    pub fn begin(&mut self, known: &KnownTasks) {
        if let Source::Events(tracer) = &self.source
            && let Err(error) = tracer.begin()
        {
            self.source = Source::Counters { why: error.to_string(), before: None };
        }
        if let Source::Counters { before, .. } = &mut self.source {
            *before = Some(Before::read(&self.roots, &self.cpus, known, self.tick));
        }
        self.begun = now();
    }

    /// Ends the interval and returns its audit. `known` also includes launchers that were started during it.
    pub fn end(&mut self, known: &KnownTasks) -> Reading<Audit> {
        let end = now();
        let interval = end.saturating_sub(self.begun);
        let place = WatchedCpus {
            here: &self.cpus,
            elsewhere: &self.elsewhere,
            // The file exists if the kernel was built with CONFIG_NO_HZ_FULL.
            can_be_tickless: self.roots.sys.join("devices/system/cpu/nohz_full").exists(),
        };
        match &mut self.source {
            Source::Events(tracer) => match tracer.end(&self.roots, place, known, (self.begun, end)) {
                Ok(audit) => Reading::Known(audit),
                Err(error) => Reading::unavailable(error.to_string()),
            },
            Source::Counters { why, before } => match before.take() {
                Some(before) => {
                    Reading::Known(before.audit(&self.roots, place, known, interval, (why, self.tick)))
                }
                None => Reading::unavailable("no interval was begun"),
            },
        }
    }
}

impl KnownTasks {
    /// Registers this process, and the launchers of the run.
    pub fn of_this_process(roots: &Roots, launchers: Vec<u32>) -> Self {
        let ours = tasks::threads(&roots.proc.join("self")).map(|(thread, _)| thread).collect();
        Self { launchers, inits: Vec::new(), ours }
    }
}

impl Tracer {
    fn open(roots: &Roots, cpus: &CpuSet) -> Result<Self, TraceError> {
        let forks = TraceFs::open(roots)?.instance(roots, "forks")?;
        forks.watch_all(FORK_BUFFER_BYTES)?;
        let events = TraceFs::open(roots)?.instance(roots, "cpus")?;
        let share = ALL_BUFFERS_BYTES / cpus.len().max(1) as u64;
        events.watch(cpus, CPU_BUFFER_BYTES.min(share))?;
        let needed = [(&forks, "sched/sched_process_fork"), (&events, "sched/sched_switch")];
        for (instance, event) in needed {
            if !instance.enable(event)? {
                return Err(TraceError::NoEvent(event));
            }
        }
        for event in ["irq_handler_entry", "irq_handler_exit", "softirq_entry", "softirq_exit"] {
            events.enable(&format!("irq/{event}"))?;
        }
        // The processor's own interrupts, on x86 and on ARM.
        events.enable_interrupts("irq_vectors")?;
        events.enable_interrupts("ipi")?;
        Ok(Self { events, forks })
    }

    fn begin(&self) -> Result<(), TraceError> {
        self.forks.record(true)?;
        self.events.record(true)
    }

    fn end(
        &mut self,
        roots: &Roots,
        place: WatchedCpus<'_>,
        known: &KnownTasks,
        (begin, end): (Nanos, Nanos),
    ) -> Result<Audit, TraceError> {
        self.events.record(false)?;
        self.forks.record(false)?;
        let (text, lost_forks) = self.forks.take_all()?;
        let forks = parse::events(&text).filter_map(|event| match event.what {
            What::Fork { child } => Some((event.task, child)),
            _ => None,
        });
        let ownership = Ownership::new(known, forks);
        let texts = place
            .here
            .iter()
            .map(|cpu| self.events.take(cpu).map(|(text, lost)| (cpu, text, lost)))
            .collect::<Result<Vec<_>, _>>()?;
        let recorded: Vec<_> = texts
            .iter()
            .map(|(cpu, text, lost)| {
                // An earlier interval with too much text may have left some events.
                let events = parse::events(text).filter(|event| event.time + Nanos(1_000) >= begin);
                CpuEvents { cpu: *cpu, events: events.collect(), lost: *lost }
            })
            .collect();
        let tally = tally::tally(begin, end, &recorded, &ownership);
        let identify = |thread| identify(roots, thread);
        let mut audit = report::report(&tally, &ownership, place, end.saturating_sub(begin), identify);
        if lost_forks > 0 {
            audit.blind_spots.push(format!(
                "forks dropped because the buffer was full: {lost_forks}; threads of the run that they made count as others"
            ));
        }
        Ok(audit)
    }
}

fn identify(roots: &Roots, thread: u32) -> Option<Identity> {
    let task = tasks::by_number(roots, thread)?;
    let control_group = if task.of_kernel { None } else { tasks::control_group(roots, thread) };
    Some(Identity { name: task.name, process: task.process, of_kernel: task.of_kernel, control_group })
}

fn now() -> Nanos {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    // The clock counts from boot, so neither part is negative.
    let (seconds, nanos) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_nsec));
    Nanos(seconds.unwrap_or(0).saturating_mul(1_000_000_000).saturating_add(nanos.unwrap_or(0)))
}
