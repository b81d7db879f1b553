//! Two profiles side by side: what differs, by how much, and whether chance alone would do it.
//!
//! A trace is cut into blocks of half a second, each longer than any tick takes to come again. Two sets of blocks are
//! compared by a permutation test, and since there are several comparisons, chances are adjusted (Holm 1979).

use crate::{COUNTED, CpuProfile, GapTrace, Profile, QuantumTrace, TickRate, Ticks, WARM_UP};
use model::{CpuId, Nanos, Reading};
use stats::{Interval, Sample, USUAL_CONFIDENCE, bootstrap_two, permutation_of_two};

/// Long enough for sources from 8 Hz up to be in each block alike, and short enough for 20 of them in 10 s.
const BLOCK: Nanos = Nanos::from_millis(500);
/// With fewer blocks on a side no difference can be distinguished from chance.
const BLOCKS_MIN: usize = 4;
/// The same files make the same bytes.
const SEED: u64 = 0x6e_6f69_7365;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The part of the time that detours took.
    Taken,
    /// Detours of 1 us and more in a second.
    Detours,
    /// The mean length of a call in nanoseconds, after the warm-up.
    Call,
}

/// One quantity on one CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub cpu: CpuId,
    pub what: Quantity,
    /// The result, or why there is nothing to compare.
    pub found: Reading<Difference>,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean over the first profile's blocks.
    pub first: f64,
    /// The mean over the second one's.
    pub second: f64,
    /// Where the second less the first lies, with 95 % confidence.
    pub interval: Interval,
    /// How often chance would give as much, if the profiles were alike.
    pub chance: f64,
    /// The same, made larger for the number of comparisons.
    pub adjusted: f64,
}

impl Difference {
    /// Returns whether it is more than chance does in one table of twenty.
    pub fn is_significant(&self) -> bool {
        self.adjusted < 1.0 - USUAL_CONFIDENCE
    }
}

/// Compares the CPUs that are in both.
pub fn compare(first: &Profile, second: &Profile) -> Vec<Comparison> {
    let mut rows = Vec::new();
    for one in &first.cpus {
        let Some(other) = second.cpus.iter().find(|other| other.cpu == one.cpu) else { continue };
        for what in [Quantity::Taken, Quantity::Detours, Quantity::Call] {
            let found = match (blocks(what, one, first.rate), blocks(what, other, second.rate)) {
                (Ok(first), Ok(second)) => difference(first, second),
                (Err(why), _) => Reading::Unavailable(format!("the first profile: {why}")),
                (_, Err(why)) => Reading::Unavailable(format!("the second profile: {why}")),
            };
            rows.push(Comparison { cpu: one.cpu, what, found });
        }
    }
    adjust(&mut rows);
    rows
}

fn difference(first: Vec<f64>, second: Vec<f64>) -> Reading<Difference> {
    let (Ok(first), Ok(second)) = (Sample::new(first), Sample::new(second)) else {
        return Reading::unavailable("there is nothing in it");
    };
    if first.count() < BLOCKS_MIN || second.count() < BLOCKS_MIN {
        return Reading::unavailable(format!(
            "a profile has fewer than {BLOCKS_MIN} blocks of {} ms; measure for longer",
            BLOCK.as_millis_f64()
        ));
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let apart = |first: &mut [f64], second: &mut [f64]| mean(second) - mean(first);
    let chance = permutation_of_two(first.values(), second.values(), SEED);
    Reading::Known(Difference {
        first: first.mean(),
        second: second.mean(),
        interval: bootstrap_two(&first, &second, apart, USUAL_CONFIDENCE, SEED),
        chance,
        adjusted: chance,
    })
}

/// Makes chances larger so that one table of twenty, not one row, has a difference by chance.
fn adjust(rows: &mut [Comparison]) {
    let mut found: Vec<&mut Difference> = rows
        .iter_mut()
        .filter_map(|row| match &mut row.found {
            Reading::Known(difference) => Some(difference),
            Reading::Unavailable(_) => None,
        })
        .collect();
    found.sort_by(|a, b| a.chance.total_cmp(&b.chance));
    let all = found.len();
    let mut largest = 0.0_f64;
    for (at, difference) in found.into_iter().enumerate() {
        largest = largest.max(difference.chance * (all - at) as f64).min(1.0);
        difference.adjusted = largest;
    }
}

fn blocks(what: Quantity, cpu: &CpuProfile, rate: TickRate) -> Result<Vec<f64>, String> {
    let known = |why: &String| why.clone();
    Ok(match what {
        Quantity::Taken | Quantity::Detours => {
            let gaps = match &cpu.gaps {
                Reading::Known(gaps) => gaps,
                Reading::Unavailable(why) => return Err(known(why)),
            };
            let blocks = gap_blocks(gaps, rate);
            blocks.into_iter().map(|block| if what == Quantity::Taken { block.0 } else { block.1 }).collect()
        }
        Quantity::Call => match &cpu.quanta {
            Reading::Known(quanta) => call_blocks(quanta, rate),
            Reading::Unavailable(why) => return Err(known(why)),
        },
    })
}

/// Returns for each block the part of its time that was taken, and the detours of 1 us a second.
fn gap_blocks(gaps: &GapTrace, rate: TickRate) -> Vec<(f64, f64)> {
    let block = BLOCK.as_secs_f64() * rate.0;
    let mut blocks = Vec::new();
    let mut first = 0;
    for burst in &gaps.bursts {
        let length = burst.end.0.saturating_sub(burst.begin.0) as f64;
        if length <= 0.0 {
            continue;
        }
        let count = (length / block).round().max(1.0);
        let width = length / count;
        let (mut taken, mut detours) = (vec![0.0; count as usize], vec![0.0; count as usize]);
        first += gaps.detours[first..].partition_point(|detour| detour.start < burst.begin);
        let last = first + gaps.detours[first..].partition_point(|detour| detour.start < burst.end);
        for detour in &gaps.detours[first..last] {
            let mut from = (detour.start.0 - burst.begin.0) as f64;
            let to = (from + detour.length.0 as f64).min(length);
            let at = ((from / width) as usize).min(taken.len() - 1);
            if rate.nanos(detour.length) >= COUNTED.0 as f64 {
                detours[at] += 1.0;
            }
            // One that goes on into the next block took from both.
            for (at, taken) in taken.iter_mut().enumerate().skip(at) {
                let end = ((at + 1) as f64 * width).min(to);
                *taken += (end - from).max(0.0);
                from = from.max(end);
                if from >= to {
                    break;
                }
            }
        }
        first = last;
        let second = width / rate.0;
        blocks
            .extend(taken.into_iter().zip(detours).map(|(taken, detours)| (taken / width, detours / second)));
    }
    blocks
}

/// Returns for each block after the warm-up the mean length of the calls that began in it, in nanoseconds.
fn call_blocks(quanta: &QuantumTrace, rate: TickRate) -> Vec<f64> {
    let Some(begin) = quanta.starts.first() else { return Vec::new() };
    let mut sums: Vec<(f64, f64)> = Vec::new();
    for (start, length) in quanta.starts.iter().zip(&quanta.lengths) {
        let since = rate.nanos(Ticks(start.0.saturating_sub(begin.0))) - WARM_UP.0 as f64;
        if since < 0.0 {
            continue;
        }
        let at = (since / BLOCK.0 as f64) as usize;
        if at >= sums.len() {
            sums.resize(at + 1, (0.0, 0.0));
        }
        sums[at].0 += rate.nanos(*length);
        sums[at].1 += 1.0;
    }
    // The last one is hardly ever whole.
    sums.pop();
    sums.into_iter().filter(|(_, count)| *count > 0.0).map(|(sum, count)| sum / count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Burst, Detour, KernelCounts, MachineLine, NodeLoad};

    const SECOND: u64 = 1_000_000_000;

    /// Detours that come so often and take so long, on a CPU, over this many seconds.
    fn profile(cpu: u32, seconds: u64, every_ns: u64, length_ns: u64) -> Profile {
        let detours = (1..seconds * SECOND / every_ns)
            .map(|at| Detour { start: Ticks(at * every_ns), length: Ticks(length_ns + at * 7919 % 100) });
        let starts: Vec<Ticks> = (0..seconds * 10_000).map(|at| Ticks(at * 100_000)).collect();
        let gaps = GapTrace {
            turn: Ticks(9),
            threshold: Ticks(109),
            bursts: vec![Burst { begin: Ticks(0), end: Ticks(seconds * SECOND) }],
            detours: detours.collect(),
            counts: KernelCounts::default(),
        };
        let lengths = (0..starts.len() as u64).map(|at| Ticks(100_000 + at * 7919 % 100)).collect();
        Profile {
            machine: MachineLine::default(),
            began_unix_s: 0,
            load: NodeLoad::OneCpu,
            rate: TickRate(1e9),
            cpus: vec![CpuProfile {
                cpu: CpuId(cpu),
                quanta: Reading::Known(QuantumTrace { target: Nanos(100_000), starts, lengths }),
                gaps: Reading::Known(gaps),
            }],
            weaknesses: Vec::new(),
        }
    }

    fn significant(first: &Profile, second: &Profile) -> Vec<bool> {
        let rows = compare(first, second);
        rows.iter().map(|row| row.found.known().is_some_and(Difference::is_significant)).collect()
    }

    #[test]
    fn what_differs_is_found_and_what_does_not_is_not() {
        let (quiet, noisy) = (profile(1, 10, 4_000_000, 6_000), profile(1, 10, 1_000_000, 6_000));
        assert_eq!(significant(&quiet, &quiet), [false, false, false]);
        assert_eq!(significant(&quiet, &noisy), [true, true, false]);
        let taken = compare(&quiet, &noisy)[0].found.clone().into_known().unwrap();
        assert!((taken.first - 0.0015).abs() < 0.0001 && (taken.second - 0.006).abs() < 0.0004, "{taken:?}");
        assert!(taken.interval.contains(taken.second - taken.first), "{taken:?}");
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        let (one, short) = (profile(1, 10, 4_000_000, 6_000), profile(1, 1, 4_000_000, 6_000));
        assert!(compare(&one, &profile(2, 10, 4_000_000, 6_000)).is_empty(), "no CPU is in both");
        let rows = compare(&one, &short);
        assert!(
            rows.iter().all(|row| matches!(&row.found, Reading::Unavailable(why) if why.contains("blocks")))
        );
        let mut gone = one.clone();
        gone.cpus[0].gaps = Reading::unavailable("it went offline");
        let why = compare(&gone, &one)[0].found.clone();
        assert_eq!(why, Reading::unavailable("the first profile: it went offline"));
    }

    #[test]
    fn a_detour_over_a_blocks_end_takes_from_both() {
        let gaps = GapTrace {
            turn: Ticks(9),
            threshold: Ticks(109),
            bursts: vec![Burst { begin: Ticks(0), end: Ticks(SECOND) }],
            detours: vec![Detour { start: Ticks(SECOND / 2 - 100_000_000), length: Ticks(150_000_000) }],
            counts: KernelCounts::default(),
        };
        let blocks = gap_blocks(&gaps, TickRate(1e9));
        assert_eq!(blocks.len(), 2);
        assert!((blocks[0].0 - 0.2).abs() < 1e-9 && (blocks[1].0 - 0.1).abs() < 1e-9, "{blocks:?}");
        assert_eq!((blocks[0].1, blocks[1].1), (2.0, 0.0));
    }
}
