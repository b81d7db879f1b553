//! Summaries of traces: a few numbers for a table.

use crate::{GapTrace, QuantumTrace, TickRate, Ticks};
use model::Nanos;

/// The article's "not more than the first quarter of a second".
pub const WARM_UP: Nanos = Nanos::from_millis(250);
/// A window of the warm-up whose median is above the later one by more is not warm yet.
const WARM_PART: f64 = 0.05;
/// Windows of the warm-up.
const WARM_WINDOW: Nanos = Nanos::from_millis(5);
/// Detours of at least this are counted apart: what other tools count.
pub const COUNTED: Nanos = Nanos(1_000);

/// Half, nearly all and the longest of many lengths, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lengths {
    /// The shortest.
    pub min_ns: f64,
    /// The median.
    pub p50_ns: f64,
    /// Of a hundred, one is longer.
    pub p99_ns: f64,
    /// The longest.
    pub max_ns: f64,
    pub mean_ns: f64,
}

/// The summary of a gap trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapSummary {
    /// How long the loop looked, bursts only.
    pub watched_ns: f64,
    /// How long an undisturbed turn took.
    pub turn_ns: f64,
    pub detours: u64,
    /// How many of them took 1 us or more.
    pub counted: u64,
    /// How long they took together.
    pub stolen_ns: f64,
    /// Their lengths; none if there were none.
    pub lengths: Option<Lengths>,
}

impl GapSummary {
    /// Sums up a trace.
    pub fn of(trace: &GapTrace, rate: TickRate) -> Self {
        let watched: u64 = trace.bursts.iter().map(|burst| burst.end.0.saturating_sub(burst.begin.0)).sum();
        let lengths: Vec<Ticks> = trace.detours.iter().map(|detour| detour.length).collect();
        let stolen: u64 = lengths.iter().map(|length| length.0).sum();
        let counted = lengths.iter().filter(|length| rate.nanos(**length) >= COUNTED.0 as f64).count();
        Self {
            watched_ns: rate.nanos(Ticks(watched)),
            turn_ns: rate.nanos(trace.turn),
            detours: lengths.len() as u64,
            counted: counted as u64,
            stolen_ns: rate.nanos(Ticks(stolen)),
            lengths: Lengths::of(&lengths, rate),
        }
    }

    /// Returns the part of the time that was taken: what the article gives as 0.1 to 5 %.
    pub fn share(&self) -> f64 {
        if self.watched_ns > 0.0 { self.stolen_ns / self.watched_ns } else { 0.0 }
    }

    /// Returns how many detours a second.
    pub fn rate_hz(&self) -> f64 {
        if self.watched_ns > 0.0 { self.detours as f64 * 1e9 / self.watched_ns } else { 0.0 }
    }
}

impl Lengths {
    /// Sums up lengths; none of none.
    pub fn of(lengths: &[Ticks], rate: TickRate) -> Option<Self> {
        let mut sorted = lengths.to_vec();
        sorted.sort_unstable();
        let (first, last) = (*sorted.first()?, *sorted.last()?);
        let all: u128 = sorted.iter().map(|length| u128::from(length.0)).sum();
        Some(Self {
            min_ns: rate.nanos(first),
            p50_ns: rate.nanos(quantile(&sorted, 0.5)),
            p99_ns: rate.nanos(quantile(&sorted, 0.99)),
            max_ns: rate.nanos(last),
            mean_ns: all as f64 / sorted.len() as f64 * 1e9 / rate.0,
        })
    }
}

/// Returns the least that so large a part of all does not exceed; `sorted` is not empty.
fn quantile(sorted: &[Ticks], part: f64) -> Ticks {
    let rank = (part * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// The summary of the calls of a counting function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantumSummary {
    pub calls: u64,
    /// What one was calibrated to take.
    pub target: Nanos,
    /// Their lengths after the warm-up, or all where they ended before it.
    pub lengths: Lengths,
    /// How the first quarter of a second was; none where there was not as much again after it.
    pub warm_up: Option<WarmUp>,
}

/// The first quarter of a second against the time after it: the article's first observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUp {
    /// Median of its calls, as a multiple of the later ones' median.
    pub slower: f64,
    /// The same of its slowest window of 5 ms.
    pub slowest_window: f64,
    /// When the last such window ended that was more than 5 % slow; 0 if none was.
    pub settled_after: Nanos,
}

impl QuantumSummary {
    /// Sums up a trace; none of an empty one.
    pub fn of(trace: &QuantumTrace, rate: TickRate) -> Option<Self> {
        let begin = trace.starts.first()?.0;
        let since_begin = |start: &Ticks| rate.nanos(Ticks(start.0.saturating_sub(begin)));
        let warm = trace.starts.partition_point(|start| since_begin(start) < WARM_UP.0 as f64);
        let ends = since_begin(trace.starts.last()?);
        let has_rest = ends >= 2.0 * WARM_UP.0 as f64;
        let rest = if has_rest { &trace.lengths[warm..] } else { &trace.lengths[..] };
        let lengths = Lengths::of(rest, rate)?;
        let warm_up = has_rest.then(|| {
            let (starts, calls) = (&trace.starts[..warm], &trace.lengths[..warm]);
            let part = |calls: &[Ticks]| Lengths::of(calls, rate).map(|calls| calls.p50_ns / lengths.p50_ns);
            let mut windows = Vec::new();
            let window = |at: usize| since_begin(&starts[at]) as u64 / WARM_WINDOW.0;
            let mut from = 0;
            while from < warm {
                let number = window(from);
                let to = from
                    + starts[from..]
                        .iter()
                        .take_while(|start| since_begin(start) as u64 / WARM_WINDOW.0 == number)
                        .count();
                windows.push((number, part(&calls[from..to]).unwrap_or(1.0)));
                from = to;
            }
            let slow = windows.iter().rev().find(|(_, part)| *part > 1.0 + WARM_PART);
            WarmUp {
                slower: part(calls).unwrap_or(1.0),
                slowest_window: windows.iter().map(|(_, part)| *part).fold(0.0, f64::max),
                settled_after: slow.map_or(Nanos::ZERO, |(number, _)| Nanos((number + 1) * WARM_WINDOW.0)),
            }
        });
        Some(Self { calls: trace.lengths.len() as u64, target: trace.target, lengths, warm_up })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Burst, Detour, KernelCounts};

    const RATE: TickRate = TickRate(1e9);

    #[test]
    fn a_trace_is_summed_up() {
        let detour = |start, length| Detour { start: Ticks(start), length: Ticks(length) };
        let mut trace = GapTrace {
            turn: Ticks(10),
            threshold: Ticks(110),
            bursts: vec![
                Burst { begin: Ticks(0), end: Ticks(500_000) },
                Burst { begin: Ticks(600_000), end: Ticks(1_100_000) },
            ],
            detours: vec![detour(5, 200), detour(1_000, 9_000), detour(700_000, 800)],
            counts: KernelCounts::default(),
        };
        let summary = GapSummary::of(&trace, RATE);
        assert!((summary.share() - 0.01).abs() < 1e-12 && (summary.rate_hz() - 3_000.0).abs() < 1e-9);
        assert_eq!((summary.detours, summary.counted), (3, 1));
        let lengths = summary.lengths.unwrap();
        assert_eq!(
            (lengths.min_ns, lengths.p50_ns, lengths.p99_ns, lengths.max_ns),
            (200.0, 800.0, 9000.0, 9000.0)
        );
        trace.detours.clear();
        trace.bursts.clear();
        let nothing = GapSummary::of(&trace, RATE);
        assert_eq!((nothing.lengths, nothing.share(), nothing.rate_hz()), (None, 0.0, 0.0));
    }

    fn calls(slow_until_ns: u64, count: usize) -> QuantumTrace {
        let (mut starts, mut lengths, mut now) = (Vec::new(), Vec::new(), 0);
        for _ in 0..count {
            let length = if now < slow_until_ns { 180_000 } else { 100_000 };
            starts.push(Ticks(now));
            lengths.push(Ticks(length));
            now += length;
        }
        QuantumTrace { target: Nanos(100_000), starts, lengths }
    }

    #[test]
    fn the_warm_up_is_a_result() {
        let summary = QuantumSummary::of(&calls(200_000_000, 10_000), RATE).unwrap();
        let warm_up = summary.warm_up.unwrap();
        assert!((warm_up.slower - 1.8).abs() < 1e-9 && (warm_up.slowest_window - 1.8).abs() < 1e-9);
        assert_eq!(warm_up.settled_after, Nanos::from_millis(200));
        assert_eq!(
            (summary.lengths.p50_ns, summary.lengths.max_ns),
            (100_000.0, 100_000.0),
            "without the warm-up"
        );
        let steady = QuantumSummary::of(&calls(0, 10_000), RATE).unwrap().warm_up.unwrap();
        assert_eq!((steady.slower, steady.settled_after), (1.0, Nanos::ZERO));
        assert_eq!(
            QuantumSummary::of(&calls(0, 4_000), RATE).unwrap().warm_up,
            None,
            "nothing to compare with"
        );
        assert_eq!(QuantumSummary::of(&calls(0, 0), RATE), None);
    }
}
