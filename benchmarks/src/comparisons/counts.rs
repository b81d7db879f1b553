//! How far counts of instructions of the same program are apart, in each language, on a quiet machine and on a busy one.
//!
//! A language's definition says what is measured here (`counts`); a count further apart fails the comparison.

use super::host::Host;
use crate::child::Busy;
use anyhow::{Context, Result};
use documents::JudgeReport;
use languages::{Counts, Language, Languages};
use model::InstructionCount;
use serde::Serialize;
use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/languages");
/// Lines of the input, each of two numbers.
const LINES: usize = 3000;
/// Runs on each of both machines; the program is compiled once for each.
const ROUNDS: usize = 4;

#[derive(Serialize)]
struct Report<'r> {
    host: &'r Host,
    outcomes: &'r [Outcome],
}

#[derive(Serialize)]
struct Outcome {
    language: String,
    /// The definition's spread in per cent: 0 for exact counts, `null` where it says nothing.
    declared_percent: Option<f64>,
    counts: Vec<u64>,
    cpu_time_ns: Vec<u64>,
    /// Why there are no counts.
    problem: Option<String>,
}

/// Measures and prints; returns whether all counts are within what the definitions say.
pub fn run(tauto: &Path, named: &[String], rounds: Option<usize>, json: bool) -> Result<bool> {
    let (host, all) = (Host::read(), Languages::builtin());
    let languages: Vec<&Language> = match named {
        [] => all.iter().collect(),
        named => named.iter().map(|id| all.named(id)).collect::<Result<_, _>>()?,
    };
    let folder = tempfile::tempdir()?;
    write_package(folder.path(), rounds.unwrap_or(ROUNDS))?;
    let mut outcomes = Vec::new();
    for language in languages {
        eprintln!("bench: {}", language.id);
        outcomes.push(measure(tauto, folder.path(), language)?);
    }
    host.show(json, &Report { host: &host, outcomes: &outcomes }, || table(&outcomes))?;
    Ok(outcomes.iter().all(Outcome::is_as_declared))
}

/// A package whose cases are all the same.
fn write_package(folder: &Path, rounds: usize) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(1);
    let pairs: Vec<[u32; 2]> = (0..LINES).map(|_| [random.u32(..10_000), random.u32(..10_000)]).collect();
    let mut sums: Vec<u32> = pairs.iter().map(|[a, b]| a + b).collect();
    sums.sort_unstable();
    sums.dedup();
    let input: String = pairs.iter().map(|[a, b]| format!("{a} {b}\n")).collect();
    let answer: String = sums.iter().map(|sum| format!("{sum}\n")).collect();
    let secret = folder.join("data/secret");
    fs::create_dir_all(&secret)?;
    fs::write(folder.join("problem.yaml"), "name: Work\nlimits: {memory: 512}\n")?;
    for round in 1..=rounds {
        fs::write(secret.join(format!("{round}.in")), &input)?;
        fs::write(secret.join(format!("{round}.ans")), &answer)?;
    }
    Ok(())
}

fn measure(tauto: &Path, package: &Path, language: &Language) -> Result<Outcome> {
    let declared_percent = match &language.counts {
        Some(Counts::Exact) => Some(0.0),
        _ => language.count_spread_percent(),
    };
    let mut outcome = Outcome {
        language: language.id.clone(),
        declared_percent,
        counts: Vec::new(),
        cpu_time_ns: Vec::new(),
        problem: language.missing(Path::exists).map(|missing| format!("missing: {}", missing.install_hint)),
    };
    for is_busy in [false, true] {
        if outcome.problem.is_some() {
            break;
        }
        let _busy = Busy::begin(if is_busy { cpus::allowed_cpus()?.len() } else { 0 })?;
        let program = Path::new(PROGRAMS).join(&language.id).join("work");
        let output = Command::new(tauto)
            .args([
                "judge",
                "--wait",
                "--json",
                "--clock",
                "instructions",
                "--time-limit",
                "60s",
                "--lang",
                &language.id,
            ])
            .args([package, &program])
            .output()?;
        let report: JudgeReport = documents::from_json(&String::from_utf8_lossy(&output.stdout))
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        let submission = report.submissions.first().context("nothing was judged")?;
        if submission.verdict.0 != model::Verdict::Accepted {
            outcome.problem = Some(format!("got {}", submission.verdict.0));
        }
        for run in &submission.runs {
            outcome.counts.extend(run.instructions);
            outcome.cpu_time_ns.extend(run.cpu_time_ns);
        }
    }
    Ok(outcome)
}

impl Outcome {
    fn spread_percent(&self) -> Option<f64> {
        let (lowest, highest) = (*self.counts.iter().min()?, *self.counts.iter().max()?);
        Some((highest - lowest) as f64 / lowest.max(1) as f64 * 100.0)
    }

    /// Where a definition says nothing, or a program is missing, nothing can be wrong.
    fn is_as_declared(&self) -> bool {
        let declared = self.declared_percent.filter(|_| !self.counts.is_empty());
        declared.is_none_or(|most| {
            self.problem.is_none() && self.spread_percent().is_some_and(|spread| spread <= most)
        })
    }
}

fn table(outcomes: &[Outcome]) -> String {
    let mut text =
        "| language | lowest count | highest | apart | the definition says | CPU time |\n|---|--:|--:|--:|--:|--:|\n"
            .to_owned();
    for one in outcomes {
        let number = |count: Option<&u64>| {
            count.map_or_else(|| "-".to_owned(), |count| InstructionCount(*count).to_string())
        };
        let apart = match (&one.problem, one.spread_percent()) {
            (Some(problem), _) => problem.clone(),
            (None, Some(0.0)) => "the same".to_owned(),
            (None, Some(spread)) => format!("{spread:.3} %"),
            (None, None) => "-".to_owned(),
        };
        let declared = match one.declared_percent {
            Some(0.0) => "exact".to_owned(),
            Some(percent) => format!("{percent} %"),
            None => "-".to_owned(),
        };
        let mark = if one.is_as_declared() { "" } else { " **exceeded**" };
        let cpu_time = one.cpu_time_ns.iter().min().map_or(0.0, |time| *time as f64 / 1e9);
        text.push_str(&format!(
            "| {} | {} | {} | {apart} | {declared}{mark} | {cpu_time:.2} s |\n",
            one.language,
            number(one.counts.iter().min()),
            number(one.counts.iter().max()),
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_compared_with_the_definition() {
        let outcome = |declared_percent, counts: &[u64], problem: Option<&str>| Outcome {
            language: "x".to_owned(),
            declared_percent,
            counts: counts.to_vec(),
            cpu_time_ns: Vec::new(),
            problem: problem.map(str::to_owned),
        };
        for (declared, counts, problem, expected) in [
            (Some(0.0), &[5, 5][..], None, true),
            (Some(0.0), &[500, 501], None, false),
            (Some(1.0), &[500, 505], None, true),
            (Some(0.9), &[500, 505], None, false),
            (None, &[500, 900], None, true),
            (Some(0.0), &[], Some("missing"), true),
            (Some(0.0), &[5], Some("got WA"), false),
        ] {
            let outcome = outcome(declared, counts, problem);
            assert_eq!(outcome.is_as_declared(), expected, "{declared:?} {counts:?}");
        }
    }
}
