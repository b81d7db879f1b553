//! The sources of a profile, as far as a prediction needs them.

use crate::noise::file;
use model::{CpuId, CpuSet, Reading};
use noise::Source;
use noise::sources::decompose;
use std::path::Path;
use terminal::failure::input;

/// More sources make the simulation slow, and what is left out is reported.
const SOURCES_MAX: usize = 6;
/// Sources that take less than this part of all that is taken change no prediction.
const PART_MIN: f64 = 0.005;

pub struct ProfileSources {
    /// Its largest sources.
    pub sources: Vec<Source>,
    /// Which they are, for people.
    pub words: String,
}

/// Takes the sources of a CPU, or of the one from which most is taken.
pub fn sources(path: &Path, cpu: Option<CpuId>) -> anyhow::Result<ProfileSources> {
    let profile = file::read(path)?;
    let found = profile.cpus.iter().filter(|one| cpu.is_none_or(|cpu| cpu == one.cpu)).filter_map(|one| {
        match &one.gaps {
            Reading::Known(trace) => Some((one.cpu, decompose(trace, profile.rate))),
            Reading::Unavailable(_) => None,
        }
    });
    let Some((cpu, found)) = found.max_by(|one, other| one.1.share.total_cmp(&other.1.share)) else {
        let of = cpu.map_or_else(String::new, |cpu| format!(" of CPU {cpu}"));
        let known: CpuSet = profile.cpus.iter().map(|one| one.cpu).collect();
        return Err(input(format!(
            "{} holds no trace of detours{of}; it has {}",
            path.display(),
            known.named()
        )));
    };
    let (sources, part) = largest(found.sources());
    let words = format!(
        "sources of CPU {cpu} in {}: the {} largest, {:.1} % of all that is taken there",
        path.display(),
        sources.len(),
        part * 100.0
    );
    Ok(ProfileSources { sources, words })
}

/// Returns the largest sources, and which part of all that is taken they take.
fn largest(mut sources: Vec<Source>) -> (Vec<Source>, f64) {
    let all: f64 = sources.iter().map(Source::share).sum();
    sources.sort_by(|one, other| other.share().total_cmp(&one.share()));
    sources.truncate(SOURCES_MAX);
    sources.retain(|source| source.share() >= all * PART_MIN);
    let kept: f64 = sources.iter().map(Source::share).sum();
    (sources, if all > 0.0 { kept / all } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use noise::Occurrence;

    #[test]
    fn the_largest_sources_are_taken_and_the_rest_is_reported() {
        let source =
            |frequency_hz, length_ns| Source { occurrence: Occurrence::Periodic { frequency_hz }, length_ns };
        let mut all = vec![source(1.0, 1000.0), source(1000.0, 6000.0), source(250.0, 8000.0)];
        let (kept, part) = largest(all.clone());
        assert_eq!(kept, [source(1000.0, 6000.0), source(250.0, 8000.0)]);
        assert!(part > 0.999 && part < 1.0, "{part}");
        all.extend((0..10).map(|at| source(100.0 + f64::from(at), 9000.0)));
        assert_eq!(largest(all).0.len(), SOURCES_MAX);
        assert_eq!(largest(Vec::new()), (Vec::new(), 1.0));
    }
}
