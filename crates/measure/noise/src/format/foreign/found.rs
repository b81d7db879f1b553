//! What the readers of all foreign formats share.

use super::super::FormatError;
use crate::{
    Burst, CpuProfile, Detour, GapTrace, KernelCounts, MachineLine, NodeLoad, Profile, QuantumTrace,
    TickRate, Ticks,
};
use model::{CpuId, Reading};
use std::str::FromStr;

/// Characters of a malformed line that are quoted.
pub(crate) const FOUND_CHARS_MAX: usize = 60;

/// A profile of another program has no numbers of its machine.
pub(crate) const UNKNOWN: &str = "unknown";

/// What a text does not say of itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForeignHints {
    /// Its format; without it, its content decides.
    pub format: Option<Foreign>,
    /// The CPU that it is of, where it names none.
    pub cpu: CpuId,
    /// Ticks in a second of what is counted in ticks: the lines of FWQ.
    pub clock: TickRate,
}

impl Default for ForeignHints {
    fn default() -> Self {
        Self { format: None, cpu: CpuId(0), clock: TickRate(1e9) }
    }
}

/// A line of columns, which knows where it stands.
pub(crate) struct Line<'t> {
    pub(crate) number: usize,
    pub(crate) text: &'t str,
}

/// Returns the lines that are neither empty nor a comment.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let all = text.lines().enumerate().map(|(at, text)| Line { number: at + 1, text });
    all.filter(|line| !line.text.trim().is_empty() && !line.text.trim_start().starts_with('#'))
}

/// Returns what a comment says behind a key such as `# threshold:`.
pub(crate) fn comment<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines()
        .take_while(|line| line.trim().is_empty() || line.starts_with('#'))
        .find_map(|line| line.strip_prefix(key).map(str::trim))
}

impl<'t> Line<'t> {
    /// Makes a line of a text.
    pub fn new(number: usize, text: &'t str) -> Self {
        Self { number, text }
    }

    /// Returns as many numbers as the line has columns.
    ///
    /// # Errors
    /// When it has others, or what is no number.
    pub fn columns<T: FromStr, const N: usize>(&self, expected: &'static str) -> Result<[T; N], FormatError> {
        let columns: Option<Vec<T>> =
            self.text.split_whitespace().map(|column| column.parse().ok()).collect();
        columns.and_then(|columns| columns.try_into().ok()).ok_or_else(|| self.wrong(expected))
    }

    /// Returns how many columns there are.
    pub fn width(&self) -> usize {
        self.text.split_whitespace().count()
    }

    /// Returns the error that says what should be in this line.
    pub fn wrong(&self, expected: &'static str) -> FormatError {
        let found = self.text.trim().chars().take(FOUND_CHARS_MAX).collect();
        FormatError::Line { line: self.number, expected, found }
    }
}

/// What was found out of one CPU, in nanoseconds.
#[derive(Default)]
pub(crate) struct CpuReadings {
    /// When the program looked.
    pub begin_ns: u64,
    /// When it ended; no earlier than the end of the last detour.
    pub end_ns: u64,
    /// Start and length of detours, in any order.
    pub detours: Vec<(u64, u64)>,
    /// An undisturbed turn, and what is a detour.
    pub turn_ns: u64,
    /// The shortest detour that is in the trace.
    pub threshold_ns: u64,
    /// Events by name.
    pub events: Option<Vec<(String, Vec<Ticks>)>>,
}

/// Makes a trace of what was found. A detour that begins within another is a part of it.
pub(crate) fn gaps(mut found: CpuReadings) -> Reading<GapTrace> {
    found.detours.sort_unstable();
    let mut detours: Vec<Detour> = Vec::with_capacity(found.detours.len());
    for (start, length) in found.detours.into_iter().filter(|(_, length)| *length > 0) {
        let end = start.saturating_add(length);
        match detours.last_mut() {
            Some(last) if start < last.start.0 + last.length.0 => {
                last.length = Ticks(last.length.0.max(end - last.start.0));
            }
            _ => detours.push(Detour { start: Ticks(start), length: Ticks(end - start) }),
        }
    }
    let begin = detours.first().map_or(found.begin_ns, |first| first.start.0.min(found.begin_ns));
    let end = detours.last().map_or(found.end_ns, |last| found.end_ns.max(last.start.0 + last.length.0));
    if end <= begin {
        return Reading::unavailable("the trace does not say how long it was");
    }
    // Without any time between or around detours, each would be a source that takes all of the CPU's time.
    if detours.iter().map(|detour| detour.length.0).sum::<u64>() >= end - begin {
        return Reading::unavailable(format!(
            "too few samples: {}, and the trace does not say how long it was; record for longer",
            detours.len()
        ));
    }
    let why = "the trace of another program has no counters";
    let events = found.events.map_or_else(|| Reading::unavailable(why), Reading::Known);
    Reading::Known(GapTrace {
        turn: Ticks(found.turn_ns),
        threshold: Ticks(found.threshold_ns),
        bursts: vec![Burst { begin: Ticks(begin), end: Ticks(end) }],
        detours,
        counts: KernelCounts {
            interval: model::Nanos(end - begin),
            interrupts: Reading::unavailable(why),
            softirqs: Reading::unavailable(why),
            steal: Reading::unavailable(why),
            run_delay: Reading::unavailable(why),
            forced_switches: Reading::unavailable(why),
            events,
        },
    })
}

/// Makes a profile of what was found on each CPU; its ticks are nanoseconds.
pub(crate) fn profile(
    cpus: impl IntoIterator<Item = (CpuId, Reading<QuantumTrace>, Reading<GapTrace>)>,
    load: NodeLoad,
    weaknesses: Vec<String>,
) -> Profile {
    let unknown = || UNKNOWN.to_owned();
    Profile {
        machine: MachineLine {
            identity: unknown(),
            host: unknown(),
            processor: unknown(),
            kernel: unknown(),
        },
        began_unix_s: 0,
        load,
        rate: TickRate(1e9),
        cpus: cpus.into_iter().map(|(cpu, quanta, gaps)| CpuProfile { cpu, quanta, gaps }).collect(),
        weaknesses,
    }
}

/// Returns the reading of calls where a program makes none.
pub(crate) fn no_calls() -> Reading<QuantumTrace> {
    Reading::unavailable("the trace of another program has no calls of equal work")
}

/// Formats of other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// The kernel's osnoise events as text, as `rtla osnoise --trace` and `rtla timerlat --trace` save them.
    Osnoise,
    /// A file of `sysjitter --raw`.
    Sysjitter,
    /// A file of netgauge's pattern `noise`, by the method `selfish`, `fwq` or `ftq`.
    Netgauge,
    /// A file of FTQ: a time and a count of work in each line.
    Ftq,
    /// A file of FWQ: the length of a call in each line.
    Fwq,
}
