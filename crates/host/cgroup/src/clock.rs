//! The processor's count of instructions in user mode as the clock of a run: one event for each CPU that the run may use.
//!
//! Unlike evidence, a clock must be right. Its events come before all others on the processor, are the only ones, and what was
//! not counted all the time is unavailable and not scaled.

mod known_loop;
mod pmus;

use crate::hardware::{observe, why_not};
use model::{CpuId, CpuSet, InstructionCount, Nanos};
use perf_event::Builder;
use perf_event::events::{Hardware, Software};
use pmus::CpuEvent;
use rustix::mm::{MapFlags, ProtFlags};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::path::Path;
use std::ptr::NonNull;

/// What a clock counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockEvent {
    Instructions,
    /// An event of the kernel in their place, which every machine has, for tests.
    PageFaults,
}

/// A run's clock before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockPlan {
    pub event: ClockEvent,
    /// The descriptors become readable soon after it.
    pub limit: Option<InstructionCount>,
}

/// More CPUs than this would cost a run more to open than it takes.
pub const CLOCK_CPUS_MAX: usize = 16;
/// On several CPUs a run has this much between two interrupts at least. The kernel stops events for a while that interrupt too often, and
/// they would then miss something.
const PERIOD_MIN: u64 = 4_000_000;
/// The kernel refuses longer ones.
const PERIOD_MAX: u64 = i64::MAX as u64;
/// A page about the event, and one for its records. Without them no reader is woken.
const RING_PAGES: usize = 2;

/// The events of one run, which count from the moment they are opened.
#[derive(Debug)]
pub struct Clock {
    events: Vec<Event>,
}

#[derive(Debug)]
struct Event {
    fd: OwnedFd,
    cpu: CpuId,
    _ring: Ring,
}

/// What an event has counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EventReading {
    cpu: CpuId,
    /// None once the kernel gave its counter to another.
    counted: Option<Counted>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    value: u64,
    /// While the group was on the CPU.
    enabled: Nanos,
    /// While it was, and the event had a counter.
    running: Nanos,
}

impl Clock {
    /// Opens the events of a run.
    pub fn open(plan: ClockPlan, group: Option<&File>, cpus: Option<&CpuSet>) -> Result<Self, String> {
        let group = group.ok_or("they count by control group of version 2, and the run has none")?;
        let cpus = cpus.ok_or("they count on named CPUs, and the run may be on any")?;
        if cpus.len() > CLOCK_CPUS_MAX {
            return Err(format!(
                "they count on {CLOCK_CPUS_MAX} CPUs at most, and the run has {}",
                cpus.len()
            ));
        }
        let events = match plan.event {
            ClockEvent::Instructions => pmus::events(&pmus::read(Path::new(pmus::FOLDER)), cpus)?,
            ClockEvent::PageFaults => cpus.iter().map(|cpu| CpuEvent { cpu, pmu: 0 }).collect(),
        };
        let period = plan.limit.map_or(PERIOD_MAX, |limit| period(limit.0, events.len()));
        let open = |event: &CpuEvent| -> io::Result<Event> {
            let mut builder = builder(plan.event, event);
            observe(&mut builder, group, event.cpu);
            builder.pinned(true).sample_period(period).wakeup_events(1);
            let counter = builder.build()?.into_raw_fd();
            // SAFETY: the counter gave its descriptor away just now.
            #[allow(unsafe_code)]
            let fd = unsafe { OwnedFd::from_raw_fd(counter) };
            Ok(Event { _ring: Ring::map(fd.as_fd())?, fd, cpu: event.cpu })
        };
        let events = events.iter().map(open).collect::<io::Result<_>>();
        Ok(Self { events: events.map_err(|error| why_not(&error))? })
    }

    /// Returns the events. Each becomes readable once after it has counted as much as it was to; what a read returns begins with its count.
    pub fn descriptors(&self) -> impl ExactSizeIterator<Item = BorrowedFd<'_>> {
        self.events.iter().map(|event| event.fd.as_fd())
    }

    /// Returns what the group has counted so far, or why that is not known.
    pub fn count(&self) -> Result<InstructionCount, String> {
        let read = |event: &Event| {
            Event::read(event.fd.as_fd()).map(|counted| EventReading { cpu: event.cpu, counted })
        };
        let readings = self.events.iter().map(read).collect::<io::Result<Vec<_>>>();
        summed(&readings.map_err(|error| format!("the counters cannot be read: {error}"))?)
    }

    /// Has the descriptors become readable soon after the group has counted more than this from now on.
    pub fn wake_after(&self, left: InstructionCount) -> io::Result<()> {
        let period = period(left.0, self.events.len());
        self.events.iter().try_for_each(|event| set_period(event.fd.as_fd(), period))
    }
}

impl Event {
    fn read(fd: BorrowedFd<'_>) -> io::Result<Option<Counted>> {
        let mut bytes = [0; 24];
        match rustix::io::read(fd, &mut bytes)? {
            24 => {}
            0 => return Ok(None),
            _ => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        let word = |at: usize| u64::from_ne_bytes(bytes.as_chunks::<8>().0[at]);
        Ok(Some(Counted { value: word(0), enabled: Nanos(word(1)), running: Nanos(word(2)) }))
    }
}

/// Adds up what the CPUs have counted; none of them may have missed anything.
fn summed(readings: &[EventReading]) -> Result<InstructionCount, String> {
    let mut total = 0_u64;
    for EventReading { cpu, counted } in readings {
        let cpu = cpu.0;
        let Some(Counted { value, enabled, running }) = counted else {
            return Err(format!("another program holds the counters of CPU {cpu}"));
        };
        if running < enabled {
            return Err(format!(
                "other programs had the counters of CPU {cpu} too: they counted for {running} of {enabled}"
            ));
        }
        total = total.saturating_add(*value);
    }
    Ok(InstructionCount(total))
}

/// Returns after how much each of the events is to interrupt, so that one does soon after all together have counted more than what is left. On one
/// CPU that is exact; on several, an interrupt may show that there is still something left.
fn period(left: u64, events: usize) -> u64 {
    let events = events.max(1) as u64;
    let each = left.saturating_add(1).div_ceil(events);
    each.max(if events > 1 { PERIOD_MIN } else { 1 }).min(PERIOD_MAX)
}

fn builder<'a>(event: ClockEvent, of: &CpuEvent) -> Builder<'a> {
    match event {
        ClockEvent::PageFaults => Builder::new(Software::PAGE_FAULTS),
        ClockEvent::Instructions => {
            let mut builder = Builder::new(Hardware::INSTRUCTIONS);
            // Where a machine has several kinds of counters, the upper half names the kind (perf_event_open(2), `PERF_PMU_TYPE_SHIFT`).
            builder.attrs_mut().config |= u64::from(of.pmu) << 32;
            builder
        }
    }
}

#[allow(unsafe_code)]
fn set_period(fd: BorrowedFd<'_>, period: u64) -> io::Result<()> {
    /// `PERF_EVENT_IOC_PERIOD`.
    const SET: rustix::ioctl::Opcode = rustix::ioctl::opcode::write::<u64>(b'$', 4);
    // SAFETY: the call reads one number of 64 bits.
    Ok(unsafe { rustix::ioctl::ioctl(fd, rustix::ioctl::Setter::<SET, u64>::new(period)) }?)
}

/// The memory to which the kernel writes a record for each interrupt. It is never read: it is mapped without the right to write, and so old
/// records give way.
#[derive(Debug)]
struct Ring(NonNull<std::ffi::c_void>, usize);

// SAFETY: the memory is only mapped and unmapped here, and never read.
#[allow(unsafe_code)]
unsafe impl Send for Ring {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for Ring {}

impl Ring {
    #[allow(unsafe_code)]
    fn map(fd: BorrowedFd<'_>) -> io::Result<Self> {
        let bytes = RING_PAGES * rustix::param::page_size();
        // SAFETY: a new mapping, at an address of the kernel's choice.
        let mapped = unsafe {
            rustix::mm::mmap(std::ptr::null_mut(), bytes, ProtFlags::READ, MapFlags::SHARED, fd, 0)
        }?;
        let mapped = NonNull::new(mapped).ok_or_else(|| io::Error::from(io::ErrorKind::OutOfMemory))?;
        Ok(Self(mapped, bytes))
    }
}

impl Drop for Ring {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: it was mapped with this size, and nothing refers to it.
        let _ = unsafe { rustix::mm::munmap(self.0.as_ptr(), self.1) };
    }
}

/// Checks that the processor counts instructions of control groups, and that each kind of counter counts a loop of known length right; or returns why
/// not.
pub fn check_instructions() -> Result<(), String> {
    let pmus = pmus::read(Path::new(pmus::FOLDER));
    for cpus in pmus::one_cpu_of_each(&pmus, &known_loop::allowed_cpus().map_err(|error| error.to_string())?)
    {
        for event in pmus::events(&pmus, &cpus)? {
            // What a run needs: a process's own event is permitted to everybody.
            let mut of_all = builder(ClockEvent::Instructions, &event);
            of_all.any_pid().one_cpu(event.cpu.0 as usize);
            drop(of_all.build().map_err(|error| why_not(&error))?);
            known_loop::check(&known_loop::count(&builder(ClockEvent::Instructions, &event), event.cpu))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(cpu: u32, value: u64, enabled_ms: u64, running_ms: u64) -> EventReading {
        let (enabled, running) = (Nanos::from_millis(enabled_ms), Nanos::from_millis(running_ms));
        EventReading { cpu: CpuId(cpu), counted: Some(Counted { value, enabled, running }) }
    }

    #[test]
    fn a_count_is_whole_or_unavailable() {
        let lost = EventReading { cpu: CpuId(3), counted: None };
        for (readings, expected) in [
            (vec![reading(1, 94_818_947, 31, 31)], Ok(94_818_947)),
            // A hybrid machine: most of it on a large core, the rest on a small one, and one that was never used.
            (
                vec![reading(2, 300_000_000, 90, 90), reading(12, 20_637_262, 14, 14), reading(13, 0, 0, 0)],
                Ok(320_637_262),
            ),
            (
                vec![reading(0, 7, 1, 1), reading(1, 47_000_000, 100, 50)],
                Err("other programs had the counters of CPU 1 too: they counted for 50.0 ms of 100.0 ms"),
            ),
            (
                vec![reading(1, 0, 100, 0)],
                Err("other programs had the counters of CPU 1 too: they counted for 0 s of 100.0 ms"),
            ),
            (vec![reading(0, 7, 1, 1), lost], Err("another program holds the counters of CPU 3")),
            (vec![reading(0, u64::MAX, 1, 1), reading(1, 7, 1, 1)], Ok(u64::MAX)),
        ] {
            let expected = expected.map(InstructionCount).map_err(str::to_owned);
            assert_eq!(summed(&readings), expected, "{readings:?}");
        }
    }

    #[test]
    fn interrupts_come_soon_after_the_limit() {
        for (left, events, expected) in [
            (0, 1, 1),
            (999, 1, 1_000),
            (2_000_000_000, 1, 2_000_000_001),
            (2_000_000_000, 2, 1_000_000_001),
            (2_000_000_000, 16, 125_000_001),
            // Not too often.
            (999, 2, PERIOD_MIN),
            (30_000_000, 16, PERIOD_MIN),
            (u64::MAX, 1, PERIOD_MAX),
        ] {
            assert_eq!(period(left, events), expected, "{left} left for {events} events");
        }
    }

    /// However a run is spread over its CPUs, there are few interrupts until its limit, and one soon after.
    #[test]
    fn few_interrupts_are_needed_on_several_cpus() {
        for (events, max) in [(1, 1), (2, 20), (16, 200)] {
            let (limit, mut counted, mut interrupts) = (10_000_000_000_u64, 0, 0);
            // All of it on one CPU, so that each interrupt brings the least.
            while counted <= limit {
                counted += period(limit - counted, events);
                interrupts += 1;
            }
            assert!(interrupts <= max, "{interrupts} interrupts of {events} events");
            assert!(counted - limit <= PERIOD_MIN);
        }
    }
}
