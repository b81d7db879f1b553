//! The sources of a profile, found once for a table, a document or a page.

use model::{CpuId, Reading};
use noise::sources::{Decomposition, Origin, Origins, decompose, reconcile};
use noise::witness::{Line, Witness, witness};
use noise::{CpuProfile, Profile};

/// The sources of one CPU.
#[derive(Clone, Debug)]
pub struct FoundCpu {
    pub cpu: CpuId,
    /// What its detours come from, or why that is not known.
    pub sources: Reading<(Decomposition, Origins)>,
    /// Whether its calls of equal work say the same, or why that is not known.
    pub witness: Reading<Witness>,
}

/// Takes the trace of each CPU apart.
pub fn of(profile: &Profile) -> Vec<FoundCpu> {
    let each = profile.cpus.iter().map(|cpu| {
        let sources = match &cpu.gaps {
            Reading::Known(trace) => {
                let found = decompose(trace, profile.rate);
                let origins = reconcile(&found, trace, profile.rate);
                Reading::Known((found, origins))
            }
            Reading::Unavailable(why) => Reading::Unavailable(why.clone()),
        };
        let witness = witness_of(cpu, &sources, profile);
        FoundCpu { cpu: cpu.cpu, sources, witness }
    });
    each.collect()
}

fn witness_of(
    cpu: &CpuProfile,
    sources: &Reading<(Decomposition, Origins)>,
    profile: &Profile,
) -> Reading<Witness> {
    match (&cpu.quanta, &cpu.gaps, sources) {
        (Reading::Known(quanta), Reading::Known(gaps), Reading::Known((found, _))) => {
            match witness(quanta, gaps, found, profile.rate) {
                Ok(witness) => Reading::Known(witness),
                Err(why) => Reading::Unavailable(why),
            }
        }
        (Reading::Unavailable(why), _, _)
        | (_, Reading::Unavailable(why), _)
        | (_, _, Reading::Unavailable(why)) => Reading::Unavailable(why.clone()),
    }
}

pub fn document(name: &str, profile: &Profile, found: &[FoundCpu]) -> documents::NoiseSourcesReport {
    documents::NoiseSourcesReport {
        profile: name.to_owned(),
        host: profile.machine.host.clone(),
        processor: profile.machine.processor.clone(),
        kernel: profile.machine.kernel.clone(),
        began_unix_s: profile.began_unix_s,
        load: super::document::load(profile.load).to_owned(),
        false_alarms_max: noise::sources::FALSE_ALARMS,
        cpus: found.iter().map(cpu).collect(),
        weaknesses: profile.weaknesses.clone(),
    }
}

fn cpu(found: &FoundCpu) -> documents::NoiseSourcesCpu {
    let mut unavailable = documents::Unavailable::new();
    let known = match &found.sources {
        Reading::Known(known) => Some(known),
        Reading::Unavailable(why) => {
            for field in ["watched_ns", "detours", "share"] {
                unavailable.insert(field.to_owned(), why.clone());
            }
            None
        }
    };
    let quanta = match quanta(&found.witness) {
        Reading::Known(quanta) => Some(quanta),
        Reading::Unavailable(why) => {
            unavailable.insert("quanta".to_owned(), why);
            None
        }
    };
    let lines = found.witness.known().map_or(&[][..], |witness| &witness.lines);
    documents::NoiseSourcesCpu {
        cpu: found.cpu.0,
        quanta,
        watched_ns: known.map(|(found, _)| found.watched_ns.round() as u64),
        detours: known.map(|(found, _)| found.detours as u64),
        share: known.map(|(found, _)| found.share),
        sources: known.map_or_else(Vec::new, |(found, origins)| sources(found, origins, lines)),
        unavailable,
    }
}

fn quanta(witness: &Reading<Witness>) -> Reading<documents::NoiseQuanta> {
    let lost = match witness {
        Reading::Known(witness) => &witness.lost,
        Reading::Unavailable(why) => return Reading::Unavailable(why.clone()),
    };
    match lost {
        Reading::Known(lost) => Reading::Known(documents::NoiseQuanta {
            lost: lost.of_calls,
            expected: lost.expected,
            difference_low: lost.difference.low,
            difference_high: lost.difference.high,
            confidence: lost.difference.confidence,
            agreement: lost.agreement().id().to_owned(),
        }),
        Reading::Unavailable(why) => Reading::Unavailable(why.clone()),
    }
}

fn in_quanta(line: &Line) -> documents::NoiseInQuanta {
    let (length_ns, length_error_ns, chance_log10) = match *line {
        Line::Seen { length_ns, error_ns, chance_log10 } => {
            (Some(length_ns), Some(error_ns), Some(chance_log10))
        }
        Line::Absent | Line::Hidden | Line::Faint => (None, None, None),
    };
    documents::NoiseInQuanta { status: line.id().to_owned(), length_ns, length_error_ns, chance_log10 }
}

fn sources(found: &Decomposition, origins: &Origins, lines: &[Line]) -> Vec<documents::NoiseSource> {
    let each = found.periodic.iter().zip(&origins.periodic).enumerate();
    let periodic = each.map(|(at, (source, from))| documents::NoiseSource {
        kind: "periodic".to_owned(),
        frequency_hz: source.frequency_hz,
        frequency_error_hz: Some(source.frequency_error_hz),
        drift_ppm: Some(source.drift_ppm),
        jitter_ns: Some(source.jitter_ns),
        median_ns: source.lengths.median_ns,
        mean_ns: source.lengths.mean_ns,
        p95_ns: source.lengths.p95_ns,
        longest_ns: source.lengths.longest_ns,
        share: source.share,
        seen: source.seen as u64,
        exposed: Some(source.exposed as u64),
        chance_log10: Some(source.chance_log10),
        rides_on: source
            .rides_on
            .map(|(other, every)| documents::NoiseRiding { source: other as u64, every }),
        in_quanta: lines.get(at).map(in_quanta),
        origin: origin(from),
    });
    let random = [("random", &found.rest, &origins.rest), ("stall", &found.stalls, &origins.stalls)];
    let random = random.into_iter().filter_map(|(kind, rest, from)| {
        let rest = rest.as_ref()?;
        Some(documents::NoiseSource {
            kind: kind.to_owned(),
            frequency_hz: rest.rate_hz,
            frequency_error_hz: None,
            drift_ppm: None,
            jitter_ns: None,
            median_ns: rest.lengths.median_ns,
            mean_ns: rest.lengths.mean_ns,
            p95_ns: rest.lengths.p95_ns,
            longest_ns: rest.lengths.longest_ns,
            share: rest.share,
            seen: rest.count as u64,
            exposed: None,
            chance_log10: None,
            rides_on: None,
            in_quanta: None,
            origin: origin(from.as_ref()?),
        })
    });
    periodic.chain(random).collect()
}

fn origin(origin: &Origin) -> documents::NoiseOrigin {
    let (by, detail) = match origin {
        Origin::Explained { by, how } => (Some(by.clone()), how.clone()),
        Origin::Unexplained(why) | Origin::Outside(why) | Origin::Unknown(why) => (None, why.clone()),
    };
    documents::NoiseOrigin { status: origin.id().to_owned(), by, detail }
}
