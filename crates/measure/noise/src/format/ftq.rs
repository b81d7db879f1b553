//! Files of FTQ (a fixed time, and how much work was done in it) and of FWQ (a fixed work, and how long it took).
//!
//! Both say how much time was taken from a quantum, and not when in it: a detour is set at the quantum's begin.

use super::FormatError;
use super::foreign::{CpuReadings, ForeignHints, comment, gaps, lines, no_calls, profile};
use crate::{NodeLoad, Profile, QuantumTrace, Ticks};
use model::{Nanos, Reading};

const EXPECTED_FTQ: &str =
    "two whole numbers: when a quantum began, in ns, and the work done in it; times in order";
const EXPECTED_FWQ: &str = "one whole number: how many ticks a call took";
/// What is taken from a quantum is a detour from this part of it on: less is what counting and clock do.
const PART_MIN: u64 = 100;
/// Nor is less than this one, in nanoseconds.
const LENGTH_MIN_NS: u64 = 100;
const WEAKNESS: &str = "the trace says how much was taken from each quantum, not when: detours are set at its begin, \
                        those of one quantum are one, and less than 1 % of a quantum is none";

pub(super) struct Quantum {
    /// When it began.
    pub start_ns: u64,
    /// How much work was done in it.
    pub count: u64,
}

pub(super) fn read_ftq(text: &str, hints: ForeignHints) -> Result<Profile, FormatError> {
    let mut quanta: Vec<Quantum> = Vec::new();
    for line in lines(text) {
        let [start_ns, count]: [u64; 2] = line.columns(EXPECTED_FTQ)?;
        if quanta.last().is_some_and(|last| last.start_ns > start_ns) {
            return Err(line.wrong(EXPECTED_FTQ));
        }
        quanta.push(Quantum { start_ns, count });
    }
    let stated = comment(text, "# Frequency ").and_then(|hz| hz.parse::<f64>().ok()).filter(|hz| *hz > 0.0);
    let length_ns = stated.map_or_else(|| median_step(&quanta), |hz| (1e9 / hz).round() as u64);
    Ok(of_counts(&quanta, length_ns, hints))
}

pub(super) fn read_fwq(text: &str, hints: ForeignHints) -> Result<Profile, FormatError> {
    let lengths: Result<Vec<u64>, _> = lines(text)
        .map(|line| {
            let [ticks]: [u64; 1] = line.columns(EXPECTED_FWQ)?;
            // A call of more than a day is no call.
            let nanos = hints.clock.nanos(Ticks(ticks));
            if nanos < 86_400e9 { Ok(nanos.round() as u64) } else { Err(line.wrong(EXPECTED_FWQ)) }
        })
        .collect();
    Ok(of_lengths(&lengths?, hints))
}

/// Makes a profile of what was done in each quantum: the one with the most work lost nothing.
pub(super) fn of_counts(quanta: &[Quantum], length_ns: u64, hints: ForeignHints) -> Profile {
    let most = quanta.iter().map(|quantum| quantum.count).max().unwrap_or_default().max(1);
    let taken = |count: u64| ((most - count) as f64 / most as f64 * length_ns as f64).round() as u64;
    let lost = quanta.iter().map(|quantum| (quantum.start_ns, taken(quantum.count)));
    let (begin_ns, end_ns) = match (quanta.first(), quanta.last()) {
        (Some(first), Some(last)) => (first.start_ns, last.start_ns.saturating_add(length_ns)),
        _ => (0, 0),
    };
    let found = CpuReadings {
        begin_ns,
        end_ns,
        detours: lost.filter(|(_, taken)| *taken >= least(length_ns)).collect(),
        turn_ns: length_ns / most,
        threshold_ns: least(length_ns),
        ..CpuReadings::default()
    };
    profile([(hints.cpu, no_calls(), gaps(found))], NodeLoad::AllCpus, vec![WEAKNESS.to_owned()])
}

/// Makes a profile of how long each call took: the shortest lost nothing. They are calls of equal work as well.
pub(super) fn of_lengths(lengths: &[u64], hints: ForeignHints) -> Profile {
    let shortest = lengths.iter().min().copied().unwrap_or_default();
    let mut end_ns = 0_u64;
    let mut starts = Vec::with_capacity(lengths.len());
    for length in lengths {
        starts.push(end_ns);
        end_ns = end_ns.saturating_add(*length);
    }
    let taken = starts.iter().zip(lengths).map(|(start, length)| (*start, length - shortest));
    let found = CpuReadings {
        end_ns,
        detours: taken.filter(|(_, taken)| *taken >= least(shortest)).collect(),
        turn_ns: shortest,
        threshold_ns: least(shortest),
        ..CpuReadings::default()
    };
    let quanta = Reading::Known(QuantumTrace {
        target: Nanos(shortest),
        starts: starts.into_iter().map(Ticks).collect(),
        lengths: lengths.iter().copied().map(Ticks).collect(),
    });
    profile([(hints.cpu, quanta, gaps(found))], NodeLoad::AllCpus, vec![WEAKNESS.to_owned()])
}

fn least(quantum_ns: u64) -> u64 {
    (quantum_ns / PART_MIN).max(LENGTH_MIN_NS)
}

fn median_step(quanta: &[Quantum]) -> u64 {
    let mut steps: Vec<u64> = quanta.windows(2).map(|pair| pair[1].start_ns - pair[0].start_ns).collect();
    steps.sort_unstable();
    steps.get(steps.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{Foreign, decode_any};
    use super::*;
    use crate::{Detour, TickRate};

    #[test]
    fn work_that_is_missing_is_a_detour() {
        let text = "# Frequency 10000.000000\n# Ticks per ns: 2.4\n# octave: pkg load signal\n\
                    0 1000\n100000 995\n200000 900\n300000 1000\n";
        let profile = decode_any(text.as_bytes(), ForeignHints::default()).unwrap();
        let gaps = profile.cpus[0].gaps.known().unwrap();
        assert_eq!(gaps.detours, [Detour { start: Ticks(200_000), length: Ticks(10_000) }]);
        assert_eq!(gaps.bursts[0].end, Ticks(400_000));
        let bare = decode_any(
            text.lines().skip(3).collect::<Vec<_>>().join("\n").as_bytes(),
            ForeignHints::default(),
        );
        assert_eq!(bare.unwrap(), profile);
        let wrong = text.replace("300000", "150000");
        let error = decode_any(wrong.as_bytes(), ForeignHints::default()).unwrap_err().to_string();
        assert!(error.starts_with("line 7: expected two whole numbers"), "{error}");
    }

    #[test]
    fn calls_have_lengths_in_ticks() {
        let hints = ForeignHints { clock: TickRate(2e9), ..ForeignHints::default() };
        let profile = decode_any(b"200000\n200100\n220000\n", hints).unwrap();
        let quanta = profile.cpus[0].quanta.known().unwrap();
        assert_eq!(quanta.starts, [Ticks(0), Ticks(100_000), Ticks(200_050)]);
        assert_eq!(
            profile.cpus[0].gaps.known().unwrap().detours,
            [Detour { start: Ticks(200_050), length: Ticks(10_000) }]
        );
        let error = decode_any(b"1\ntwo\n", hints).unwrap_err().to_string();
        assert_eq!(error, "line 2: expected one whole number: how many ticks a call took; found 'two'");
        let named = ForeignHints { format: Some(Foreign::Ftq), ..hints };
        assert!(decode_any(b"200000\n", named).unwrap_err().to_string().starts_with("line 1: expected two"));
    }

    #[test]
    fn what_is_none_of_them_is_refused() {
        for text in ["cpu,what\n", "1 2 3 4 5\n", "# only a comment\n"] {
            let error = decode_any(text.as_bytes(), ForeignHints::default()).unwrap_err().to_string();
            assert!(error.contains("not a .noise file"), "{error}");
        }
        assert!(decode_any(b"0\n", ForeignHints::default()).unwrap().cpus[0].gaps.known().is_none());
    }
}
