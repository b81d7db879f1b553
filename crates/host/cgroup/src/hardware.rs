//! What the processor's counters see of a group, in user mode (`perf_event_open(2)`, `PERF_FLAG_PID_CGROUP`).

use model::{CpuId, CpuSet, HardwareCounts, Nanos, Reading};
use perf_event::events::{Event, Hardware, Software};
use perf_event::{Builder, Counter, ReadFormat};
use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::time::Duration;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    #[default]
    Nothing,
    Hardware,
    /// The kernel's own events in their place, which every machine has: they cost the same, and what they count is left out.
    KernelEvents,
}

/// More CPUs than this would cost a run more to open than their counters are worth.
const CPUS_MAX: usize = 16;

/// Counts what a run does. The events stay open and enabled while runs are in the same group on the same CPUs, and a run is the
/// difference of two readings: each event costs an interrupt of its CPU to open, and another to close.
#[derive(Debug, Default)]
pub struct HardwareCounters {
    open: Vec<CpuEvents<HARDWARE>>,
    counting: Option<(Counting, u64, CpuSet)>,
    /// What they had counted when the run began.
    before: Vec<CounterReading<HARDWARE>>,
    unavailable: Option<String>,
    /// Why this machine has none, which is asked once.
    missing: Option<String>,
}

/// Instructions, cycles, reference cycles, misses of the last-level cache.
const HARDWARE: usize = 4;

impl HardwareCounters {
    pub fn begin(&mut self, counting: Counting, group: Option<&File>, cpus: Option<&CpuSet>) {
        self.unavailable = match self.try_begin(counting, group, cpus) {
            Ok(()) if counting == Counting::Hardware => None,
            Ok(()) => Some("the kernel's own events were counted in their place".to_owned()),
            Err(why) => Some(why),
        };
    }

    fn try_begin(
        &mut self,
        counting: Counting,
        group: Option<&File>,
        cpus: Option<&CpuSet>,
    ) -> Result<(), String> {
        if counting == Counting::Nothing {
            return Err("they were not requested".to_owned());
        }
        let group = group.ok_or("they count by control group of version 2, and the run has none")?;
        let cpus = cpus.ok_or("they count on named CPUs, and the run may be on any")?;
        if cpus.len() > CPUS_MAX {
            return Err(format!("they are read for {CPUS_MAX} CPUs at most, and the run has {}", cpus.len()));
        }
        if let Some(why) = self.missing.as_ref().filter(|_| counting == Counting::Hardware) {
            return Err(why.clone());
        }
        let inode = rustix::fs::fstat(group).map_err(|error| why_not(&error.into()))?.st_ino;
        let wanted = Some((counting, inode, cpus.clone()));
        if self.counting != wanted {
            // Those of before are closed only now: the kernel patches its own code when the last event of a machine is closed.
            self.counting = None;
            self.open = self.reopen(counting, group, cpus)?;
            self.counting = wanted;
        }
        self.before = self.read().map_err(|error| why_not(&error))?;
        Ok(())
    }

    fn reopen(
        &mut self,
        counting: Counting,
        group: &File,
        cpus: &CpuSet,
    ) -> Result<Vec<CpuEvents<HARDWARE>>, String> {
        use {Hardware as H, Software as S};
        if counting == Counting::KernelEvents {
            let events = [S::PAGE_FAULTS, S::PAGE_FAULTS_MIN, S::CONTEXT_SWITCHES, S::CPU_MIGRATIONS];
            return open(group, cpus, events).map_err(|error| why_not(&error));
        }
        let events = [H::INSTRUCTIONS, H::CPU_CYCLES, H::REF_CPU_CYCLES, H::CACHE_MISSES];
        open(group, cpus, events).map_err(|error| self.missing.insert(why_not(&error)).clone())
    }

    fn read(&mut self) -> io::Result<Vec<CounterReading<HARDWARE>>> {
        self.open.iter_mut().map(CpuEvents::read).collect()
    }

    pub fn end(&mut self) -> Reading<HardwareCounts> {
        if let Some(why) = &self.unavailable {
            return Reading::unavailable(why);
        }
        match self.read() {
            Ok(after) => {
                let since = |(after, before): (&CounterReading<_>, &CounterReading<_>)| after.since(before);
                summed(&after.iter().zip(&self.before).map(since).collect::<Vec<_>>())
            }
            Err(error) => Reading::Unavailable(format!("the hardware counters cannot be read: {error}")),
        }
    }
}

struct CpuEvents<const N: usize> {
    leader: Counter,
    /// The others; `None` where the processor has no such counter.
    members: [Option<Counter>; N],
}

impl<const N: usize> fmt::Debug for CpuEvents<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuEvents").field("leader", &self.leader.id()).finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CounterReading<const N: usize> {
    /// None where the processor has no such counter.
    values: [Option<u64>; N],
    /// While the group was on the CPU.
    enabled: Duration,
    /// While it was, and the events had counters: they take turns if there are not enough.
    running: Duration,
}

/// Opens events for a group, one set for each CPU; the first two must be there.
fn open<E: Event + Clone, const N: usize>(
    group: &File,
    cpus: &CpuSet,
    events: [E; N],
) -> io::Result<Vec<CpuEvents<N>>> {
    let of_cpu = |cpu: CpuId| -> io::Result<CpuEvents<N>> {
        let builder = |event: &E| {
            let mut builder = Builder::new(event.clone());
            let format = ReadFormat::GROUP | ReadFormat::TOTAL_TIME_ENABLED | ReadFormat::TOTAL_TIME_RUNNING;
            observe(&mut builder, group, cpu);
            builder.read_format(format);
            builder
        };
        let mut leader = builder(&events[0]).build()?;
        let mut members = [const { None }; N];
        for (at, event) in events.iter().enumerate().skip(1) {
            members[at] = match builder(event).build_with_group(&mut leader) {
                Ok(counter) => Some(counter),
                // Not every processor has the last of them.
                Err(_) if at > 1 => None,
                Err(error) => return Err(error),
            };
        }
        Ok(CpuEvents { leader, members })
    };
    cpus.iter().map(of_cpu).collect()
}

/// Has an event count a group on a CPU from the beginning.
pub fn observe<'a>(builder: &mut Builder<'a>, group: &'a File, cpu: CpuId) {
    builder.observe_cgroup(group).one_cpu(cpu.0 as usize).enabled(true);
}

pub fn why_not(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::Unsupported => {
            "this machine has no hardware counters, as most virtual machines have none".to_owned()
        }
        ErrorKind::PermissionDenied => format!("counting needs CAP_PERFMON{}", paranoid()),
        _ => format!("perf_event_open: {error}"),
    }
}

/// Returns the setting that forbids counting without that capability.
fn paranoid() -> String {
    let level = std::fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
    level.map_or_else(|_| String::new(), |level| format!(" (perf_event_paranoid is {})", level.trim()))
}

impl<const N: usize> CpuEvents<N> {
    fn read(&mut self) -> io::Result<CounterReading<N>> {
        let counts = self.leader.read_group()?;
        let value = |counter: &Counter| counts.get(counter).map(|entry| entry.value());
        let mut values = [None; N];
        for (value_at, member) in values.iter_mut().zip(&self.members) {
            *value_at = member.as_ref().and_then(value);
        }
        values[0] = value(&self.leader);
        Ok(CounterReading {
            values,
            enabled: counts.time_enabled().unwrap_or_default(),
            running: counts.time_running().unwrap_or_default(),
        })
    }
}

impl<const N: usize> CounterReading<N> {
    fn since(&self, before: &Self) -> Self {
        let mut values = self.values;
        for (value, before) in values.iter_mut().zip(before.values) {
            *value = value.zip(before).map(|(now, before)| now.saturating_sub(before));
        }
        let (enabled, running) =
            (self.enabled.saturating_sub(before.enabled), self.running.saturating_sub(before.running));
        Self { values, enabled, running }
    }
}

/// Adds up the CPUs, each scaled to the time for which it should have counted.
fn summed(counted: &[CounterReading<HARDWARE>]) -> Reading<HardwareCounts> {
    let time = |of: fn(&CounterReading<HARDWARE>) -> Duration| -> Duration { counted.iter().map(of).sum() };
    let (enabled, running) = (time(|counted| counted.enabled), time(|counted| counted.running));
    if running.is_zero() {
        return Reading::unavailable("others held the hardware counters all the time");
    }
    let total = |at: usize| -> Option<u64> { counted.iter().map(|one| scaled(one, at)).sum() };
    let (Some(instructions), Some(cycles)) = (total(0), total(1)) else {
        return Reading::unavailable("others held the hardware counters of one of its CPUs all the time");
    };
    let nanos = |time: Duration| Nanos(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    Reading::Known(HardwareCounts {
        instructions,
        cycles,
        reference_cycles: total(2),
        cache_misses: total(3),
        enabled: nanos(enabled),
        running: nanos(running),
    })
}

/// Returns what an event would have counted had it always counted; none where it never did, though it should have.
fn scaled<const N: usize>(counted: &CounterReading<N>, at: usize) -> Option<u64> {
    let value = counted.values[at]?;
    match (counted.enabled.as_nanos(), counted.running.as_nanos()) {
        (0, _) => Some(0),
        (_, 0) => None,
        (enabled, running) => u64::try_from(u128::from(value) * enabled / running).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, group};
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn counted(values: [u64; 4], enabled: u64, running: u64) -> CounterReading<4> {
        let (enabled, running) = (Duration::from_nanos(enabled), Duration::from_nanos(running));
        CounterReading { values: values.map(Some), enabled, running }
    }

    #[test]
    fn cpus_add_up_and_events_that_took_turns_are_scaled() {
        let idle = counted([0; 4], 0, 0);
        let mut one = counted([100, 200, 300, 4], 1000, 500);
        one.values[3] = None;
        let counts = summed(&[one, counted([10, 20, 30, 4], 100, 100), idle]).into_known().unwrap();
        assert_eq!((counts.instructions, counts.cycles), (210, 420));
        assert_eq!((counts.reference_cycles, counts.cache_misses), (Some(630), None));
        assert_eq!((counts.enabled, counts.running), (Nanos(1100), Nanos(600)));
    }

    #[test]
    fn a_run_is_the_difference_of_two_readings() {
        let mut before = counted([100, 200, 300, 4], 1000, 500);
        before.values[3] = None;
        let run = counted([110, 230, 350, 9], 1100, 550).since(&before);
        assert_eq!(run.values, [Some(10), Some(30), Some(50), None]);
        assert_eq!((run.enabled, run.running), (Duration::from_nanos(100), Duration::from_nanos(50)));
    }

    #[test]
    fn counter_that_never_ran_is_not_zero() {
        assert!(summed(&[counted([0; 4], 1000, 0)]).known().is_none());
        assert!(summed(&[counted([5; 4], 10, 10), counted([0; 4], 1000, 0)]).known().is_none());
    }

    #[test]
    fn missing_counters_are_reported() {
        let mut counters = HardwareCounters::default();
        counters.begin(Counting::Hardware, None, None);
        assert!(counters.end().to_string().contains("control group of version 2"));
        counters.begin(Counting::Nothing, None, None);
        assert!(counters.end().to_string().contains("not requested"));
    }

    /// The kernel's own events take the same way as the processor's, and every machine has them.
    #[test]
    fn page_faults_of_a_group_are_counted_and_those_of_others_are_not() {
        let Some((root, _)) = Layout::detect().ok().and_then(|layout| layout.unified) else {
            println!("skipped: no control groups of version 2");
            return;
        };
        let path = root.join(format!("tauto-test-counters-{}", std::process::id()));
        if group::make(&path).is_err() {
            println!("skipped: needs root");
            return;
        }
        let cpu = "0".parse::<CpuSet>().unwrap();
        let faults = |is_inside: bool| -> Result<u64, String> {
            let folder = File::open(&path).unwrap();
            let events = [Software::PAGE_FAULTS, Software::PAGE_FAULTS_MIN];
            let mut open = open(&folder, &cpu, events).map_err(|error| error.to_string())?;
            // It writes a block of 4 MiB, a page at a time, once it is where it should be.
            let script = "read go; head -c 4194304 /dev/zero | dd of=/dev/null bs=4194304 iflag=fullblock";
            let mut child = Command::new("taskset");
            child.args(["-c", "0", "sh", "-c", script]).stdin(Stdio::piped()).stderr(Stdio::null());
            let mut child = child.spawn().unwrap();
            if is_inside {
                std::fs::write(path.join("cgroup.procs"), child.id().to_string()).unwrap();
            }
            child.stdin.take().unwrap().write_all(b"go\n").unwrap();
            assert!(child.wait().unwrap().success());
            let counted = open[0].read().unwrap();
            assert_eq!(is_inside, !counted.running.is_zero(), "{counted:?}");
            assert!(scaled(&counted, 0) >= scaled(&counted, 1), "{counted:?}");
            Ok(scaled(&counted, 0).unwrap())
        };
        let (inside, outside) = (faults(true), faults(false));
        group::remove(&path).unwrap();
        match (inside, outside) {
            // A page of a 4 MiB block is 4 KiB, unless huge pages serve it.
            (Ok(inside), Ok(outside)) => assert!(inside > 100 && outside == 0, "{inside} {outside}"),
            (Err(why), _) | (_, Err(why)) => println!("skipped: {why}"),
        }
    }
}
