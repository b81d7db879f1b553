//! Holds the decomposition of traces against what they were made of.

mod recipes;

use crate::comparisons::noise::sources;
use model::Nanos;
use noise::sources::{Decomposition, Periodic, decompose};
use noise::synthetic::{Cloud, Comb, Recipe, Steal};
use rayon::prelude::*;
use recipes::{ARTICLE, FAST, Sources, groups};
use std::time::Instant;

/// A frequency is found if it is off by no more than this part.
const FREQUENCY_PART: f64 = 1e-4;
/// A length is found if its median is off by no more than this part.
const LENGTH_PART: f64 = 0.02;
/// A jitter is found if it is off by no more than this part, and this many ns.
const JITTER_PART: f64 = 0.2;
const JITTER_OFF_NS: f64 = 1_000.0;
/// A source this near a comb's frequency is that comb, though it may be off.
const NEAR_PART: f64 = 0.01;
/// Combs that are slower than this are looked for in a minute.
const SLOW_HZ: f64 = 80.0;

/// A kind of traces, and what is expected of them.
struct Case {
    name: &'static str,
    seconds: u64,
    sources: Sources,
    steal_mean_ns: &'static [f64],
    cloud_hz: &'static [f64],
    /// Whether there are detours in groups.
    groups: bool,
    traces: u64,
    /// Such a part of the sources is to be found; none if they are on no grid.
    wanted_part: Option<f64>,
}

const STEAL_MEAN_NS: &[f64] = &[3e5, 1e6, 4e6, 1e7];

const USUAL: Case = Case {
    name: "",
    seconds: 10,
    sources: Sources::None,
    steal_mean_ns: &[],
    cloud_hz: &[20.0, 200.0, 600.0],
    groups: false,
    traces: 100,
    wanted_part: Some(1.0),
};

const CASES: [Case; 11] = [
    Case {
        name: "100 Hz and more, 40 % steal, 10 s",
        sources: Sources::Listed(&FAST),
        steal_mean_ns: STEAL_MEAN_NS,
        traces: 60,
        ..USUAL
    },
    Case {
        name: "100 Hz and more, no steal, 10 s",
        sources: Sources::Listed(&FAST),
        cloud_hz: &[20.0, 200.0, 1000.0],
        traces: 30,
        ..USUAL
    },
    Case {
        name: "2 to 4 drawn by chance, 40 % steal, 10 s",
        sources: Sources::Drawn,
        steal_mean_ns: STEAL_MEAN_NS,
        traces: 60,
        ..USUAL
    },
    Case { name: "2 to 4 drawn by chance, no steal, 10 s", sources: Sources::Drawn, traces: 30, ..USUAL },
    Case {
        name: "near multiples, 40 % steal, 10 s",
        sources: Sources::NearMultiples,
        steal_mean_ns: STEAL_MEAN_NS,
        traces: 60,
        ..USUAL
    },
    Case {
        name: "the article's, 8 to 40 Hz among them, 60 s",
        seconds: 60,
        sources: Sources::Listed(&ARTICLE),
        traces: 30,
        ..USUAL
    },
    Case { name: "Poisson noise alone, 10 s", cloud_hz: &[30.0, 300.0, 3000.0], traces: 100, ..USUAL },
    Case {
        name: "Poisson noise and 40 % steal, 10 s",
        steal_mean_ns: STEAL_MEAN_NS,
        cloud_hz: &[30.0, 300.0, 3000.0],
        traces: 100,
        ..USUAL
    },
    Case {
        name: "one that jitters by 0 to 100 us, 8 to 1000 Hz, 10 or 60 s",
        sources: Sources::Jittering,
        cloud_hz: &[20.0, 100.0, 300.0],
        traces: 200,
        wanted_part: Some(0.95),
        ..USUAL
    },
    Case {
        name: "one that wanders or drifts too far, 10 or 60 s",
        sources: Sources::Astray,
        cloud_hz: &[20.0, 100.0, 300.0],
        traces: 100,
        wanted_part: None,
        ..USUAL
    },
    Case {
        name: "detours in groups, 10 s",
        cloud_hz: &[20.0, 100.0, 300.0],
        groups: true,
        traces: 100,
        ..USUAL
    },
];

/// How one trace was taken apart.
#[derive(Default)]
struct Outcome {
    sources: u64,
    found: u64,
    missed: Vec<String>,
    false_sources: u64,
    frequency_off: f64,
    length_off: f64,
    took_ns: u64,
}

/// Takes traces of known sources apart, and returns for each kind how well that went.
///
/// Each CPU takes apart traces of its own, so a time is that with others running: no shorter than alone.
pub fn cases() -> Vec<sources::Case> {
    CASES.iter().map(case).collect()
}

fn case(case: &Case) -> sources::Case {
    let outcomes: Vec<Outcome> = (0..case.traces).into_par_iter().map(|seed| outcome(case, seed)).collect();
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum::<u64>();
    let largest = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).fold(0.0, f64::max);
    sources::Case {
        name: case.name.to_owned(),
        traces: case.traces,
        wanted_part: case.wanted_part,
        sources: sum(|outcome| outcome.sources),
        found: sum(|outcome| outcome.found),
        missed: outcomes.iter().flat_map(|outcome| outcome.missed.clone()).collect(),
        false_sources: sum(|outcome| outcome.false_sources),
        traces_with_false_sources: sum(|outcome| u64::from(outcome.false_sources > 0)),
        frequency_off_max: largest(|outcome| outcome.frequency_off),
        length_off_max: largest(|outcome| outcome.length_off),
        slowest_ns: outcomes.iter().map(|outcome| outcome.took_ns).max().unwrap_or_default(),
    }
}

fn outcome(case: &Case, seed: u64) -> Outcome {
    let recipe = recipe(case, seed);
    let trace = recipe.trace(seed);
    let begin = Instant::now();
    let found = decompose(&trace, recipe.rate());
    let took_ns = begin.elapsed().as_nanos() as u64;
    let mut outcome = Outcome { took_ns, ..Outcome::default() };
    if case.wanted_part.is_none() {
        let is_near =
            |found: &Periodic, comb: &Comb| (found.frequency_hz / comb.frequency_hz - 1.0).abs() < NEAR_PART;
        let astray =
            found.periodic.iter().filter(|found| !recipe.combs.iter().any(|comb| is_near(found, comb)));
        outcome.false_sources = astray.count() as u64;
        return outcome;
    }
    outcome.sources = recipe.combs.len() as u64;
    for comb in &recipe.combs {
        let near = nearest(&found, comb);
        if let Some((frequency, length, _)) = near {
            outcome.frequency_off = outcome.frequency_off.max(frequency);
            outcome.length_off = outcome.length_off.max(length);
        }
        let is_found = near.is_some_and(|(frequency, length, jitter)| {
            frequency <= FREQUENCY_PART && length <= LENGTH_PART && (jitter || recipe.steal.is_some())
        });
        if is_found {
            outcome.found += 1;
        } else {
            outcome.missed.push(format!("seed {seed}: {:.1} Hz", comb.frequency_hz));
        }
    }
    outcome.false_sources = (found.periodic.len() as u64).saturating_sub(outcome.found);
    outcome
}

/// By which part frequency and length of the nearest source are off, and whether its jitter is right; none if none is near.
fn nearest(found: &Decomposition, comb: &Comb) -> Option<(f64, f64, bool)> {
    // The deviation of a uniform distribution is its width over the root of 12.
    let jitter_ns = comb.jitter_ns.hypot(comb.slack_ns / 12_f64.sqrt());
    let off = found.periodic.iter().map(|found| {
        let frequency = (found.frequency_hz / comb.frequency_hz - 1.0).abs();
        let length = (found.lengths.median_ns / comb.length_ns - 1.0).abs();
        let jitter = (found.jitter_ns - jitter_ns).abs() <= JITTER_PART * jitter_ns + JITTER_OFF_NS;
        (frequency, length, jitter)
    });
    off.filter(|(frequency, _, _)| *frequency < NEAR_PART)
        .min_by(|one, other| (one.0 * 100.0 + one.1).total_cmp(&(other.0 * 100.0 + other.1)))
}

fn recipe(case: &Case, seed: u64) -> Recipe {
    let pick = |from: &[f64]| from.get(seed as usize % from.len().max(1)).copied();
    let clouds = pick(case.cloud_hz).map(|rate_hz| Cloud { rate_hz, length_ns: 2_000.0, length_spread: 0.8 });
    let combs = case.sources.combs(seed);
    let is_slow = combs.iter().any(|comb| comb.frequency_hz < SLOW_HZ);
    Recipe {
        groups: case.groups.then(|| groups(seed)).into_iter().collect(),
        clouds: clouds.into_iter().collect(),
        steal: pick(case.steal_mean_ns).map(|mean_ns| Steal { share: 0.4, mean_ns }),
        // As a probe measures that must not be stopped by the real-time limit.
        bursts: (seed % 2 == 1).then_some((Nanos::from_millis(900), Nanos::from_millis(50))),
        combs,
        ..Recipe::quiet(if is_slow { 60 } else { case.seconds })
    }
}
