//! How long the allocation of CPUs takes.
//!
//! The binary measures itself: a decision takes less time than starting a process varies by. Batches of the
//! allocator and of the scan take turns, so that the machine's drift is the same for both.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};
use serde::Serialize;

use super::host::Host;
use super::summary::sample_of;
use super::tools::read_json;

/// Batches of each arm, spread over the comparison.
const BATCHES: usize = 10;
/// A scan takes hundreds of times as long as a decision of the allocator, and a plan thousands of times.
const SCAN_SHARE: usize = 20;
const PLAN_SHARE: usize = 50;
/// What we promise: a decision in 5 us, a plan in 20 ms.
const DECISION_NS_MAX: u64 = 5_000;
const PLAN_NS_MAX: u64 = 20_000_000;

/// One way to decide, and how long each decision took.
#[derive(Debug, Serialize)]
struct Outcome {
    name: &'static str,
    covers: &'static str,
    /// What `tauto-bench allocate --by` takes.
    by: &'static str,
    promise_ns: Option<u64>,
    samples_ns: Vec<u64>,
}

#[derive(Serialize)]
struct Report<'r> {
    host: &'r Host,
    outcomes: &'r [Outcome],
}

/// Measures and prints; fails if a promise is not kept at the 99th percentile.
pub fn run(arms: &Path, rounds: usize, json: bool) -> Result<bool> {
    let host = Host::read();
    let outcome =
        |name, covers, by, promise_ns| Outcome { name, covers, by, promise_ns, samples_ns: Vec::new() };
    let mut outcomes = [
        outcome(
            "allocator",
            "grant, with its books and its reasons, or refuse",
            "allocator",
            Some(DECISION_NS_MAX),
        ),
        outcome("scan of ordered sets", "choose, without books or reasons", "scan", None),
        outcome(
            "plan of moves",
            "room for a request that does not fit, about 300 leases",
            "defragment",
            Some(PLAN_NS_MAX),
        ),
    ];
    let counts = [rounds, rounds.div_ceil(SCAN_SHARE), rounds.div_ceil(PLAN_SHARE)];
    for _ in 0..BATCHES {
        for (outcome, count) in outcomes.iter_mut().zip(counts) {
            outcome.samples_ns.extend(sample(arms, outcome.by, count.div_ceil(BATCHES))?);
        }
    }
    host.show(json, &Report { host: &host, outcomes: &outcomes }, || table(&outcomes))?;
    let kept = outcomes.iter().all(|outcome| {
        outcome.promise_ns.is_none_or(|most| us(&outcome.samples_ns, 0.99) <= most as f64 / 1e3)
    });
    Ok(kept)
}

fn sample(arms: &Path, by: &str, count: usize) -> Result<Vec<u64>> {
    let text = count.to_string();
    let samples: Vec<u64> = read_json(Command::new(arms).args(["allocate", "--by", by, "--count", &text]))?;
    if samples.len() != count {
        bail!("requested {count} samples, got {}", samples.len());
    }
    Ok(samples)
}

fn us(samples_ns: &[u64], share: f64) -> f64 {
    sample_of(samples_ns).map_or(f64::NAN, |sample| sample.quantile(share) / 1e3)
}

fn table(outcomes: &[Outcome]) -> String {
    let mut table = String::from(
        "| 1024 CPUs, nine tenths leased | median us | p99 us | promised us | times `allocator` | samples | covers |\n\
         |---|--:|--:|--:|--:|--:|---|\n",
    );
    let reference = outcomes.first().map_or(f64::NAN, |outcome| us(&outcome.samples_ns, 0.5));
    for Outcome { name, covers, promise_ns, samples_ns, .. } in outcomes {
        let (median, high) = (us(samples_ns, 0.5), us(samples_ns, 0.99));
        let promise = promise_ns.map_or("-".to_owned(), |most| (most / 1000).to_string());
        let row = format!(
            "| {name} | {:.2} | {:.2} | {promise} | {:.1} | {} | {covers} |\n",
            median,
            high,
            median / reference,
            samples_ns.len()
        );
        table.push_str(&row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_has_a_row() {
        let outcome =
            |name, promise_ns, samples_ns| Outcome { name, covers: "it", by: "it", promise_ns, samples_ns };
        let outcomes =
            [outcome("ours", Some(5_000), vec![1_000, 1_000, 1_000]), outcome("theirs", None, vec![90_000])];
        let rows: Vec<String> = table(&outcomes).lines().skip(2).map(str::to_owned).collect();
        assert_eq!(
            rows,
            ["| ours | 1.00 | 1.00 | 5 | 1.0 | 3 | it |", "| theirs | 90.00 | 90.00 | - | 90.0 | 1 | it |"]
        );
    }
}
