//! The rule that turns runs and evidence into a verdict, or into another run.
//!
//! Pure: the same runs give the same ruling. This is the rule in its simplest
//! true form: limit L, killed at K, and one more run when a run was over L while
//! a disturbance was seen. Disturbance only ever adds time, so the lowest decides.

use model::{LimitKind, Nanos, RunEnd, RunResult, Verdict};

/// The time limit of a judgement and how it is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRule {
    /// L: what a run may take.
    pub limit: Nanos,
    /// K: when a run is killed.
    pub kill_limit: Nanos,
    /// How many runs of one case there may be.
    pub runs_max: u32,
}

/// What comes after some runs of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The run kept every limit and left with code 0: its output decides.
    CheckOutput {
        /// The run whose output it is.
        run: usize,
    },
    /// This is the verdict, whatever the output.
    Verdict {
        /// What it comes to.
        verdict: Verdict,
        /// The run that decided.
        run: usize,
        /// Why, in words.
        reason: String,
    },
    /// The case is to be run once more.
    RunAgain {
        /// Why, in words.
        reason: String,
    },
}

impl TimeRule {
    /// K is this many times L.
    pub const KILL_FACTOR: u64 = 2;
    /// One run, and one more.
    pub const RUNS_MAX: u32 = 2;
    /// The clock may run this long beyond K while CPU time is left, at least.
    const IDLE_TIME_MIN: Nanos = Nanos::from_millis(2_000);

    /// Makes the rule for a limit.
    pub const fn new(limit: Nanos) -> Self {
        Self { limit, kill_limit: limit.saturating_mul(Self::KILL_FACTOR), runs_max: Self::RUNS_MAX }
    }

    /// Gives the wall time at which a run is ended: half of K again, and never less than K and 2 s.
    pub fn wall_limit(&self) -> Nanos {
        self.kill_limit + Nanos(self.kill_limit.0 / 2).max(Self::IDLE_TIME_MIN)
    }

    /// Rules on the runs of one case so far.
    ///
    /// # Panics
    /// When there is no run to rule on.
    pub fn rule(&self, runs: &[RunResult]) -> Ruling {
        assert!(!runs.is_empty(), "a ruling needs a run");
        // A result that is not about time stands; otherwise the lowest time does.
        let run = runs.iter().position(|run| !self.is_about_time(run)).unwrap_or_else(|| {
            let lowest = (0..runs.len()).min_by_key(|run| runs[*run].usage.cpu_time);
            lowest.unwrap_or(0)
        });
        let best = &runs[run];
        let Some((verdict, reason)) = self.verdict(best) else {
            return Ruling::CheckOutput { run };
        };
        if self.is_about_time(best) && runs.len() < self.runs_max as usize {
            let disturbances = best.evidence.disturbances();
            if !disturbances.is_empty() {
                let causes: Vec<String> = disturbances.iter().map(ToString::to_string).collect();
                return Ruling::RunAgain { reason: format!("{reason}, but {}", causes.join(" and ")) };
            }
        }
        Ruling::Verdict { verdict, run, reason }
    }

    fn is_about_time(&self, run: &RunResult) -> bool {
        matches!(self.verdict(run), Some((Verdict::TimeLimitExceeded | Verdict::WallTimeLimitExceeded, _)))
    }

    /// The verdict of one run by itself; none when its output decides.
    fn verdict(&self, run: &RunResult) -> Option<(Verdict, String)> {
        let used = run.usage.cpu_time;
        let over = |what: &str| format!("{what} after {used} of CPU time");
        Some(match run.end {
            RunEnd::Limit(LimitKind::CpuTime) => {
                (Verdict::TimeLimitExceeded, format!("killed after {used} of CPU time, limit {}", self.limit))
            }
            RunEnd::Limit(LimitKind::Memory) => (Verdict::MemoryLimitExceeded, over("out of memory")),
            RunEnd::Limit(LimitKind::Output) => (Verdict::OutputLimitExceeded, over("too much output")),
            // Whoever is over the time limit is so first, however it ends afterwards.
            _ if used > self.limit => {
                (Verdict::TimeLimitExceeded, format!("{used} of CPU time, limit {}", self.limit))
            }
            RunEnd::Limit(LimitKind::WallTime) => (
                Verdict::WallTimeLimitExceeded,
                format!("killed after {} on the clock, {used} of it CPU time", run.usage.wall_time),
            ),
            RunEnd::Signaled(signal) => (Verdict::RunTimeError, over(&format!("signal {signal}"))),
            RunEnd::Exited(0) => return None,
            RunEnd::Exited(code) => (Verdict::RunTimeError, over(&format!("exit code {code}"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Evidence, Reading, Usage};

    fn run(end: RunEnd, cpu_ms: u64, steal_ms: u64) -> RunResult {
        RunResult {
            end,
            usage: Usage { cpu_time: Nanos::from_millis(cpu_ms), ..Usage::default() },
            evidence: Evidence { steal: Reading::Known(Nanos::from_millis(steal_ms)), ..Evidence::default() },
        }
    }

    const DONE: RunEnd = RunEnd::Exited(0);
    const KILLED: RunEnd = RunEnd::Limit(LimitKind::CpuTime);

    fn check(runs: &[RunResult], expected: &str) {
        let rule = TimeRule::new(Nanos::from_millis(1000));
        let got = match rule.rule(runs) {
            Ruling::CheckOutput { run } => format!("check {run}"),
            Ruling::Verdict { verdict, run, .. } => format!("{verdict} {run}"),
            Ruling::RunAgain { .. } => "again".to_owned(),
        };
        assert_eq!(got, expected, "{runs:?}");
    }

    #[test]
    fn a_table_of_cases() {
        check(&[run(DONE, 999, 0)], "check 0");
        check(&[run(DONE, 1000, 500)], "check 0");
        check(&[run(DONE, 1001, 0)], "TLE 0");
        check(&[run(DONE, 1001, 50)], "again");
        check(&[run(DONE, 1001, 50), run(DONE, 990, 0)], "check 1");
        check(&[run(DONE, 1001, 50), run(DONE, 1400, 90)], "TLE 0");
        check(&[run(DONE, 1401, 50), run(DONE, 1100, 0)], "TLE 1");
        check(&[run(KILLED, 2000, 0)], "TLE 0");
        check(&[run(KILLED, 2000, 30)], "again");
        check(&[run(KILLED, 2000, 30), run(KILLED, 2000, 30)], "TLE 0");
        check(&[run(KILLED, 2000, 30), run(RunEnd::Signaled(11), 300, 0)], "RTE 1");
        check(&[run(RunEnd::Signaled(11), 10, 90)], "RTE 0");
        check(&[run(RunEnd::Exited(3), 10, 0)], "RTE 0");
        check(&[run(RunEnd::Exited(3), 1500, 0)], "TLE 0");
        check(&[run(RunEnd::Limit(LimitKind::Memory), 1500, 90)], "MLE 0");
        check(&[run(RunEnd::Limit(LimitKind::Output), 10, 90)], "OLE 0");
        check(&[run(RunEnd::Limit(LimitKind::WallTime), 10, 0)], "WTL 0");
        check(&[run(RunEnd::Limit(LimitKind::WallTime), 10, 20)], "again");
    }

    #[test]
    fn the_clock_runs_longer_than_the_cpu() {
        assert_eq!(TimeRule::new(Nanos::from_millis(1000)).wall_limit(), Nanos::from_millis(4000));
        assert_eq!(TimeRule::new(Nanos::from_millis(10_000)).wall_limit(), Nanos::from_millis(30_000));
    }
}
