//! The decision.

use crate::TimeRule;
use model::{LimitKind, Nanos, RunEnd, RunResult, Verdict};

/// What comes after some runs of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// The run kept every limit and exited with code 0: its output decides.
    CheckOutput {
        /// The run whose output decides.
        run: usize,
    },
    /// This is the verdict, whatever the output is.
    Verdict { verdict: Verdict, run: usize, reason: String },
    /// The case is to be run once more, [`TimeRule::rest_after`] its last run at the earliest.
    RunAgain { reason: String },
    /// No permitted number of runs determines the time well enough. That is a judging error for the jury to see: a
    /// verdict is never guessed.
    Undecided {
        /// The run with the lowest time.
        run: usize,
        reason: String,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RunClass {
    /// Something that has nothing to do with time, or a time within the limit.
    Plain,
    /// It ended by itself between L and K.
    Over,
    /// It was killed at K.
    KilledOnCpu,
    /// It was killed at its wall-time limit.
    KilledOnClock,
}

impl TimeRule {
    /// Rules on the runs of one case so far, while the submission has `repeats_left`.
    ///
    /// # Panics
    /// When there is no run to rule on.
    pub fn rule(&self, runs: &[RunResult], repeats_left: u32) -> Ruling {
        assert!(!runs.is_empty(), "a ruling needs a run");
        if self.clock.is_instructions() {
            return self.rule_by_instructions(&runs[0]);
        }
        let classes: Vec<RunClass> = runs.iter().map(|run| self.class_of(run)).collect();
        // No disturbance causes a result that is not about time, so the first one is final.
        if let Some(run) = classes.iter().position(|classes| *classes == RunClass::Plain) {
            return self.plain(run, &runs[run]);
        }
        if self.quick {
            let verdict = match classes[0] {
                RunClass::KilledOnClock => self.killed_on_clock(&runs[0]),
                _ => Verdict::TimeLimitExceeded,
            };
            let reason = format!("{}; one run decides, as was asked for", self.describe(&runs[0]));
            return Ruling::Verdict { verdict, run: 0, reason };
        }
        let count = |kind: RunClass| classes.iter().filter(|classes| **classes == kind).count();
        let (on_cpu, on_clock) = (count(RunClass::KilledOnCpu), count(RunClass::KilledOnClock));
        let last = runs.len() - 1;
        let may_run_again = runs.len() < self.numbers.runs_max as usize;
        let once_more = may_run_again && self.may_be_disturbance(&runs[last]);
        let verdict = |verdict, run: usize, reason| Ruling::Verdict { verdict, run, reason };

        // Nor does a submission earn one try by each kind of kill.
        let kills = |kind| if self.times_are_chosen() { on_cpu + on_clock } else { count(kind) };
        if classes[last] == RunClass::KilledOnClock {
            if kills(RunClass::KilledOnClock) == 1 && once_more {
                let reason = format!("killed at its wall-time limit, but {}", self.disturbances(&runs[last]));
                return self.again(reason, repeats_left, last);
            }
            return verdict(self.killed_on_clock(&runs[last]), last, self.describe(&runs[last]));
        }
        if on_cpu + on_clock == runs.len() {
            if kills(RunClass::KilledOnCpu) == 1 && once_more {
                let reason = format!("killed at {}, but {}", self.kill_limit, self.disturbances(&runs[last]));
                return self.again(reason, repeats_left, last);
            }
            return verdict(Verdict::TimeLimitExceeded, last, self.describe(&runs[last]));
        }
        // At least one run ended by itself between L and K, where a disturbance may have made the difference.
        let times: Vec<Nanos> = runs.iter().map(|run| run.usage.cpu_time).collect();
        let timed = (0..runs.len()).filter(|run| classes[*run] != RunClass::KilledOnClock);
        let timed = by_time(timed, &times);
        let beyond: Vec<usize> = timed.iter().copied().filter(|run| self.is_beyond(&runs[*run])).collect();
        if let [one, other, ..] = beyond[..] {
            let reason = format!(
                "two runs took {} and {}, and no disturbance that was seen or could be unseen accounts for that with the \
                 limit {}",
                times[one], times[other], self.limit
            );
            return verdict(Verdict::TimeLimitExceeded, one, reason);
        }
        let (lowest, second) = (timed[0], timed.get(1).copied());
        let low = times[lowest];
        // Disturbances only add time: a lower run contradicts the agreement of runs that their core does not explain.
        let calm: Vec<usize> = timed.iter().copied().filter(|run| !self.is_explained(&runs[*run])).collect();
        if let [one, other, ..] = calm[..]
            && runs.len() >= self.runs_wanted([&runs[one], &runs[other]])
            && self.agree(times[one], times[other])
            && self.agree(low, times[one])
            && self.is_floor_over(low, calm.iter().map(|run| times[*run]))
        {
            let which = if one == lowest { "two lowest" } else { "two lowest on an undisturbed core" };
            let reason = format!(
                "{} is over the limit {}: the {which} of {} runs agree ({} and {})",
                times[one],
                self.limit,
                runs.len(),
                times[one],
                times[other]
            );
            return verdict(Verdict::TimeLimitExceeded, one, reason);
        }
        let (explained, unexplained): (Vec<usize>, Vec<usize>) =
            timed.iter().partition(|run| self.is_accounted_for(&runs[**run]));
        if let Some(one) = unexplained.first().copied()
            && self.has_enough(unexplained.len(), explained.len())
        {
            let reason = format!(
                "nothing explains why {} of {} runs are over the limit {}, the lowest of them with {}",
                unexplained.len(),
                runs.len(),
                self.limit,
                times[one]
            );
            return verdict(Verdict::TimeLimitExceeded, one, reason);
        }
        if !may_run_again && self.is_explained(&runs[lowest]) {
            return Ruling::Undecided { run: lowest, reason: self.never_calm(runs, lowest) };
        }
        if !may_run_again {
            let reason = format!(
                "{} runs do not show on which side of the limit {} it is (the lowest are {low} and {}); judge it on a \
                 quieter machine",
                runs.len(),
                self.limit,
                second.map_or(low, |second| times[second])
            );
            return Ruling::Undecided { run: lowest, reason };
        }
        let reason = match second {
            None => format!("{low} is over the limit {} and under {}", self.limit, self.kill_limit),
            Some(_) if self.is_explained(&runs[lowest]) => {
                format!("{low} is over the limit {}, but {}", self.limit, self.disturbances(&runs[lowest]))
            }
            Some(second) if self.agree(low, times[second]) => {
                let wanted = self.runs_wanted([&runs[lowest], &runs[second]]);
                if runs.len() < wanted {
                    format!("{low} and {} agree, {wanted} runs have to confirm it", times[second])
                } else {
                    format!(
                        "{low} and {} agree, but too few runs on an undisturbed core confirm that it is over the limit {}",
                        times[second], self.limit
                    )
                }
            }
            Some(second) => format!("the two lowest times differ: {low} and {}", times[second]),
        };
        self.again(reason, repeats_left, lowest)
    }

    fn again(&self, reason: String, repeats_left: u32, run: usize) -> Ruling {
        if repeats_left == 0 {
            let reason =
                format!("{reason}; the submission has used up its repeats, so its time is not known");
            return Ruling::Undecided { run, reason };
        }
        Ruling::RunAgain { reason }
    }

    fn never_calm(&self, runs: &[RunResult], lowest: usize) -> String {
        format!(
            "in none of {} runs was the core undisturbed enough: the lowest is {}, and {}; judge it on a quieter \
             machine",
            runs.len(),
            runs[lowest].usage.cpu_time,
            self.disturbances(&runs[lowest])
        )
    }

    /// Returns the verdict on a run that was killed at its wall-time limit.
    fn killed_on_clock(&self, run: &RunResult) -> Verdict {
        if run.usage.cpu_time > self.limit {
            Verdict::TimeLimitExceeded
        } else {
            Verdict::WallTimeLimitExceeded
        }
    }

    fn class_of(&self, run: &RunResult) -> RunClass {
        match run.end {
            RunEnd::Limit(LimitKind::CpuTime | LimitKind::Instructions) => RunClass::KilledOnCpu,
            RunEnd::Limit(LimitKind::Memory | LimitKind::Output) => RunClass::Plain,
            // Since version 6 a kill is a kill, whatever CPU time was used before.
            RunEnd::Limit(LimitKind::WallTime)
                if run.usage.cpu_time <= self.limit || self.times_are_chosen() =>
            {
                RunClass::KilledOnClock
            }
            // A time-limit violation takes precedence over how the run ends afterwards.
            _ if run.usage.cpu_time > self.limit => RunClass::Over,
            _ => RunClass::Plain,
        }
    }

    /// Rules on a run whose result does not depend on time.
    pub(crate) fn plain(&self, run: usize, result: &RunResult) -> Ruling {
        let used = result.usage.cpu_time;
        let (verdict, what) = match result.end {
            RunEnd::Exited(0) => return Ruling::CheckOutput { run },
            RunEnd::Limit(LimitKind::Memory) => (Verdict::MemoryLimitExceeded, "out of memory".to_owned()),
            RunEnd::Limit(LimitKind::Output) => (Verdict::OutputLimitExceeded, "too much output".to_owned()),
            RunEnd::Limit(kind @ (LimitKind::CpuTime | LimitKind::WallTime | LimitKind::Instructions)) => {
                (Verdict::TimeLimitExceeded, format!("{kind} limit"))
            }
            RunEnd::Signaled(signal) => (Verdict::RunTimeError, format!("signal {signal}")),
            RunEnd::Exited(code) => (Verdict::RunTimeError, format!("exit code {code}")),
        };
        Ruling::Verdict { verdict, run, reason: format!("{what} after {used} of CPU time") }
    }
}

/// Sorts runs by time; equal ones stay in order.
fn by_time(runs: impl Iterator<Item = usize>, times: &[Nanos]) -> Vec<usize> {
    let mut order: Vec<usize> = runs.collect();
    order.sort_by_key(|run| times[*run]);
    order
}

#[cfg(test)]
mod tests;
