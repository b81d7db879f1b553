//! Holds the decomposition of traces against what they were made of.

mod recipes;

use model::Nanos;
use noise::sources::{Decomposition, decompose};
use noise::synthetic::{Cloud, Comb, Recipe, Steal};
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

/// Takes traces of known sources apart, and says for each kind how well that went.
pub fn cases() -> Vec<Value> {
    CASES.iter().map(case).collect()
}

fn case(case: &Case) -> Value {
    let (mut sources, mut found_count, mut false_sources, mut false_traces) = (0, 0, 0, 0);
    let (mut frequency_off, mut length_off) = (0.0_f64, 0.0_f64);
    let (mut slowest_ns, mut missed) = (0, Vec::new());
    for seed in 0..case.traces {
        let recipe = recipe(case, seed);
        let trace = recipe.trace(seed);
        let begin = Instant::now();
        let found = decompose(&trace, recipe.rate());
        slowest_ns = slowest_ns.max(begin.elapsed().as_nanos() as u64);
        let mut hits = 0;
        for comb in &recipe.combs {
            sources += 1;
            let Some((frequency, length)) = nearest(&found, comb) else {
                missed.push(format!("seed {seed}: {:.1} Hz", comb.frequency_hz));
                continue;
            };
            if frequency <= FREQUENCY_PART && length <= LENGTH_PART {
                hits += 1;
            } else {
                missed.push(format!("seed {seed}: {:.1} Hz", comb.frequency_hz));
            }
            frequency_off = frequency_off.max(frequency);
            length_off = length_off.max(length);
        }
        found_count += hits;
        let extra = found.periodic.len().saturating_sub(hits);
        false_sources += extra;
        false_traces += u64::from(extra > 0);
    }
    json!({
        "name": case.name,
        "traces": case.traces,
        "sources": sources,
        "found": found_count,
        "missed": missed,
        "false_sources": false_sources,
        "traces_with_false_sources": false_traces,
        "frequency_off_max": frequency_off,
        "length_off_max": length_off,
        "slowest_ns": slowest_ns,
    })
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
