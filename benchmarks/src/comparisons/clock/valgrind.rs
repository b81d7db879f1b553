//! Our counts compared with those of Valgrind, which translates in another way.

use super::counted::run;
use super::programs::Program;
use crate::figure::{Figure, figure};
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;
use xtask::process;

const DIFFERENCE_MAX_PERCENT: f64 = 0.1;

pub fn figures(tauto: &Path, folder: &Path, programs: &[Program]) -> Result<Vec<Figure>> {
    if process::find("valgrind").is_none() {
        return Ok(vec![Figure::missing("valgrind", "Valgrind is missing: apt-get install valgrind")]);
    }
    let mut figures = Vec::new();
    for program in programs {
        let (_, own) = run(tauto, folder, None, &program.command)?;
        let theirs = cachegrind(folder, &program.command)?;
        let percent = (own as f64 / theirs as f64 - 1.0) * 100.0;
        let what = format!("{}: {own} instructions, {theirs} by Valgrind: difference", program.name);
        let figure = figure(format!("valgrind_{}", program.name), what, percent.abs(), "%");
        figures.push(figure.under(DIFFERENCE_MAX_PERCENT));
    }
    Ok(figures)
}

/// Returns the instructions that Cachegrind counts, without its caches. Only its summary is read.
fn cachegrind(folder: &Path, command: &[String]) -> Result<u64> {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]).args(command);
    // The environment of a run.
    valgrind.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("PYTHONHASHSEED", "0");
    let told = process::capture(valgrind.current_dir(folder))?;
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    let counted =
        told.lines().find_map(|line| line.split_once("refs:")).map(|(_, count)| count.replace(',', ""));
    counted.and_then(|count| count.trim().parse().ok()).with_context(|| format!("Valgrind says: {told}"))
}
