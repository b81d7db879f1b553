//! Live stream contests: the ladder of solvers, and the time from a chunk to its answer.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::host::Host;
use super::tools;
use crate::figure::{self, Figure};
use xtask::process;

/// One of the parts of this benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// The time for a digit of each method and set of instructions
    Ladder,
    /// From a chunk to its answer on loopback, by way of reading
    Latency,
    /// The host with 200 contestants, in peace and under attack; a record of 1,000,000 answers
    Host,
}

/// What `tauto stream bench --json` prints, as far as it is shown here.
#[derive(Debug, Deserialize)]
struct Measured {
    cpus: String,
    warnings: Vec<String>,
    ladder: Vec<Rung>,
    latency: Vec<Arm>,
    bars: Vec<Figure>,
}

#[derive(Debug, Deserialize)]
struct Rung {
    method: String,
    instructions: Option<String>,
    ns_per_digit: f64,
    ns_per_digit_p10: f64,
    ns_per_digit_p90: f64,
    ns_per_digit_with_gaps: f64,
}

#[derive(Debug, Deserialize)]
struct Arm {
    arm: String,
    unavailable: Option<String>,
    p50_ns: Option<f64>,
    p90_ns: Option<f64>,
    p99_ns: Option<f64>,
    own_p50_ns: Option<f64>,
}

pub fn run(arms: &Path, tauto: &Path, part: Option<Part>, json: bool) -> Result<bool> {
    let mut all_reached = true;
    for part in tools::parts(part) {
        if part == Part::Host {
            let arm = "stream-host";
            all_reached &= super::server::show(Command::new(arms).arg(arm), arm, json)?;
            continue;
        }
        let mut command = Command::new(tauto);
        let name = if part == Part::Ladder { "ladder" } else { "latency" };
        command.args(["stream", "bench", "--json", "--part", name]);
        let printed = process::read(&mut command)?;
        let measured: Measured = serde_json::from_str(&printed)
            .with_context(|| format!("tauto stream bench --part {name} has an unknown form"))?;
        if json {
            print!("{printed}");
        } else {
            print!("{}\n\n{}", Host::read().sentence(), text(&measured));
        }
        all_reached &= measured.bars.iter().all(|bar| bar.is_reached);
    }
    Ok(all_reached)
}

fn text(measured: &Measured) -> String {
    let mut text = format!("{}\n", measured.cpus);
    for warning in &measured.warnings {
        text.push_str(&format!("Warning: {warning}.\n"));
    }
    text.push('\n');
    if let Some(sample) = measured.ladder.first() {
        text.push_str("| method | instructions | ns a digit | p10 to p90 | with gaps | times sample |\n");
        text.push_str("|---|---|--:|--:|--:|--:|\n");
        for rung in &measured.ladder {
            let Rung { ns_per_digit, ns_per_digit_p10, ns_per_digit_p90, ns_per_digit_with_gaps, .. } = rung;
            text.push_str(&format!(
                "| {} | {} | {} | {} to {} | {} | {} |\n",
                rung.method,
                rung.instructions.as_deref().unwrap_or(""),
                short(*ns_per_digit),
                short(*ns_per_digit_p10),
                short(*ns_per_digit_p90),
                short(*ns_per_digit_with_gaps),
                short(sample.ns_per_digit / ns_per_digit)
            ));
        }
        text.push('\n');
    }
    if !measured.latency.is_empty() {
        text.push_str("| chunk to answer, us | p50 | p90 | p99 | own part, p50 |\n|---|--:|--:|--:|--:|\n");
        for arm in &measured.latency {
            let us = |ns: Option<f64>| ns.map_or_else(|| "-".to_owned(), |ns| short(ns / 1000.0));
            let why = arm.unavailable.as_ref().map_or_else(String::new, |why| format!(": {why}"));
            let [p50, p90, p99, own] = [arm.p50_ns, arm.p90_ns, arm.p99_ns, arm.own_p50_ns].map(us);
            text.push_str(&format!("| {}{why} | {p50} | {p90} | {p99} | {own} |\n", arm.arm));
        }
        text.push('\n');
    }
    text.push_str(&figure::table(&measured.bars));
    text.push('\n');
    text
}

fn short(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{value:.2}"),
        value if value < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missed_bars_and_unavailable_arms_are_shown() {
        let measured: Measured = serde_json::from_str(
            r#"{"cpus":"Measured on CPU 1.","warnings":["busy"],
                "ladder":[{"method":"sample","instructions":null,"ns_per_digit":220000.0,"ns_per_digit_p10":2.1e5,
                  "ns_per_digit_p90":2.3e5,"ns_per_digit_with_gaps":220000.0,"memory_bytes":null,"rounds":[1.0]},
                  {"method":"fixed-point","instructions":"AVX2","ns_per_digit":5.0,"ns_per_digit_p10":4.9,
                  "ns_per_digit_p90":5.5,"ns_per_digit_with_gaps":5.5}],
                "latency":[{"arm":"blocking","unavailable":null,"p50_ns":20500.0,"p90_ns":30000.0,"p99_ns":90000.0,
                  "own_p50_ns":6500.0,"answers":600},
                  {"arm":"af-xdp","unavailable":"no socket","p50_ns":null,"p90_ns":null,"p99_ns":null,"own_p50_ns":null}],
                "bars":[{"what":"best rung","value":13.0,"unit":"ns","bar":"at most 12","is_reached":false},
                  {"what":"busy-poll: one CPU","value":null,"unit":"","bar":null,"is_reached":true}]}"#,
        )
        .unwrap();
        let text = text(&measured);
        for line in [
            "Warning: busy.\n",
            "| fixed-point | AVX2 | 5.00 | 4.90 to 5.50 | 5.50 | 44000 |\n",
            "| blocking | 20.5 | 30.0 | 90.0 | 6.50 |\n",
            "| af-xdp: no socket | - | - | - | - |\n",
            "| best rung | 13.000 ns | at most 12, missed |\n",
            "| busy-poll: one CPU | - |  |\n",
        ] {
            assert!(text.contains(line), "{line}{text}");
        }
    }
}
