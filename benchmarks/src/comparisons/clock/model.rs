//! How well counts predict CPU time: instructions alone, and with simulated caches, over many programs.

use super::counted::report;
use super::programs::{self, Program};
use crate::figure::{Figure, figure};
use anyhow::{Context, Result, bail, ensure};
use documents::BenchCountsReport;
use stats::{Sample, bootstrap_one, rank_correlation};
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::process;

const PROBLEMS: [(&str, &str); 4] = [
    ("catenary", "06-large.in"),
    ("different", "09-longest.in"),
    ("harvest", "group2-sorted/02-falling.in"),
    ("sieve", "03-square-of-prime.in"),
];
/// The stack of a program is as large as its memory.
const MEMORY: [&str; 2] = ["--memory", "1GiB"];
const RANK_CORRELATION_MIN: f64 = 0.95;
/// Any number does, as long as it stays the same.
const SEED: u64 = 35;

/// A program, how it is started, and what it reads.
struct Ready {
    name: String,
    command: Vec<String>,
    input: Option<PathBuf>,
}

/// What was measured of it.
struct Measured {
    name: String,
    cpu_time_ns: f64,
    instructions: f64,
    cycles: f64,
}

pub fn figures(tauto: &Path, folder: &Path, rounds: u32) -> Result<Vec<Figure>> {
    let own = programs::make(folder)?.into_iter();
    let own = own.map(|Program { name, command }| Ready { name: name.to_owned(), command, input: None });
    let mut programs: Vec<Ready> = own.collect();
    programs.extend(solutions(folder)?);
    let mut times = vec![Vec::new(); programs.len()];
    for round in 0..rounds {
        eprintln!("bench: CPU times of {} programs, round {} of {rounds}", programs.len(), round + 1);
        for (Ready { name, command, input }, times) in programs.iter().zip(&mut times) {
            let report = report(tauto, folder, &MEMORY.map(str::to_owned), input.as_deref(), command)?;
            ensure!(report.end.code == Some(0), "{name}: {:?}", report.end);
            times.push(report.usage.cpu_time_ns as f64);
        }
    }
    let mut all = Vec::new();
    for (Ready { name, command, input }, times) in programs.iter().zip(times) {
        let counts = counts(tauto, folder, input.as_deref(), command)?;
        let result = &counts.results[0];
        let (instructions, cycles) = (result.instructions as f64, result.count as f64);
        // Disturbance only ever adds time.
        let cpu_time_ns = times.into_iter().fold(f64::INFINITY, f64::min);
        eprintln!("bench: {name}: {:.2} ms, {instructions} instructions, {cycles} cycles", cpu_time_ns / 1e6);
        all.push(Measured { name: name.clone(), cpu_time_ns, instructions, cycles });
    }
    Ok(judge(&all))
}

/// Makes figures of how well counts agree with times.
fn judge(all: &[Measured]) -> Vec<Figure> {
    let times: Vec<f64> = all.iter().map(|one| one.cpu_time_ns).collect();
    let instructions: Vec<f64> = all.iter().map(|one| one.instructions).collect();
    let cycles: Vec<f64> = all.iter().map(|one| one.cycles).collect();
    let mut figures = vec![weights(all, &times)];
    let mut distances: Vec<Vec<f64>> = Vec::new();
    for (name, counts) in [("instructions", instructions), ("model", cycles)] {
        let what = format!("{} programs, rank correlation of {name} with CPU time", all.len());
        let figure = figure(format!("rank_{name}"), what, rank_correlation(&counts, &times), "");
        figures.push(if name == "model" { figure.over(RANK_CORRELATION_MIN) } else { figure });
        let ratios: Vec<f64> = times.iter().zip(&counts).map(|(time, count)| (time / count).ln()).collect();
        let mut sorted = ratios.clone();
        let usual = stats::median_of(&mut sorted);
        let of_each: Vec<f64> = ratios.iter().map(|ratio| (ratio - usual).abs()).collect();
        let mut sorted = of_each.clone();
        let typical = (stats::median_of(&mut sorted).exp() - 1.0) * 100.0;
        figures.push(self::figure(
            format!("error_{name}"),
            format!("{name}: median distance from the usual time for a count"),
            typical,
            "%",
        ));
        if let Some((worst, distance)) =
            all.iter().zip(&of_each).max_by(|one, other| one.1.total_cmp(other.1))
        {
            let what = format!("{name}: the worst distance ({})", worst.name);
            figures.push(self::figure(format!("worst_{name}"), what, (distance.exp() - 1.0) * 100.0, "%"));
        }
        distances.push(of_each);
    }
    let differences: Vec<f64> =
        distances[0].iter().zip(&distances[1]).map(|(plain, model)| plain - model).collect();
    if let Ok(sample) = Sample::new(differences) {
        let interval =
            bootstrap_one(&sample, |values| values.iter().sum::<f64>() / values.len() as f64, 0.95, SEED);
        let what = format!(
            "by how much simulated caches bring counts nearer to times, mean of the logarithms of {} programs, paired bootstrap: 95 % from {:.4} to {:.4}",
            all.len(),
            interval.low,
            interval.high
        );
        figures.push(figure("nearer", what, sample.mean(), ""));
    }
    figures
}

/// Looks for a weight of misses, in parts of that of the model, with which counts agree best with times.
fn weights(all: &[Measured], times: &[f64]) -> Figure {
    let with_weight = |weight: f64| {
        let weigh = |one: &Measured| one.instructions + weight * (one.cycles - one.instructions);
        let counts: Vec<f64> = all.iter().map(weigh).collect();
        rank_correlation(&counts, times)
    };
    let each = (0..=20).map(|step| with_weight(f64::from(step) / 20.0));
    let best = each.fold(f64::NEG_INFINITY, f64::max);
    figure("rank_any", "the best rank correlation with misses of 0 to 1 times the model's cycles", best, "")
}

fn counts(
    tauto: &Path,
    folder: &Path,
    input: Option<&Path>,
    command: &[String],
) -> Result<BenchCountsReport> {
    let mut bench = Command::new(tauto);
    bench.args(["bench", "--clock", "model", "-n", "1", "--json"]).args(MEMORY);
    if let Some(input) = input {
        bench.arg("--input").arg(input);
    }
    let printed = process::read(bench.arg("--").args(command).current_dir(folder))?;
    Ok(documents::from_json(&printed)?)
}

/// Makes the accepted solutions of the sample packages that are one file.
fn solutions(folder: &Path) -> Result<Vec<Ready>> {
    let mut found = Vec::new();
    for (problem, input) in PROBLEMS {
        let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("../problems").join(problem);
        let input = package.join("data/secret").join(input).canonicalize()?;
        let mut paths: Vec<PathBuf> = std::fs::read_dir(package.join("submissions/accepted"))?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        paths.sort();
        for path in paths {
            let name = path.file_name().and_then(|name| name.to_str()).context("a name")?.to_owned();
            let own = folder.join(format!("{problem}-{name}"));
            std::fs::create_dir_all(&own)?;
            std::fs::copy(&path, own.join(&name))?;
            let Some(command) = make(&own, &name)? else { continue };
            let place = own.strip_prefix(folder)?.display().to_string();
            let command = command.into_iter().map(|word| word.replace("{}", &place)).collect();
            found.push(Ready { name: format!("{problem}/{name}"), command, input: Some(input.clone()) });
        }
    }
    Ok(found)
}

/// Compiles a file in its folder; returns how it is started from the folder above, which is `{}`.
fn make(folder: &Path, name: &str) -> Result<Option<Vec<String>>> {
    let (compiler, command): (&[&str], &[&str]) = match name.rsplit_once('.').map(|(_, end)| end) {
        Some("c") => (&["gcc", "-O2", "-static", "-no-pie", "-o", "p", name, "-lm"], &["./{}/p"]),
        Some("cpp") => (&["g++", "-O2", "-static", "-no-pie", "-o", "p", name], &["./{}/p"]),
        Some("rs") => (&["rustc", "-O", "-o", "p", name], &["./{}/p"]),
        Some("pas") => (&["fpc", "-O2", "-v0", "-op", name], &["./{}/p"]),
        Some("ml") => (&["ocamlopt", "-o", "p", name], &["./{}/p"]),
        Some("go") => (&["go", "build", "-o", "p", name], &["./{}/p"]),
        Some("java") => (&["javac", name], &["java", "-XX:+UseSerialGC", "-Xmx256m", "-cp", "{}", "Main"]),
        Some("py") => (&[], &["python3", "{}/NAME"]),
        Some("lua") => (&[], &["lua5.4", "{}/NAME"]),
        Some("pl") => (&[], &["perl", "{}/NAME"]),
        Some("rb") => (&[], &["ruby", "{}/NAME"]),
        Some("awk") => (&[], &["gawk", "-f", "{}/NAME"]),
        Some("js") => (&[], &["node", "{}/NAME"]),
        Some("sh") => (&[], &["bash", "{}/NAME"]),
        _ => return Ok(None),
    };
    if let [compiler, options @ ..] = compiler {
        let done =
            process::read(Command::new(compiler).args(options).env("CGO_ENABLED", "0").current_dir(folder));
        if let Err(error) = done {
            bail!("{name} does not compile: {error:#}");
        }
    }
    Ok(Some(command.iter().map(|word| word.replace("NAME", name)).collect()))
}
