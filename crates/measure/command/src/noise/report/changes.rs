//! Which sources have gone or come from one profile to a later one.

use super::advice;
use documents::{NoiseSource, NoiseSourcesReport};

/// Periodic sources are the same if their frequencies differ by less than this part.
const SAME_FREQUENCY: f64 = 0.005;
/// Their lengths have changed if they differ by more than this part.
const OTHER_LENGTH: f64 = 0.1;

/// Returns in a sentence each which sources have gone, come or changed their length.
pub fn of_sources(before: &NoiseSourcesReport, after: &NoiseSourcesReport) -> Vec<String> {
    let mut sentences = Vec::new();
    for cpu in &after.cpus {
        let Some(was) = before.cpus.iter().find(|was| was.cpu == cpu.cpu) else {
            sentences.push(format!("CPU {} was not measured before.", cpu.cpu));
            continue;
        };
        let is_same = |one: &NoiseSource, other: &NoiseSource| {
            (one.frequency_hz / other.frequency_hz - 1.0).abs() < SAME_FREQUENCY
        };
        fn periodic(sources: &[NoiseSource]) -> impl Iterator<Item = &NoiseSource> {
            sources.iter().filter(|source| source.kind == "periodic")
        }
        for source in periodic(&was.sources) {
            if !periodic(&cpu.sources).any(|now| is_same(source, now)) {
                sentences.push(format!("CPU {}: {} has gone.", cpu.cpu, advice::name(source)));
            }
        }
        for source in periodic(&cpu.sources) {
            let nearest = periodic(&was.sources).filter(|was| is_same(source, was)).min_by(|one, other| {
                (one.median_ns - source.median_ns)
                    .abs()
                    .total_cmp(&(other.median_ns - source.median_ns).abs())
            });
            match nearest {
                None => sentences.push(format!("CPU {}: {} is new.", cpu.cpu, advice::name(source))),
                Some(was) if (source.median_ns / was.median_ns - 1.0).abs() > OTHER_LENGTH => {
                    sentences.push(format!(
                        "CPU {}: {} took {:.2} us before.",
                        cpu.cpu,
                        advice::name(source),
                        was.median_ns / 1e3
                    ))
                }
                Some(_) => {}
            }
        }
    }
    sentences
}
