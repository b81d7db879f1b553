//! Arguments of `tauto judge`.

use super::ClockArguments;
use super::RootArguments;
use clap::{Args, ValueEnum};
use host_command::arguments::LeaseArguments;
use model::{Bytes, CpuSet, Nanos, ScoreRules};
use package::scoring::ErrorChoice;
use std::path::PathBuf;
use terminal::values::{cpu_list, memory, size, time};
use timing::Places;

pub const JUDGE_EXAMPLES: &str = "\
Without SUBMISSION the package's own submissions are judged and compared with their expected verdicts; so is a \
SUBMISSION that is one of those. With --test nothing is expected. The table goes to standard output at the \
end, progress to standard error.

Exit code: 0 if every verdict is as expected (without an expectation: accepted), 1 if not, 2 wrong usage, package or \
submission (the others are judged anyway), 3 if there was any judging error.

Examples:
  tauto judge problems/different
  tauto judge different.zip my-solution.cpp my-folder/
  tauto judge problems/different a.py --test sample --test secret/03-within-int --keep
  tauto judge problems/different --json --record results.jsonl > report.json
  tauto judge problems/different --clock instructions
  tauto judge --verify results.jsonl";

// Options of `tauto judge`.
#[derive(Debug, Args)]
pub struct JudgeArguments {
    /// Problem package: a folder or a ZIP archive
    #[arg(required_unless_present = "verify")]
    pub problem: Option<PathBuf>,
    /// Files or folders to judge, each one submission; without any, those of the package
    #[arg(value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// Language of the submissions (see 'tauto languages'); by default it is detected
    #[arg(long = "lang", value_name = "ID", requires = "submissions")]
    pub language: Option<String>,
    /// Run only this test case or group, such as sample or secret/03; can be repeated
    #[arg(long = "test", value_name = "NAME")]
    pub tests: Vec<String>,
    /// Run every test case, even after the verdict is certain
    #[arg(long)]
    pub all: bool,
    /// What time is.
    #[command(flatten)]
    pub clock: ClockArguments,
    /// Time limit instead of the package's, such as 2s
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time_limit: Option<Nanos>,
    /// Kill a run at N times the time limit, from 1.1 to 10; by default 2
    #[arg(long, value_name = "N", value_parser = kill_permille)]
    pub kill_factor: Option<u32>,
    /// Which error is the verdict if cases fail differently: first, worst, or ids such as TLE,RTE,WA, the highest priority first
    ///
    /// By default the rule of the package's format. 'first' is the first in judging order. Only for pass-fail problems.
    #[arg(long, value_name = "ORDER")]
    pub error: Option<ErrorChoice>,
    /// What happens to a run that writes more than the limit on output
    #[arg(long, value_name = "WHAT", value_enum, default_value = "stop")]
    pub over_output: OverLimit,
    /// Wall time at which a run is ended; unless given, half as much again as the CPU time at which it is killed, and 2 s more at least
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub wall_limit: Option<Nanos>,
    /// Memory limit in place of the package's, such as 512MiB
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    pub memory_limit: Option<Bytes>,
    /// Limit on what a run may write, in place of the package's, such as 8MiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub output_limit: Option<Bytes>,
    /// Limit on all source files together, in place of the package's, such as 64KiB
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub code_limit: Option<Bytes>,
    /// Memory limit of a package that names none, such as 512MiB
    #[arg(long, value_name = "SIZE", value_parser = memory, default_value = "2GiB")]
    pub default_memory: Bytes,
    /// Limit on all source files together for a package that names none, such as 64KiB
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "128KiB")]
    pub default_code: Bytes,
    /// How long the repeats of a submission may wait in total for a core without SMT contention; 0 for not at all
    #[arg(long, value_name = "TIME", value_parser = patience, default_value = "10s")]
    pub patience: Option<Nanos>,
    /// Let one run decide each case, in a hurry: a time over the limit may then be that of a slow run, which the verdict notes
    #[arg(long)]
    pub quick: bool,
    /// Derive the time limit again, although one that was derived on this machine is stored
    ///
    /// Only for a package that names no limit.
    #[arg(long, conflicts_with = "time_limit")]
    pub derive: bool,
    /// Leave out submissions whose compiler or interpreter is not installed, and list them with what to install
    #[arg(long)]
    pub skip_missing: bool,
    /// Keep input, answer, output and messages of each test case in DIR, by default tauto-keep
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = "tauto-keep")]
    pub keep: Option<PathBuf>,
    /// Append each result to FILE as a JSON line, synced at once, so that a crash loses none
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Judge nothing; check that FILE of --record is unchanged and that each verdict follows from its runs
    ///
    /// The package is compared with the recorded one: PROBLEM, or what lies where the recorded one lay.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["submissions", "tests", "all", "clock", "nominal_rate", "time_limit", "kill_factor", "quick", "wall_limit", "memory_limit", "output_limit", "code_limit",
          "error", "derive", "skip_missing", "keep", "record", "languages", "cpu_list", "wait", "shared", "places", "root", "image", "isolation", "checker", "scores"])]
    pub verify: Option<PathBuf>,
    /// Explain each run, why a case was run again, and what decided; also with --verify
    #[arg(long)]
    pub explain: bool,
    /// Folder of YAML files that replace or add languages
    #[arg(long = "languages", value_name = "DIR")]
    pub languages: Option<PathBuf>,
    /// CPUs of timed runs, such as 1 or 2-3; by default one is leased
    #[arg(long, value_name = "LIST", value_parser = cpu_list)]
    pub cpu_list: Option<CpuSet>,
    /// Timed places, each with its own core: a number, per-l3 (one in each L3 domain, since runs that share a cache
    /// disturb each other), or all
    #[arg(long, value_name = "PLACES", default_value = "per-l3", conflicts_with = "cpu_list")]
    pub places: Places,
    /// Where others have the CPUs.
    #[command(flatten)]
    pub lease: LeaseArguments,
    /// What is seen in place of the host's toolchains.
    #[command(flatten)]
    pub root: RootArguments,
    /// Protocol of the package's output validator, if the package does not name it
    #[arg(long, value_name = "PROTOCOL", value_enum)]
    pub checker: Option<CheckerProtocol>,
    /// Rules by which points are computed: format (the text of the package's format) or domjudge; by default its files show which
    ///
    /// DOMjudge reads the legacy format's testdata.yaml in its own way; see docs/packages.md.
    #[arg(long, value_name = "RULES")]
    pub scores: Option<ScoreRules>,
}

/// What happens to a run that writes more than the limit on output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OverLimit {
    /// It is ended: output limit exceeded
    Stop,
    /// It continues, further output is dropped, and it is output limit exceeded if it ends normally, as in DOMjudge
    Late,
    /// It continues, and the output within the limit is judged
    Cut,
}

/// The protocol of an output validator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckerProtocol {
    /// Arguments INPUT OUTPUT ANSWER, exit code 0 or 1 and up
    Testlib,
    /// Arguments INPUT ANSWER FEEDBACK, output on standard input, exit code 42 or 43
    Kattis,
}

fn patience(text: &str) -> Result<Nanos, String> {
    text.parse().map_err(|error: model::ParseUnitError| error.to_string())
}

/// Reads a factor and gives thousandths.
fn kill_permille(text: &str) -> Result<u32, String> {
    let factor = text.parse::<f64>().ok().filter(|factor| (1.1..=10.0).contains(factor));
    let factor = factor.ok_or("expected a number from 1.1 to 10")?;
    Ok((factor * 1000.0).round() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_out_of_range_are_refused() {
        assert_eq!(
            (kill_permille("1.1"), kill_permille("10"), kill_permille("2.5")),
            (Ok(1100), Ok(10_000), Ok(2500))
        );
        for text in ["1", "10.1", "NaN", "-2", "twice"] {
            assert!(kill_permille(text).is_err(), "{text}");
        }
    }
}
