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
        let counts = |command: &[String]| -> Result<[u64; 2]> {
            Ok([run(tauto, folder, None, command)?.1, cachegrind(folder, command)?])
        };
        let whole = counts(&program.command)?;
        let figure = difference(program.name, "", whole);
        figures.push(figure.under(DIFFERENCE_MAX_PERCENT));
        // C libraries start otherwise on Valgrind's processor, and Valgrind preloads a library of its own.
        let start = counts(&without_work(&program.command))?;
        let work = [whole[0].saturating_sub(start[0]), whole[1].saturating_sub(start[1])];
        figures.push(difference(program.name, "_work", work));
    }
    Ok(figures)
}

fn difference(program: &str, part: &str, [own, theirs]: [u64; 2]) -> Figure {
    let percent = (own as f64 / theirs.max(1) as f64 - 1.0) * 100.0;
    let of = if part.is_empty() { "" } else { ", less those of a start with nothing to do" };
    let what = format!("{program}: {own} instructions, {theirs} by Valgrind{of}: difference");
    figure(format!("valgrind_{program}{part}"), what, percent.abs(), "%")
}

/// The last argument of each program is how much it does.
fn without_work(command: &[String]) -> Vec<String> {
    let mut command = command.to_vec();
    if let Some(work) = command.last_mut() {
        "0".clone_into(work);
    }
    command
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
