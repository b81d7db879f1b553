//! The propagation model: node-iterations a second, and formulas against simulation.
//!
//! The binary measures itself: a round takes some milliseconds, less than a process takes to start and warm up.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// What we promise on a line of a million nodes: two sources, one of them of 1000 Hz, and one sparse source.
const TWO_SOURCES_MIN: f64 = 1e9;
const ONE_SOURCE_MIN: f64 = 3e9;
/// A million nodes, 1000 iterations, on all CPUs.
const MILLION_S_MAX: f64 = 3.0;
const BYTES_MAX: f64 = 16.0;
/// How far a formula may be off an iteration's time.
const OFF_MAX: [(&str, f64); 4] = [("1d", 0.03), ("2d", 0.05), ("2d8", 0.05), ("3d", 0.05)];

/// Prints both tables; fails if a promise is not kept.
///
/// # Errors
///
/// The binary fails, or prints something else.
pub fn run(tauto: &Path, json: bool) -> Result<bool> {
    let (speed, grid) = (ask(tauto, "noise-speed")?, ask(tauto, "noise-grid")?);
    if json {
        println!("{}", serde_json::json!({ "speed": speed, "grid": grid }));
    } else {
        print_speed(&speed);
        print_grid(&grid);
    }
    let kept = is_fast(&speed) && is_near(&grid);
    Ok(kept)
}

fn ask(tauto: &Path, what: &str) -> Result<Vec<Value>> {
    let output = Command::new(tauto).args(["internal", what]).output().context("cannot start tauto")?;
    if !output.status.success() {
        bail!("tauto internal {what} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("tauto internal did not print a JSON array")
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or(f64::NAN)
}

fn word<'r>(row: &'r Value, name: &str) -> &'r str {
    row[name].as_str().unwrap_or("?")
}

fn print_speed(rows: &[Value]) {
    println!("stencil  sources  instructions    nodes  threads  10^9 node-iterations/s  bytes/node");
    for row in rows {
        let speed = number(row, "node_iterations_per_s") / 1e9;
        let start = format!(
            "{:7}  {:7}  {:12}  {:7}  {:7}",
            word(row, "stencil"),
            row["sources"],
            word(row, "instructions"),
            row["nodes"],
            row["threads"]
        );
        if speed.is_nan() {
            println!("{start}  1000 iterations in {:.2} s", number(row, "whole_s"));
        } else {
            println!("{start}  {speed:22.2}  {:10.1}", number(row, "bytes_per_node"));
        }
    }
}

fn print_grid(rows: &[Value]) {
    println!(
        "\nstencil   f T_C  d/T_C   P/P*   nodes  simulated us       +-  formula us  off, of it  of the extra"
    );
    for row in rows {
        println!(
            "{:7}  {:6}  {:5}  {:5}  {:6}  {:12.3}  {:7.3}  {:10.3}  {:8.2} %  {:10.2} %",
            word(row, "stencil"),
            number(row, "rate"),
            number(row, "length"),
            number(row, "part"),
            row["nodes"],
            number(row, "simulated_ns") / 1e3,
            number(row, "half_ns") / 1e3,
            number(row, "formula_ns") / 1e3,
            number(row, "off_of_iteration") * 100.0,
            number(row, "off_of_extra") * 100.0
        );
    }
    for (stencil, max) in OFF_MAX {
        let of = |name: &str| -> Vec<f64> {
            rows.iter()
                .filter(|row| word(row, "stencil") == stencil)
                .map(|row| number(row, name).abs())
                .collect()
        };
        let worst = |values: &[f64]| values.iter().copied().fold(0.0, f64::max) * 100.0;
        let (iteration, extra) = (of("off_of_iteration"), of("off_of_extra"));
        let within = extra.iter().filter(|off| **off <= max).count();
        println!(
            "{stencil}: at most {:.2} % off an iteration's time (promised {:.0} %); of the extra time at most {:.1} %, \
             {within} of {} within {:.0} %",
            worst(&iteration),
            max * 100.0,
            worst(&extra),
            extra.len(),
            max * 100.0
        );
    }
}

fn is_fast(rows: &[Value]) -> bool {
    let best = |sources: u64| {
        rows.iter()
            .filter(|row| {
                word(row, "stencil") == "1d" && row["sources"] == sources && row["nodes"] == 1_000_000
            })
            .map(|row| number(row, "node_iterations_per_s"))
            .fold(0.0, f64::max)
    };
    let all = |name: &str, max: f64| {
        rows.iter().map(|row| number(row, name)).filter(|value| !value.is_nan()).all(|value| value <= max)
    };
    best(2) >= TWO_SOURCES_MIN
        && best(1) >= ONE_SOURCE_MIN
        && all("whole_s", MILLION_S_MAX)
        && all("bytes_per_node", BYTES_MAX)
}

fn is_near(rows: &[Value]) -> bool {
    rows.iter().all(|row| {
        let max =
            OFF_MAX.iter().find(|(stencil, _)| *stencil == word(row, "stencil")).map_or(0.0, |(_, max)| *max);
        number(row, "off_of_iteration").abs() <= max
    })
}
