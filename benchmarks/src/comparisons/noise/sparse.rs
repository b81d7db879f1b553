//! One sparse source in the simulation, compared with a plain loop in C that does the same on every node: in turns.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Serialize;
use xtask::process;

use stats::Sample;

const LOOP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/noise_plain.c");
const ROUNDS: usize = 7;
/// Nodes times iterations of a turn: a third of a second or less where promises are kept.
const UNITS: u64 = 1_000_000_000;

/// A lattice, what we promise on it, and what both did in each turn, in node-iterations a second.
#[derive(Debug, Serialize)]
pub struct Shape {
    name: &'static str,
    width: u64,
    rows: u64,
    promised: f64,
    simulated: Vec<f64>,
    plain: Vec<f64>,
}

impl Shape {
    fn of(name: &'static str, width: u64, rows: u64, promised: f64) -> Self {
        Self { name, width, rows, promised, simulated: Vec::new(), plain: Vec::new() }
    }

    /// Returns whether the promise is kept, by the middle of all turns.
    pub fn is_fast(&self) -> bool {
        Sample::new(self.simulated.clone()).is_ok_and(|sample| sample.median() >= self.promised)
    }
}

pub fn rounds(arms: &Path) -> Result<Vec<Shape>> {
    let folder = tempfile::tempdir()?;
    let built = folder.path().join("noise_plain");
    let mut compiler = Command::new("cc");
    compiler.args(["-O3", "-march=native", "-o"]).arg(&built).arg(LOOP);
    process::run(&mut compiler)?;
    let mut shapes = vec![
        Shape::of("1d", 10_240, 1, 5e9),
        Shape::of("1d", 1_000_000, 1, 5e9),
        Shape::of("2d", 101, 101, 3e9),
        Shape::of("2d", 1_000, 1_000, 3e9),
    ];
    for shape in &mut shapes {
        let nodes = shape.width * shape.rows;
        let iterations = (UNITS / nodes).to_string();
        for _ in 0..ROUNDS {
            let mut ours = Command::new(arms);
            ours.args(["noise-sparse", "--nodes", &nodes.to_string(), "--iterations", &iterations]);
            ours.args((shape.rows > 1).then_some("--square"));
            shape.simulated.push(number(&mut ours)?);
            let mut plain = Command::new(&built);
            plain.args([shape.width.to_string(), shape.rows.to_string(), iterations.clone()]);
            shape.plain.push(number(&mut plain)?);
        }
    }
    Ok(shapes)
}

/// Reads the one number that a program prints, within a list or not.
fn number(command: &mut Command) -> Result<f64> {
    let printed = process::read(command)?;
    let number = printed.trim().trim_matches(['[', ']']);
    number.parse().with_context(|| format!("'{number}' is no number"))
}

pub fn print(shapes: &[Shape]) {
    println!("8 Hz alone, 10^9 node-iterations/s: median of {ROUNDS} turns (lowest to highest)");
    println!("stencil    nodes  simulated             plain loop in C        promised");
    for shape in shapes {
        let cell = |values: &[f64]| match Sample::new(values.iter().map(|value| value / 1e9).collect()) {
            Ok(sample) => {
                format!("{:.2} ({:.2} to {:.2})", sample.median(), sample.min(), sample.max())
            }
            Err(error) => error.to_string(),
        };
        println!(
            "{:7}  {:7}  {:20}  {:20}  {:9.0}  {}",
            shape.name,
            shape.width * shape.rows,
            cell(&shape.simulated),
            cell(&shape.plain),
            shape.promised / 1e9,
            if shape.is_fast() { "reached" } else { "MISSED" }
        );
    }
    println!();
}
