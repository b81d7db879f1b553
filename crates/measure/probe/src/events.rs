//! The kernel's own events on the measured CPUs, in ticks of the counter, so that each detour can be explained.

use audit::{Event, Instance, Interruption, TraceError, TraceFs, What, parse_events};
use model::{CpuId, CpuSet, Reading};
use noise::Ticks;
use std::collections::BTreeMap;
use system::Roots;

/// The kernel's clock that is the processor's counter (`Documentation/trace/ftrace.rst`).
const CLOCK: &str = "x86-tsc";
/// An event takes about 32 bytes, and a busy CPU has some thousand a second: minutes.
const CPU_BUFFER_BYTES: u64 = 8 << 20;
/// Begins only: each event costs the interrupt it is of some 100 ns.
const EVENTS: &[&str] = &["irq/irq_handler_entry", "irq/softirq_entry", "sched/sched_switch"];
/// A processor's own interrupts; the timer is what is looked for, the others are rare.
const LOCAL: &[&str] = &[
    "irq_vectors/local_timer_entry",
    "irq_vectors/reschedule_entry",
    "irq_vectors/call_function_entry",
    "irq_vectors/call_function_single_entry",
    "irq_vectors/irq_work_entry",
];

/// A recording.
#[derive(Debug)]
pub(super) struct Recorder {
    instance: Instance,
    cpus: CpuSet,
    failed: Option<String>,
}

/// Events by name, with when they began.
type Named = Vec<(String, Vec<Ticks>)>;

#[derive(Debug)]
pub(super) struct Recorded(BTreeMap<CpuId, Reading<Named>>);

impl Recorder {
    /// Makes a recording ready.
    pub(super) fn open(roots: &Roots, cpus: &CpuSet) -> Result<Self, TraceError> {
        let instance = TraceFs::open(roots)?.instance(roots, "noise")?;
        instance.clock(CLOCK)?;
        instance.watch(cpus, CPU_BUFFER_BYTES)?;
        for event in EVENTS.iter().chain(LOCAL) {
            instance.enable(event)?;
        }
        Ok(Self { instance, cpus: cpus.clone(), failed: None })
    }

    /// Begins to record.
    pub(super) fn begin(&mut self) {
        self.failed = self.instance.record(true).err().map(|error| error.to_string());
    }

    /// Ends it; `origin` is the reading that is 0.
    pub(super) fn end(mut self, origin: u64) -> Recorded {
        if let Err(error) = self.instance.record(false) {
            self.failed.get_or_insert(error.to_string());
        }
        let cpus: Vec<CpuId> = self.cpus.iter().collect();
        let taken = cpus.into_iter().map(|cpu| {
            let events = match (&self.failed, self.instance.take(cpu)) {
                (Some(why), _) => Reading::unavailable(why.as_str()),
                (None, Err(error)) => Reading::unavailable(error.to_string()),
                (None, Ok((_, lost))) if lost > 0 => {
                    Reading::unavailable(format!("the kernel's buffer was too small for {lost} events"))
                }
                (None, Ok((text, _))) => Reading::Known(by_name(&text, origin)),
            };
            (cpu, events)
        });
        Recorded(taken.collect())
    }
}

impl Recorded {
    pub(super) fn of(&self, cpu: CpuId) -> Reading<Named> {
        self.0.get(&cpu).cloned().unwrap_or_default()
    }
}

/// Sorts events after `origin` by what they are called.
fn by_name(text: &[u8], origin: u64) -> Named {
    let mut named: BTreeMap<String, Vec<Ticks>> = BTreeMap::new();
    for event in parse_events(text) {
        // With this clock the text has ticks where it else has seconds.
        let Some(ticks) = event.ticks().checked_sub(origin) else { continue };
        if let Some(name) = name(&event) {
            named.entry(name).or_default().push(Ticks(ticks));
        }
    }
    named.into_iter().collect()
}

fn name(event: &Event) -> Option<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(match event.what {
        What::Enter(Interruption::Local(name)) => text(name),
        What::Enter(Interruption::Device { number, name }) => format!("interrupt {number} {}", text(name)),
        What::Enter(Interruption::Soft { name, .. }) => format!("softirq {}", text(name)),
        // To idle, the probe goes by itself, between bursts.
        What::Switch { next, next_name, .. } if next != 0 => format!("switch to {}", text(next_name)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_sorted_by_name_and_counted_from_the_origin() {
        let text = b"# tracer: nop\n\
            \x20        noise-1-1203    [001] d.h1. 5000000100: local_timer_entry: vector=236\n\
            \x20        noise-1-1203    [001] d.s1. 5000000900: softirq_entry: vec=1 [action=TIMER]\n\
            \x20        noise-1-1203    [001] d..2. 5000009900: sched_switch: prev_comm=noise-1 prev_pid=1203 prev_prio=120 \
            prev_state=R ==> next_comm=kworker/1:0 next_pid=17 next_prio=120\n\
            \x20    kworker/1:0-17      [001] d..2. 5000019900: sched_switch: prev_comm=kworker/1:0 prev_pid=17 \
            prev_prio=120 prev_state=I ==> next_comm=noise-1 next_pid=1203 next_prio=120\n\
            \x20        noise-1-1203    [001] d.h1. 5010000100: local_timer_entry: vector=236\n";
        let events = by_name(text, 5_000_000_200);
        let names: Vec<_> = events.iter().map(|(name, when)| (name.as_str(), when.len())).collect();
        assert_eq!(
            names,
            [
                ("local_timer", 1),
                ("softirq TIMER", 1),
                ("switch to kworker/1:0", 1),
                ("switch to noise-1", 1)
            ]
        );
        assert_eq!(events[0].1, [Ticks(9_999_900)]);
    }
}
