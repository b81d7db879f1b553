//! A file of netgauge's pattern `noise`, which LogGOPSim reads, too: a header of comments, then two columns. The method
//! `selfish` has detours (`Time [ns]`, `selfish duration [ns]`), `fwq` and `ftq` have what those measure.

use super::FormatError;
use super::foreign::{CpuReadings, ForeignHints, comment, gaps, lines, no_calls, profile};
use super::ftq::{Quantum, of_counts, of_lengths};
use crate::{NodeLoad, Profile};

const SELFISH: &str = "# Time [ns]";
const FWQ: &str = "# Fixed Work Quantum Benchmark";
const FTQ: &str = "# Fixed Time Quantum Benchmark";
const EXPECTED_SELFISH: &str = "two numbers: when a detour began and how long it was, in ns";
const EXPECTED_FWQ: &str = "two numbers: of a call and how many microseconds it took";
const EXPECTED_FTQ: &str = "two numbers: of a quantum and the work done in it";
/// The length of a quantum that netgauge takes by default.
const QUANTUM_US: u64 = 1000;

/// Returns whether a line is a heading of such a file.
pub(super) fn is_heading(line: &str) -> bool {
    [SELFISH, FWQ, FTQ].iter().any(|heading| line.starts_with(heading))
}

pub(super) fn read(text: &str, hints: ForeignHints) -> Result<Profile, FormatError> {
    if text.lines().any(|line| line.starts_with(FWQ)) {
        let lengths: Result<Vec<u64>, _> = lines(text)
            .map(|line| {
                let [_, us]: [u64; 2] = line.columns(EXPECTED_FWQ)?;
                us.checked_mul(1000).ok_or_else(|| line.wrong(EXPECTED_FWQ))
            })
            .collect();
        return Ok(of_lengths(&lengths?, hints));
    }
    if text.lines().any(|line| line.starts_with(FTQ)) {
        let stated =
            comment(text, "# Compute-Cycle Duration:").and_then(|stated| stated.strip_suffix(" usec"));
        let length_ns = stated.and_then(|us| us.parse().ok()).unwrap_or(QUANTUM_US).saturating_mul(1000);
        let quanta: Result<Vec<Quantum>, _> = lines(text)
            .map(|line| {
                let [at, count]: [u64; 2] = line.columns(EXPECTED_FTQ)?;
                let start_ns = at.checked_mul(length_ns).ok_or_else(|| line.wrong(EXPECTED_FTQ))?;
                Ok(Quantum { start_ns, count })
            })
            .collect();
        return Ok(of_counts(&quanta?, length_ns, hints));
    }
    let mut detours = Vec::new();
    for line in lines(text) {
        let [start, length]: [f64; 2] = line.columns(EXPECTED_SELFISH)?;
        // An hour in nanoseconds is less; what is more would not be a whole number any more.
        if !(0.0..1e15).contains(&start) || !(0.0..1e15).contains(&length) {
            return Err(line.wrong(EXPECTED_SELFISH));
        }
        detours.push((start.round() as u64, length.round() as u64));
    }
    let number = |key: &str| {
        let behind = text.lines().find_map(|line| line.strip_prefix(key))?;
        behind.trim().trim_end_matches(" s").parse::<f64>().ok().filter(|number| (0.0..1e6).contains(number))
    };
    let turn = number("# Minimal cycle length [ns]:").unwrap_or_default();
    let found = CpuReadings {
        end_ns: (number("# Measurement period:").unwrap_or_default() * 1e9) as u64,
        detours,
        turn_ns: turn.round() as u64,
        threshold_ns: (turn * number("# Threshold: [% minimal cycle length]:").unwrap_or_default() / 100.0)
            .round() as u64,
        ..CpuReadings::default()
    };
    Ok(profile([(hints.cpu, no_calls(), gaps(found))], NodeLoad::AllCpus, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::super::{ForeignHints, decode_any};
    use crate::{Detour, Ticks};
    use model::Nanos;

    const SELFISH: &str = "\
# Benchmark Method: selfish
# Compute-Cycle Duration: 1000 usec
# Number of Cycles/Detours: 100
# Selfish Benchmark
# Minimal cycle length [ns]: 10.500000 
# Number of iterations (recorded+unrecorded): 1000 
# Threshold: [% minimal cycle length]: 900 
# 
# Time [ns]\tselfish duration [ns]
0.00\t100.40
1000000.00\t5999.60
# CPU overhead due to noise: 0.30%
# Measurement period: 2.00 s
";

    #[test]
    fn selfish_has_detours() {
        let profile = decode_any(SELFISH.as_bytes(), ForeignHints::default()).unwrap();
        let gaps = profile.cpus[0].gaps.known().unwrap();
        let detour = |start, length| Detour { start: Ticks(start), length: Ticks(length) };
        assert_eq!(gaps.detours, [detour(0, 100), detour(1_000_000, 6000)]);
        assert_eq!((gaps.turn, gaps.threshold), (Ticks(11), Ticks(95)));
        assert_eq!(gaps.bursts[0].end, Ticks(2_000_000_000));
        let wrong = SELFISH.replace("5999.60", "-1");
        let error = decode_any(wrong.as_bytes(), ForeignHints::default()).unwrap_err().to_string();
        assert!(error.starts_with("line 11: expected two numbers"), "{error}");
    }

    #[test]
    fn fwq_has_calls_and_ftq_has_work() {
        let fwq = "# Fixed Work Quantum Benchmark\n# cycle number    duration [us]\n\
                   0             1000\n1             1000\n2             1200\n";
        let profile = decode_any(fwq.as_bytes(), ForeignHints::default()).unwrap();
        assert_eq!(profile.cpus[0].quanta.known().unwrap().target, Nanos::from_micros(1000));
        let ftq = "# Compute-Cycle Duration: 500 usec\n# Fixed Time Quantum Benchmark\n\
                   # cycle number    workload iterations\n 0                1000\n 1                900\n";
        let profile = decode_any(ftq.as_bytes(), ForeignHints::default()).unwrap();
        let detours = &profile.cpus[0].gaps.known().unwrap().detours;
        assert_eq!(detours[..], [Detour { start: Ticks(500_000), length: Ticks(50_000) }]);
    }
}
