//! The propagation model: node-iterations a second, and formulas against simulation.
//!
//! The binary measures itself: a round takes some milliseconds, less than a process takes to start and warm up.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::Value;

use crate::comparisons::tools::read_json;

use super::sparse;

/// What we promise on a line of a million nodes: two sources, one of them of 1000 Hz, and one sparse source.
const TWO_SOURCES_MIN: f64 = 1e9;
const ONE_SOURCE_MIN: f64 = 3e9;
/// A million nodes, 1000 iterations, on all CPUs.
const MILLION_S_MAX: f64 = 3.0;
const BYTES_MAX: f64 = 16.0;
/// How far a formula may be off an iteration's time.
const OFF_MAX: [(&str, f64); 4] = [("1d", 0.03), ("2d", 0.05), ("2d8", 0.05), ("3d", 0.05)];

/// And for random detours, where it is not marked.
const RANDOM_OFF_MAX: f64 = 0.03;

/// Prints all tables; fails if a promise is not kept.
pub fn run(arms: &Path, json: bool) -> Result<bool> {
    let sparse = sparse::rounds(arms)?;
    let (speed, grid) = (ask(arms, "noise-speed")?, ask(arms, "noise-grid")?);
    let random = ask(arms, "noise-random")?;
    if json {
        println!(
            "{}",
            serde_json::json!({ "sparse": sparse, "speed": speed, "grid": grid, "random": random })
        );
    } else {
        sparse::print(&sparse);
        print_speed(&speed);
        print_grid(&grid);
        print_random(&random);
    }
    let is_random_near = random.iter().filter(|row| row["checked"] == true).all(is_within);
    let kept =
        sparse.iter().all(sparse::Shape::is_fast) && is_fast(&speed) && is_near(&grid) && is_random_near;
    Ok(kept)
}

fn ask(arms: &Path, what: &str) -> Result<Vec<Value>> {
    read_json(Command::new(arms).arg(what))
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
        "\nstencil  of    sources, f T_C x d/T_C         P/P*   nodes  replicas  simulated us       +-  formula us  \
         off, of it  of the extra"
    );
    for row in rows {
        println!(
            "{:7}  {:4}  {:28}  {:5}  {:6}  {:8}  {:12.3}  {:7.3}  {:10.3}  {:8.2} %  {:10.2} %",
            word(row, "stencil"),
            word(row, "reported"),
            sources(row),
            number(row, "part"),
            row["nodes"],
            row["replicas"],
            number(row, "simulated_ns") / 1e3,
            number(row, "half_ns") / 1e3,
            number(row, "formula_ns") / 1e3,
            number(row, "off_of_iteration") * 100.0,
            number(row, "off_of_extra") * 100.0
        );
    }
    for (stencil, max) in OFF_MAX {
        for (reported, count) in [("mean", 1), ("edge", 1), ("mean", 2), ("edge", 2)] {
            let of: Vec<&Value> = rows
                .iter()
                .filter(|row| word(row, "stencil") == stencil && word(row, "reported") == reported)
                .filter(|row| source_count(row) == count)
                .collect();
            print_summary(&of, &format!("{stencil}, {reported}, {count} sources"), max);
        }
    }
}

/// Prints one row for each stencil, number of nodes and mark: the points are many.
fn print_random(rows: &[Value]) {
    println!("\nrandom detours: stencil  nodes  formula     points  within  worst off an iteration's time");
    let mut groups: BTreeMap<(&str, u64, bool), Vec<&Value>> = BTreeMap::new();
    for row in rows {
        let key = (word(row, "stencil"), row["nodes"].as_u64().unwrap_or(0), row["checked"] != true);
        groups.entry(key).or_default().push(row);
    }
    for ((stencil, nodes, is_marked), rows) in groups {
        let worst = rows.iter().map(|row| number(row, "off_of_iteration").abs()).fold(0.0, f64::max);
        println!(
            "{stencil:>23}  {nodes:5}  {:9}  {:6}  {:6}  {:6.2} %",
            if is_marked { "unchecked" } else { "checked" },
            rows.len(),
            rows.iter().filter(|row| is_within(row)).count(),
            worst * 100.0
        );
    }
}

/// Returns whether a formula for random detours is as near as those for few nodes are to be, whatever the stencil; what the
/// simulation does not know is not the formula's.
fn is_within(row: &Value) -> bool {
    let unknown = number(row, "half_ns") / number(row, "simulated_ns");
    number(row, "off_of_iteration").abs() <= RANDOM_OFF_MAX + unknown
}

fn sources(row: &Value) -> String {
    let list = |name: &str| row[name].as_array().cloned().unwrap_or_default();
    let pairs = list("rates").into_iter().zip(list("lengths"));
    pairs.map(|(rate, length)| format!("{rate} x {length}")).collect::<Vec<_>>().join(" + ")
}

fn source_count(row: &Value) -> usize {
    row["rates"].as_array().map_or(0, Vec::len)
}

fn print_summary(rows: &[&Value], what: &str, max: f64) {
    let of = |name: &str| -> Vec<f64> { rows.iter().map(|row| number(row, name).abs()).collect() };
    let worst = |values: &[f64]| values.iter().copied().fold(0.0, f64::max) * 100.0;
    let within = |values: &[f64]| values.iter().filter(|off| **off <= max).count();
    let root = |values: &[f64]| {
        (values.iter().map(|off| off * off).sum::<f64>() / values.len().max(1) as f64).sqrt() * 100.0
    };
    let (iteration, extra) = (of("off_of_iteration"), of("off_of_extra"));
    println!(
        "{what}: at most {:.2} % off an iteration's time, {} of {} within {:.0} %; of the extra time at most {:.1} %, \
         {:.1} % in the root mean square, {} within {:.0} %",
        worst(&iteration),
        within(&iteration),
        rows.len(),
        max * 100.0,
        worst(&extra),
        root(&extra),
        within(&extra),
        max * 100.0
    );
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

/// The promise is for the mean over all nodes.
fn is_near(rows: &[Value]) -> bool {
    rows.iter().filter(|row| word(row, "reported") == "mean").all(|row| {
        let max =
            OFF_MAX.iter().find(|(stencil, _)| *stencil == word(row, "stencil")).map_or(0.0, |(_, max)| *max);
        number(row, "off_of_iteration").abs() <= max
    })
}
