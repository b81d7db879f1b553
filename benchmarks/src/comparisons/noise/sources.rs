//! Whether the sources of made-up traces are found again.
//!
//! The binary makes the traces and times itself, since it knows what they are made of. The seeds are fixed, so
//! everything but the times is the same on every machine.

use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::comparisons::summary::milliseconds;
use crate::comparisons::tools::read_json;

/// What we promise: a trace of 10 s in 1 s; frequencies to 0.01 %, lengths to 2 %; at most one trace in 100 of noise
/// without a grid with a false source.
const TEN_SECONDS_NS_MAX: u64 = 1_000_000_000;
const FREQUENCY_OFF_MAX: f64 = 1e-4;
const LENGTH_OFF_MAX: f64 = 0.02;
const FALSE_PART_MAX: f64 = 0.01;

#[derive(Debug, Deserialize, Serialize)]
pub struct Case {
    pub name: String,
    pub traces: u64,
    /// Such a part of the sources is to be found.
    pub wanted_part: Option<f64>,
    pub sources: u64,
    pub found: u64,
    pub missed: Vec<String>,
    pub false_sources: u64,
    pub traces_with_false_sources: u64,
    pub frequency_off_max: f64,
    pub length_off_max: f64,
    pub slowest_ns: u64,
}

impl Case {
    fn is_reached(&self) -> bool {
        let false_part = self.traces_with_false_sources as f64 / self.traces.max(1) as f64;
        self.found as f64 >= self.wanted_part.unwrap_or(0.0) * self.sources as f64
            && self.frequency_off_max <= FREQUENCY_OFF_MAX
            && self.length_off_max <= LENGTH_OFF_MAX
            && false_part <= FALSE_PART_MAX
            && (self.slowest_ns <= TEN_SECONDS_NS_MAX || self.name.ends_with("60 s"))
    }

    fn row(&self) -> String {
        format!(
            "| {} | {} | {} of {} | {:.5} % | {:.2} % | {} in {} | {} | {} |\n",
            self.name,
            self.traces,
            self.found,
            self.sources,
            self.frequency_off_max * 100.0,
            self.length_off_max * 100.0,
            self.false_sources,
            self.traces_with_false_sources,
            milliseconds(self.slowest_ns as f64),
            if self.is_reached() { "reached" } else { "MISSED" }
        )
    }
}

/// Takes the traces apart and prints how that went; returns whether all bars are reached.
pub fn run(arms: &Path, json: bool) -> Result<bool> {
    let cases: Vec<Case> = read_json(Command::new(arms).arg("noise-sources"))?;
    let all_reached = cases.iter().all(Case::is_reached);
    if json {
        println!("{}", serde_json::to_string_pretty(&cases)?);
        return Ok(all_reached);
    }
    print!("{}", table(&cases));
    Ok(all_reached)
}

fn table(cases: &[Case]) -> String {
    let mut table =
        "| traces of | traces | sources found | frequency off by | length off by | false sources in traces \
                     | slowest ms | bar |\n|---|--:|--:|--:|--:|--:|--:|---|\n"
            .to_owned();
    table.extend(cases.iter().map(Case::row));
    for case in cases {
        table.extend(case.missed.iter().map(|missed| format!("missed: {}: {missed}\n", case.name)));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missed_sources_are_listed() {
        let case = |found, missed: &[&str]| Case {
            name: "a, 10 s".to_owned(),
            traces: 100,
            wanted_part: Some(1.0),
            sources: 3,
            found,
            missed: missed.iter().map(|missed| (*missed).to_owned()).collect(),
            false_sources: 1,
            traces_with_false_sources: 1,
            frequency_off_max: 2e-6,
            length_off_max: 0.012,
            slowest_ns: 123_000_000,
        };
        let rows: Vec<String> =
            table(&[case(3, &[]), case(2, &["seed 7: 8.0 Hz"])]).lines().skip(2).map(str::to_owned).collect();
        assert_eq!(
            rows,
            [
                "| a, 10 s | 100 | 3 of 3 | 0.00020 % | 1.20 % | 1 in 1 | 123 | reached |",
                "| a, 10 s | 100 | 2 of 3 | 0.00020 % | 1.20 % | 1 in 1 | 123 | MISSED |",
                "missed: a, 10 s: seed 7: 8.0 Hz",
            ]
        );
    }
}
