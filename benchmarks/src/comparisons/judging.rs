//! What judging costs beyond the compiler: a package of many trivial cases, and the same program without a judge.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::host::Host;
use super::summary::{Spread, milliseconds};
use super::tools::argument;
use crate::child::memory_kib;
use xtask::process;

/// Adds one to a number: as little as a program can do and still be judged on its answer.
const SUBMISSION: &str = "#include <stdio.h>\nint main(void)\n{\n    int n;\n    if (scanf(\"%d\", &n) != 1)\n        \
                          return 1;\n    printf(\"%d\\n\", n + 1);\n    return 0;\n}\n";
/// How often the judge's memory is read. The kernel keeps its peak, so only the end can be missed.
const MEMORY_LOOK: Duration = Duration::from_millis(5);
const ACCEPTED: &str = "AC";

#[derive(Serialize)]
struct Report {
    benchmark: &'static str,
    host: Host,
    cases: usize,
    rounds: Vec<Round>,
}

/// One judging of the package, and one pass over its cases without a judge.
#[derive(Clone, Debug, Serialize)]
struct Round {
    judge_wall_time_ns: u64,
    compile_wall_time_ns: u64,
    judge_max_rss_bytes: u64,
    plain_wall_time_ns: u64,
}

/// What is needed of `tauto judge --json`.
#[derive(Debug, Deserialize)]
struct JudgeReport {
    submissions: Vec<Submission>,
}

#[derive(Debug, Deserialize)]
struct Submission {
    verdict: String,
    compile: Option<Compile>,
    runs: Vec<serde::de::IgnoredAny>,
}

#[derive(Debug, Deserialize)]
struct Compile {
    wall_time_ns: u64,
}

pub fn run(tauto: &Path, rounds: usize, cases: usize, json: bool) -> Result<()> {
    let work = tempfile::tempdir().context("cannot make a temporary directory")?;
    let package = work.path().join("trivial");
    write_package(&package, cases)?;
    let program = compile(&package, work.path())?;
    let host = Host::read();
    let mut samples = Vec::new();
    // The first one reads everything from disk and does not count.
    for round in 0..=rounds {
        eprintln!("bench: round {round} of {rounds}");
        let (judge_wall_time_ns, judge_max_rss_bytes, report) = judge(tauto, &package)?;
        let compile_wall_time_ns = compile_time(&report, cases)?;
        let plain_wall_time_ns = pass(&program, &package, cases)?;
        if round > 0 {
            samples.push(Round {
                judge_wall_time_ns,
                compile_wall_time_ns,
                judge_max_rss_bytes,
                plain_wall_time_ns,
            });
        }
    }
    let report = Report { benchmark: "judge", host, cases, rounds: samples };
    report.host.show(json, &report, || table(&report.rounds, cases))
}

/// A pass-fail package in the legacy format, with a time limit that nothing comes near.
fn write_package(package: &Path, cases: usize) -> Result<()> {
    let write = |path: &str, text: &str| {
        let full = package.join(path);
        let parent = full.parent().unwrap_or(package);
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        fs::write(&full, text).with_context(|| format!("cannot write {}", full.display()))
    };
    write("problem.yaml", "problem_format_version: legacy\nname: One More\nvalidation: default\n")?;
    write("domjudge-problem.ini", "timelimit = 2\n")?;
    write("problem_statement/problem.en.md", "Read a number and print the next one.\n")?;
    write("submissions/accepted/add.c", SUBMISSION)?;
    for case in 0..cases {
        write(&format!("data/secret/{}.in", case_name(case)), &format!("{case}\n"))?;
        write(&format!("data/secret/{}.ans", case_name(case)), &format!("{}\n", case + 1))?;
    }
    Ok(())
}

fn case_name(case: usize) -> String {
    format!("{case:05}")
}

fn compile(package: &Path, work: &Path) -> Result<PathBuf> {
    let program = work.join("add");
    let source = package.join("submissions/accepted/add.c");
    process::read(Command::new("gcc").arg("-O2").arg("-o").arg(&program).arg(source))
        .context("the program for the comparison does not compile; install gcc: apt-get install gcc")?;
    Ok(program)
}

/// Judges the package; gives the wall time, the judge's peak memory, and its report.
fn judge(tauto: &Path, package: &Path) -> Result<(u64, u64, String)> {
    // Files, not pipes: a pipe that is full would stop the judge.
    let file = || tempfile::NamedTempFile::new().context("cannot make a temporary file");
    let (stdout, stderr) = (file()?, file()?);
    let mut command = Command::new(tauto);
    command
        .args(["judge", "--json", &argument(package)])
        .stdin(Stdio::null())
        .stdout(stdout.reopen().context("cannot open a temporary file again")?)
        .stderr(stderr.reopen().context("cannot open a temporary file again")?);
    let begin = Instant::now();
    let child = command.spawn().with_context(|| format!("cannot start {}", tauto.display()))?;
    let (status, max_rss_bytes) = wait_with_memory(child)?;
    let wall_time_ns = nanoseconds(begin.elapsed())?;
    if !status.success() {
        let words = fs::read(stderr.path()).context("cannot read the judge's errors")?;
        bail!("`{} judge` ended with {status}: {}", tauto.display(), process::tail(&words));
    }
    let report = fs::read_to_string(stdout.path()).context("cannot read the judge's report")?;
    Ok((wall_time_ns, max_rss_bytes, report))
}

/// Waits for a program while another thread follows the peak of its memory.
fn wait_with_memory(mut child: Child) -> Result<(std::process::ExitStatus, u64)> {
    let status_file = PathBuf::from(format!("/proc/{}/status", child.id()));
    let ended = AtomicBool::new(false);
    let peak_kib = AtomicU64::new(0);
    let status = std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                let text = fs::read_to_string(&status_file).unwrap_or_default();
                peak_kib.fetch_max(memory_kib(&text, "VmHWM").unwrap_or(0), Ordering::Relaxed);
                std::thread::park_timeout(MEMORY_LOOK);
            }
        });
        let status = child.wait();
        ended.store(true, Ordering::Relaxed);
        watcher.thread().unpark();
        status
    });
    Ok((status.context("cannot wait for the judge")?, peak_kib.into_inner() * 1024))
}

/// Returns the compiler's time in the judge's report, once it is sure that everything was judged.
fn compile_time(report: &str, cases: usize) -> Result<u64> {
    let judged: JudgeReport = serde_json::from_str(report)
        .context("the report of `tauto judge --json` lacks submissions[] with verdict, compile.wall_time_ns and runs[]")?;
    let [submission] = judged.submissions.as_slice() else {
        bail!("the package has one submission, but the report has {}", judged.submissions.len());
    };
    if submission.verdict != ACCEPTED || submission.runs.len() != cases {
        bail!(
            "expected {ACCEPTED} after {cases} runs, but the report has {} after {}; \
             judge the package by hand to see why",
            submission.verdict,
            submission.runs.len()
        );
    }
    let compile = submission
        .compile
        .as_ref()
        .context("the report has no compile.wall_time_ns; a C program compiles")?;
    Ok(compile.wall_time_ns)
}

/// Runs the program on every case, one after the other, and compares its answers: the least that a judge does.
fn pass(program: &Path, package: &Path, cases: usize) -> Result<u64> {
    let secret = package.join("data/secret");
    let begin = Instant::now();
    for case in 0..cases {
        let input =
            fs::File::open(secret.join(format!("{}.in", case_name(case)))).context("cannot open an input")?;
        let output = Command::new(program)
            .stdin(input)
            .output()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let answer =
            fs::read(secret.join(format!("{}.ans", case_name(case)))).context("cannot read an answer")?;
        if !output.status.success() || output.stdout != answer {
            bail!("{} fails on case {}", program.display(), case_name(case));
        }
    }
    nanoseconds(begin.elapsed())
}

fn nanoseconds(time: Duration) -> Result<u64> {
    u64::try_from(time.as_nanos()).context("a run took centuries")
}

fn table(rounds: &[Round], cases: usize) -> String {
    let row = |name: &str, value: &dyn Fn(&Round) -> u64| {
        let samples: Vec<u64> = rounds.iter().map(value).collect();
        Spread::of(&samples).map_or_else(String::new, |spread| {
            format!(
                "| {name} | {} | {}..{} | {} |\n",
                milliseconds(spread.median_ns),
                milliseconds(spread.p10_ns),
                milliseconds(spread.p90_ns),
                milliseconds(spread.median_ns / cases as f64)
            )
        })
    };
    let judging = |round: &Round| round.judge_wall_time_ns.saturating_sub(round.compile_wall_time_ns);
    let peak_bytes = rounds.iter().map(|round| round.judge_max_rss_bytes).max().unwrap_or(0);
    let mut table = format!("| {cases} cases | median ms | p10..p90 ms | ms a case |\n|---|--:|--:|--:|\n");
    table.push_str(&row("`tauto judge` without the compiler", &judging));
    table.push_str(&row("`tauto judge` as a whole", &|round| round.judge_wall_time_ns));
    table.push_str(&row("plain spawn and compare", &|round| round.plain_wall_time_ns));
    table.push_str(&format!(
        "\n{} rounds. Peak resident memory of the judge: {:.1} MiB.\n",
        rounds.len(),
        peak_bytes as f64 / f64::from(1 << 20)
    ));
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_is_complete_and_its_program_right() {
        let work = tempfile::tempdir().unwrap();
        let package = work.path().join("trivial");
        write_package(&package, 3).unwrap();
        let program = compile(&package, work.path()).unwrap();
        assert!(pass(&program, &package, 3).unwrap() > 0);
        fs::write(package.join("data/secret/00001.ans"), "7\n").unwrap();
        assert!(pass(&program, &package, 3).unwrap_err().to_string().contains("case 00001"));
    }

    #[test]
    fn only_a_complete_judgement_counts() {
        let report = |verdict: &str, runs: &str, compile: &str| {
            format!(
                r#"{{"schema": "x", "submissions": [{{"verdict": "{verdict}", "compile": {compile}, "runs": {runs}}}]}}"#
            )
        };
        let compiled = r#"{"wall_time_ns": 12, "succeeded": true}"#;
        assert_eq!(compile_time(&report("AC", "[{}, {}]", compiled), 2).unwrap(), 12);
        for (bad, part) in [
            (report("WA", "[{}, {}]", compiled), "has WA after 2"),
            (report("AC", "[{}]", compiled), "has AC after 1"),
            (report("AC", "[{}, {}]", "null"), "compile.wall_time_ns"),
            (r#"{"submissions": []}"#.to_owned(), "report has 0"),
            ("[]".to_owned(), "lacks submissions"),
        ] {
            let error = format!("{:#}", compile_time(&bad, 2).unwrap_err());
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn the_table_subtracts_the_compiler() {
        let round = Round {
            judge_wall_time_ns: 500_000_000,
            compile_wall_time_ns: 100_000_000,
            judge_max_rss_bytes: 3 << 20,
            plain_wall_time_ns: 80_000_000,
        };
        let table = table(&[round.clone(), round], 100);
        assert!(table.contains("| `tauto judge` without the compiler | 400 | 400..400 | 4.00 |"), "{table}");
        assert!(table.contains("3.0 MiB"), "{table}");
    }
}
