//! What may stand after `tauto judge`.

use super::{cpu_list, memory, size, time};
use clap::{Args, ValueEnum};
use model::{Bytes, CpuSet, Nanos};
use package::scoring::ErrorChoice;
use std::path::PathBuf;
use timing::Places;

pub const JUDGE_EXAMPLES: &str = "\
Without SUBMISSION the package's own submissions are judged against what is expected of them; so is a \
SUBMISSION that is one of those. With --test nothing is expected. The table goes to standard output when all is \
done, progress to standard error.

Exit code: 0 if every verdict is as expected (a submission of which nothing is expected: if it is accepted), 1 \
if not, 2 wrong usage, package or submission (the others are judged all the same), 3 if there was any judging error.

Examples:
  tauto judge problems/different
  tauto judge different.zip my-solution.cpp my-folder/
  tauto judge problems/different a.py --test sample --test secret/03 --keep
  tauto judge problems/different --json --record results.jsonl > report.json
  tauto judge --verify results.jsonl";

/// Options of `tauto judge`.
#[derive(Debug, Args)]
pub struct JudgeArguments {
    /// Problem package: a folder or a zip archive
    #[arg(required_unless_present = "verify")]
    pub problem: Option<PathBuf>,
    /// Files or folders to judge, each one submission; without any, those of the package
    #[arg(value_name = "SUBMISSION")]
    pub submissions: Vec<PathBuf>,
    /// Language of the submissions (see 'tauto languages'); by default it is found out
    #[arg(long = "lang", value_name = "ID", requires = "submissions")]
    pub language: Option<String>,
    /// Run only this test case or group, such as sample or secret/03; can be given again
    #[arg(long = "test", value_name = "NAME")]
    pub tests: Vec<String>,
    /// Run every test case, also after one that decides
    #[arg(long)]
    pub all: bool,
    /// CPU time limit instead of the package's, such as 2s
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub time_limit: Option<Nanos>,
    /// Kill a run at so many times the time limit, from 1.1 to 10; by default at twice the limit
    #[arg(long, value_name = "N", value_parser = kill_permille)]
    pub kill_factor: Option<u32>,
    /// Which error is the verdict where cases fail differently: first, worst, or ids such as TLE,RTE,WA from the one that counts most
    ///
    /// By default what the package's format says. 'first' is the first in judging order. Only for pass-fail problems.
    #[arg(long, value_name = "ORDER")]
    pub error: Option<ErrorChoice>,
    /// What happens to a run that writes more than the limit on output
    #[arg(long, value_name = "WHAT", value_enum, default_value = "stop")]
    pub over_output: OverLimit,
    /// Memory limit of a package that names none, such as 512MiB
    #[arg(long, value_name = "SIZE", value_parser = memory, default_value = "2GiB")]
    pub default_memory: Bytes,
    /// Limit on all source files together of a package that names none, such as 64KiB
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "128KiB")]
    pub default_code: Bytes,
    /// Let the repeats of a submission wait so long, all together, for a core that nobody shares in secret; 0 for not at all
    #[arg(long, value_name = "TIME", value_parser = patience, default_value = "10s")]
    pub patience: Option<Nanos>,
    /// Derive the time limit again, although one that was derived on this machine is stored
    ///
    /// Only for a package that names no limit.
    #[arg(long, conflicts_with = "time_limit")]
    pub derive: bool,
    /// Leave out submissions whose compiler or interpreter is not installed here; they are named, with what to install
    #[arg(long)]
    pub skip_missing: bool,
    /// Keep input, answer, output and what was said of each test case in DIR
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = "tauto-keep")]
    pub keep: Option<PathBuf>,
    /// Append each result to FILE as a JSON line, at once and safely, so that a crash loses none
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Judge nothing; check that FILE of --record is unchanged and that each verdict follows from its runs
    ///
    /// The package is compared with the recorded one: PROBLEM, or what lies where the recorded one lay.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["submissions", "tests", "all", "time_limit", "kill_factor",
          "error", "derive", "skip_missing", "keep", "record", "languages", "cpu_list", "places", "root", "checker", "quiet"])]
    pub verify: Option<PathBuf>,
    /// Say of each run what it told, why a case was run again, and what decided; also with --verify
    #[arg(long)]
    pub explain: bool,
    /// Folder of YAML files that replace or add languages
    #[arg(long = "languages", value_name = "DIR")]
    pub languages: Option<PathBuf>,
    /// CPUs of timed runs, such as 1 or 2-3; by default one is leased
    #[arg(long, value_name = "LIST", value_parser = cpu_list)]
    pub cpu_list: Option<CpuSet>,
    /// Timed places, each with a core of its own: a number, per-l3 (one in each L3 domain, since runs that share a cache
    /// disturb each other), or all
    #[arg(long, value_name = "PLACES", default_value = "per-l3", conflicts_with = "cpu_list")]
    pub places: Places,
    /// Root file system tree that is seen instead of the host's toolchains
    #[arg(long, value_name = "TREE")]
    pub root: Option<PathBuf>,
    /// What the package's output validator speaks, where the package does not tell
    #[arg(long, value_name = "PROTOCOL", value_enum)]
    pub checker: Option<CheckerProtocol>,
    /// No progress; only the result
    #[arg(long, short)]
    pub quiet: bool,
}

/// What happens to a run that writes more than the limit on output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OverLimit {
    /// It is ended: output limit exceeded
    Stop,
    /// It runs on without its further output, and is output limit exceeded if it ends well, as in DOMjudge
    Late,
    /// It runs on, and what is within the limit is judged
    Cut,
}

/// What an output validator speaks.
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
    fn factors_outside_of_sense_are_refused() {
        assert_eq!(
            (kill_permille("1.1"), kill_permille("10"), kill_permille("2.5")),
            (Ok(1100), Ok(10_000), Ok(2500))
        );
        for text in ["1", "10.1", "NaN", "-2", "twice"] {
            assert!(kill_permille(text).is_err(), "{text}");
        }
    }
}
