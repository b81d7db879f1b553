//! Arguments of `tauto sim contest` and `tauto sim right-size`.

use clap::{Args, value_parser};
use std::path::PathBuf;

pub const CONTEST_EXAMPLES: &str = "\
The file describes teams, problems, submissions, programs and pools of judgehosts; docs/examples/contest-day.yaml is one, and \
docs/sim-contest.md has every field. Each submission is judged by the code that judges in production; only programs, \
their times and disturbances are drawn. The same file and seed give the same report.

Exit code: 0 if it was simulated, 2 wrong usage or input, 3 internal or system error.

Examples:
  tauto sim contest docs/examples/contest-day.yaml
  tauto sim contest contest.yaml --judgehosts-for-ms 60000 --seed 7
  tauto sim contest contest.yaml --json | jq '.policies[].verdicts.p99_ns'";

pub const RIGHT_SIZE_EXAMPLES: &str = "\
A trace has the header at_ms,used_ms and a line for each interval: when it begins, and how much CPU time the service used or \
wanted in it. An interval ends where the next begins and is 1 ms to 1 min long. docs/right-size.md has the model and what it \
leaves out.

Exit code: 0 if it was computed, 2 wrong usage or input, 3 internal or system error.

Examples:
  tauto sim right-size --quota service.csv --machine-cpus 32
  tauto sim right-size --quota quota.csv --cpuset cpuset.csv --machine-cpus 32 --goal-ms 5 --quantile 0.999";

// Options of `tauto sim contest`.
#[derive(Debug, Args)]
pub struct SimContestArguments {
    /// The file that describes the day
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The seed of all draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Find how many strict machines give 99 of 100 verdicts within this many milliseconds
    #[arg(long, value_name = "MS", default_value_t = 60_000, value_parser = value_parser!(u64).range(1..=86_400_000))]
    pub judgehosts_for_ms: u64,
}

// Options of `tauto sim right-size`.
#[derive(Debug, Args)]
pub struct SimRightSizeArguments {
    /// The trace of the service under its quota
    #[arg(long, value_name = "FILE")]
    pub quota: PathBuf,
    /// Its trace in a cpuset; by default the same trace
    #[arg(long, value_name = "FILE")]
    pub cpuset: Option<PathBuf>,
    /// How many CPUs the machine has
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = value_parser!(u32).range(1..=1024))]
    pub machine_cpus: u32,
    /// The longest delay of work, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10, value_parser = value_parser!(u64).range(0..=3_600_000))]
    pub goal_ms: u64,
    /// The part of the work for which that holds, such as 0.99
    #[arg(long, value_name = "PART", default_value = "0.99", value_parser = quantile)]
    pub quantile: f64,
    /// The seed of all draws
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

fn quantile(text: &str) -> Result<f64, String> {
    let part = text.parse().ok().filter(|part| (0.0..=1.0).contains(part));
    part.ok_or_else(|| "expected a part from 0 to 1, such as 0.99".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_parts() {
        assert_eq!((quantile("0.99"), quantile("1")), (Ok(0.99), Ok(1.0)));
        for wrong in ["99", "-1", "nan", "99%", ""] {
            assert!(quantile(wrong).is_err(), "{wrong}");
        }
    }
}
