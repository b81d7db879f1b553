//! A file of `sysjitter --raw PREFIX`: the interruptions of one CPU, with `--sort` by their length.

use super::FormatError;
use super::foreign::{CpuReadings, ForeignHints, comment, gaps, lines, no_calls, profile};
use crate::{NodeLoad, Profile};

const EXPECTED: &str = "four numbers: timestamp in ns, us since the one before, length in cycles and in ns";
const EXPECTED_SORTED: &str = "three numbers: timestamp in ns, length in cycles and in ns";

pub(super) fn read(text: &str, hints: ForeignHints) -> Result<Profile, FormatError> {
    // A line that was cut must not be taken for one of the other kind.
    let is_sorted = lines(text).next().is_some_and(|line| line.width() == 3);
    let expected = if is_sorted { EXPECTED_SORTED } else { EXPECTED };
    let mut detours = Vec::new();
    for line in lines(text) {
        let (end, length) = if is_sorted {
            let [end, _, length]: [u64; 3] = line.columns(expected)?;
            (end, length)
        } else {
            let [end, _, _, length]: [u64; 4] = line.columns(expected)?;
            (end, length)
        };
        // The timestamp is the first reading of the clock after the interruption.
        detours.push((end.checked_sub(length).ok_or_else(|| line.wrong(expected))?, length));
    }
    let count = comment(text, "# n_interruptions:").and_then(|stated| stated.parse().ok());
    if count.is_some_and(|count: usize| count > detours.len()) {
        return Err(FormatError::Truncated);
    }
    let seconds = text.lines().filter_map(|line| line.strip_prefix("# total_runtime:")).find_map(|stated| {
        stated.trim().strip_suffix(" seconds").and_then(|seconds| seconds.parse::<f64>().ok())
    });
    let threshold = comment(text, "# threshold:")
        .and_then(|stated| stated.strip_suffix("ns"))
        .and_then(|ns| ns.parse().ok());
    let found = CpuReadings {
        end_ns: (seconds.unwrap_or_default() * 1e9) as u64,
        detours,
        threshold_ns: threshold.unwrap_or_default(),
        ..CpuReadings::default()
    };
    let weakness =
        "sysjitter counts an undisturbed turn of its loop as a part of each interruption".to_owned();
    Ok(profile([(hints.cpu, no_calls(), gaps(found))], NodeLoad::AllCpus, vec![weakness]))
}

#[cfg(test)]
mod tests {
    use super::super::{ForeignHints, decode_any};
    use crate::{Detour, Ticks};
    use model::CpuId;

    const TEXT: &str = "\
# cpu_mhz: 2000
# threshold: 200ns
# n_interruptions: 2
# interruption: 0.001000%
# total_interruption: 20000 cycles
# total_runtime: 140000000000 cycles
# total_interruption: 0.000010000 seconds
# total_runtime: 70.000000000 seconds
#
#      Timestamp      delta   <== interruption =>
#         (nsec)     (usec)   (cycles)     (nsec)
         1004000          0      12000       6000
         2004000       1000       8000       4000
";

    #[test]
    fn interruptions_end_at_their_timestamp() {
        let hints = ForeignHints { cpu: CpuId(3), ..ForeignHints::default() };
        let profile = decode_any(TEXT.as_bytes(), hints).unwrap();
        let gaps = profile.cpus[0].gaps.known().unwrap();
        let detour = |start, length| Detour { start: Ticks(start), length: Ticks(length) };
        assert_eq!(profile.cpus[0].cpu, CpuId(3));
        assert_eq!(gaps.detours, [detour(998_000, 6000), detour(2_000_000, 4000)]);
        assert_eq!((gaps.threshold, gaps.bursts[0].end), (Ticks(200), Ticks(70_000_000_000)));
        let sorted = TEXT.replace("2004000       1000", "2004000").replace("1004000          0", "1004000");
        let again = decode_any(sorted.as_bytes(), hints).unwrap();
        assert_eq!(again.cpus, profile.cpus);
    }

    #[test]
    fn wrong_lines_are_named() {
        let error = decode_any(TEXT.replace("8000", "many").as_bytes(), ForeignHints::default()).unwrap_err();
        assert!(error.to_string().starts_with("line 13: expected four numbers"), "{error}");
        let cut = &TEXT[..TEXT.len() - 12];
        let error = decode_any(cut.as_bytes(), ForeignHints::default()).unwrap_err().to_string();
        assert!(error.starts_with("line 13: expected four numbers"), "{error}");
        let whole_lines = &TEXT[..TEXT.trim_end().rfind('\n').unwrap()];
        let error = decode_any(whole_lines.as_bytes(), ForeignHints::default()).unwrap_err().to_string();
        assert!(error.starts_with("the file ends in the middle"), "{error}");
    }
}
