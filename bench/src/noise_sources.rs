//! Holds the decomposition of traces against what they were made of.

mod recipes;

use model::Nanos;
use noise::sources::{Decomposition, decompose};
use noise::synthetic::{Cloud, Comb, Recipe, Steal};
use rayon::prelude::*;
use recipes::{ARTICLE, FAST, Sources};
use serde_json::{Value, json};
use std::time::Instant;

/// A frequency is found if it is off by no more than this part.
const FREQUENCY_PART: f64 = 1e-4;
/// A length is found if its median is off by no more than this part.
const LENGTH_PART: f64 = 0.02;

/// A kind of traces, and what is expected of them.
struct Case {
    name: &'static str,
    seconds: u64,
    sources: Sources,
    steal_mean_ns: &'static [f64],
    cloud_hz: &'static [f64],
    traces: u64,
}

const STEAL_MEAN_NS: &[f64] = &[3e5, 1e6, 4e6, 1e7];

const CASES: [Case; 8] = [
    Case {
        name: "100 Hz and more, 40 % steal, 10 s",
        seconds: 10,
        sources: Sources::Listed(&FAST),
        steal_mean_ns: STEAL_MEAN_NS,
        cloud_hz: &[20.0, 200.0, 600.0],
        traces: 60,
    },
    Case {
        name: "100 Hz and more, no steal, 10 s",
        seconds: 10,
        sources: Sources::Listed(&FAST),
        steal_mean_ns: &[],
        cloud_hz: &[20.0, 200.0, 1000.0],
        traces: 30,
    },
    Case {
        name: "2 to 4 drawn by chance, 40 % steal, 10 s",
        seconds: 10,
        sources: Sources::Drawn,
        steal_mean_ns: STEAL_MEAN_NS,
        cloud_hz: &[20.0, 200.0, 600.0],
        traces: 60,
    },
    Case {
        name: "2 to 4 drawn by chance, no steal, 10 s",
        seconds: 10,
        sources: Sources::Drawn,
        steal_mean_ns: &[],
        cloud_hz: &[20.0, 200.0, 600.0],
        traces: 30,
    },
    Case {
        name: "near multiples, 40 % steal, 10 s",
        seconds: 10,
        sources: Sources::NearMultiples,
        steal_mean_ns: STEAL_MEAN_NS,
        cloud_hz: &[20.0, 200.0, 600.0],
        traces: 60,
    },
    Case {
        name: "the article's, 8 to 40 Hz among them, 60 s",
        seconds: 60,
        sources: Sources::Listed(&ARTICLE),
        steal_mean_ns: &[],
        cloud_hz: &[20.0, 200.0, 600.0],
        traces: 30,
    },
    Case {
        name: "Poisson noise alone, 10 s",
        seconds: 10,
        sources: Sources::None,
        steal_mean_ns: &[],
        cloud_hz: &[30.0, 300.0, 3000.0],
        traces: 100,
    },
    Case {
        name: "Poisson noise and 40 % steal, 10 s",
        seconds: 10,
        sources: Sources::None,
        steal_mean_ns: STEAL_MEAN_NS,
        cloud_hz: &[30.0, 300.0, 3000.0],
        traces: 100,
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

/// Takes traces of known sources apart, and says for each kind how well that went.
///
/// Each CPU takes apart traces of its own, so a time is that beside others: no shorter than alone.
pub fn cases() -> Vec<Value> {
    CASES.iter().map(case).collect()
}

fn case(case: &Case) -> Value {
    let outcomes: Vec<Outcome> = (0..case.traces).into_par_iter().map(|seed| outcome(case, seed)).collect();
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(of).sum::<u64>();
    let largest = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).fold(0.0, f64::max);
    json!({
        "name": case.name,
        "traces": case.traces,
        "sources": sum(|outcome| outcome.sources),
        "found": sum(|outcome| outcome.found),
        "missed": outcomes.iter().flat_map(|outcome| &outcome.missed).collect::<Vec<_>>(),
        "false_sources": sum(|outcome| outcome.false_sources),
        "traces_with_false_sources": sum(|outcome| u64::from(outcome.false_sources > 0)),
        "frequency_off_max": largest(|outcome| outcome.frequency_off),
        "length_off_max": largest(|outcome| outcome.length_off),
        "slowest_ns": outcomes.iter().map(|outcome| outcome.took_ns).max(),
    })
}

fn outcome(case: &Case, seed: u64) -> Outcome {
    let recipe = recipe(case, seed);
    let trace = recipe.trace(seed);
    let begin = Instant::now();
    let found = decompose(&trace, recipe.rate());
    let took_ns = begin.elapsed().as_nanos() as u64;
    let mut outcome = Outcome { sources: recipe.combs.len() as u64, took_ns, ..Outcome::default() };
    for comb in &recipe.combs {
        let near = nearest(&found, comb);
        if let Some((frequency, length)) = near {
            outcome.frequency_off = outcome.frequency_off.max(frequency);
            outcome.length_off = outcome.length_off.max(length);
        }
        if near.is_some_and(|(frequency, length)| frequency <= FREQUENCY_PART && length <= LENGTH_PART) {
            outcome.found += 1;
        } else {
            outcome.missed.push(format!("seed {seed}: {:.1} Hz", comb.frequency_hz));
        }
    }
    outcome.false_sources = (found.periodic.len() as u64).saturating_sub(outcome.found);
    outcome
}

/// By which part frequency and length of the nearest source are off; none if none is near.
fn nearest(found: &Decomposition, comb: &Comb) -> Option<(f64, f64)> {
    let off = found.periodic.iter().map(|found| {
        let frequency = (found.frequency_hz / comb.frequency_hz - 1.0).abs();
        let length = (found.lengths.median_ns / comb.length_ns - 1.0).abs();
        (frequency, length)
    });
    off.filter(|(frequency, _)| *frequency < 0.01)
        .min_by(|one, other| (one.0 * 100.0 + one.1).total_cmp(&(other.0 * 100.0 + other.1)))
}

fn recipe(case: &Case, seed: u64) -> Recipe {
    let pick = |from: &[f64]| from.get(seed as usize % from.len().max(1)).copied();
    let clouds = pick(case.cloud_hz).map(|rate_hz| Cloud { rate_hz, length_ns: 2_000.0, length_spread: 0.8 });
    Recipe {
        combs: case.sources.combs(seed),
        clouds: clouds.into_iter().collect(),
        steal: pick(case.steal_mean_ns).map(|mean_ns| Steal { share: 0.4, mean_ns }),
        // As a probe looks that must not be stopped by the real-time limit.
        bursts: (seed % 2 == 1).then_some((Nanos::from_millis(900), Nanos::from_millis(50))),
        ..Recipe::quiet(case.seconds)
    }
}
