//! The decision by counted instructions.

use crate::{Ruling, TimeRule};
use model::{InstructionCount, LimitKind, Nanos, Reading, RunEnd, RunResult, Usage, Verdict};

impl TimeRule {
    /// Rules on the only run of a case.
    pub(crate) fn rule_by_instructions(&self, run: &RunResult) -> Ruling {
        let usage = &run.usage;
        let verdict = |verdict, reason| Ruling::Verdict { verdict, run: 0, reason };
        let (used, count) = (usage.cpu_time, usage.instructions.known().copied());
        match (run.end, count) {
            (RunEnd::Limit(LimitKind::Instructions), _) => self.over(None),
            (RunEnd::Limit(LimitKind::CpuTime), _) => verdict(
                Verdict::TimeLimitExceeded,
                format!("ended at its safety limit, {} of CPU time", self.kill_limit),
            ),
            (RunEnd::Limit(LimitKind::WallTime), _) => verdict(
                Verdict::WallTimeLimitExceeded,
                format!("ended at its wall-time limit after {used} of CPU time"),
            ),
            (_, Some(count)) if self.exceeds(run) => self.over(Some(count)),
            (RunEnd::Exited(0), Some(count)) if !self.is_believed(run) => Ruling::Undecided {
                run: 0,
                reason: format!(
                    "{count} instructions are too few for {} of user time; judge it by CPU time, or look at what it does",
                    user_time(usage)
                ),
            },
            // Only an acceptance would rest on the count.
            (RunEnd::Exited(0), None) => {
                Ruling::Undecided { run: 0, reason: format!("its instructions are {}", usage.instructions) }
            }
            _ => self.plain(0, run),
        }
    }

    /// Describes the run: what it executed, and how that compares with the limit.
    pub(crate) fn describe_counted(&self, run: &RunResult) -> String {
        let Usage { instructions, cpu_time, .. } = &run.usage;
        let limit = self.clock.instructions(self.limit).unwrap_or_default();
        let end = match run.end {
            RunEnd::Exited(0) | RunEnd::Limit(LimitKind::Instructions) => String::new(),
            end => format!(", {end}"),
        };
        match instructions {
            Reading::Known(count) => {
                let side = if self.exceeds(run) || run.end == RunEnd::Limit(LimitKind::Instructions) {
                    "over"
                } else {
                    "within"
                };
                format!("{count} instructions, {side} the limit {limit}; {cpu_time} of CPU time{end}")
            }
            Reading::Unavailable(why) => {
                format!("instructions unavailable: {why}; {cpu_time} of CPU time{end}")
            }
        }
    }

    fn over(&self, count: Option<InstructionCount>) -> Ruling {
        let limit = self.clock.instructions(self.limit).unwrap_or_default();
        let reason = match count {
            Some(count) => format!("{count} instructions are over the limit {limit}"),
            None => format!("it executed more than {limit} instructions, its limit"),
        };
        Ruling::Verdict { verdict: Verdict::TimeLimitExceeded, run: 0, reason }
    }

    /// Returns whether so few instructions can have taken that long. A program that changes the emulator's memory can lower
    /// its count, but not its CPU time.
    fn is_believed(&self, run: &RunResult) -> bool {
        let usage = &run.usage;
        // An emulator within an emulator is slower by any factor: there, times say nothing of a count.
        let is_emulated = run.evidence.machine.as_ref().is_some_and(|machine| machine.is_emulated);
        let Some(counted) = self.numbers.counted.filter(|_| !is_emulated) else { return true };
        let nominal = self.clock.time(usage).into_known().unwrap_or_default();
        user_time(usage) <= nominal.saturating_mul(counted.unbelieved_slowness.into()) + counted.start
    }
}

/// Returns the user time: what the kernel does for a program is no instruction of it.
fn user_time(usage: &Usage) -> Nanos {
    usage.user_time.known().copied().unwrap_or(usage.cpu_time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Evidence, MachineUse};

    const LIMIT: Nanos = Nanos::from_millis(1_000);

    fn rule() -> TimeRule {
        TimeRule::new(LIMIT).by_instructions(2)
    }

    fn ruled(end: RunEnd, count: u64, user_ms: u64) -> String {
        ruled_in(None, end, count, user_ms)
    }

    fn ruled_in(machine: Option<MachineUse>, end: RunEnd, count: u64, user_ms: u64) -> String {
        let usage = Usage {
            cpu_time: Nanos::from_millis(user_ms + 5_000),
            user_time: Reading::Known(Nanos::from_millis(user_ms)),
            instructions: Reading::Known(InstructionCount(count)),
            ..Usage::default()
        };
        let evidence = Evidence { machine, ..Evidence::default() };
        match rule().rule(&[RunResult { end, usage, evidence }], 0) {
            Ruling::CheckOutput { run } => format!("check {run}"),
            Ruling::Verdict { verdict, run, .. } => format!("{verdict} {run}"),
            Ruling::Undecided { .. } => "undecided".to_owned(),
            Ruling::RunAgain { .. } => "again".to_owned(),
        }
    }

    #[test]
    fn one_run_decides_by_its_count() {
        let limit = 2_000_000_000;
        for (end, count, user_ms, expected) in [
            (RunEnd::Exited(0), limit, 3_000, "check 0"),
            (RunEnd::Exited(0), limit + 1, 3_000, "TLE 0"),
            (RunEnd::Exited(3), limit + 1, 3_000, "TLE 0"),
            (RunEnd::Limit(LimitKind::Instructions), limit, 3_000, "TLE 0"),
            (RunEnd::Limit(LimitKind::CpuTime), 5, 15_000, "TLE 0"),
            (RunEnd::Limit(LimitKind::WallTime), 5, 0, "WTL 0"),
            (RunEnd::Limit(LimitKind::Memory), 5, 0, "MLE 0"),
            (RunEnd::Limit(LimitKind::Output), 5, 0, "OLE 0"),
            (RunEnd::Exited(3), 5, 0, "RTE 0"),
            (RunEnd::Signaled(11), 5, 9_000, "RTE 0"),
        ] {
            assert_eq!(ruled(end, count, user_ms), expected, "{end} after {count}, {user_ms} ms");
        }
    }

    #[test]
    fn a_count_that_is_too_low_for_the_user_time_is_not_believed() {
        // 200 M instructions are 100 ms, forty times that and 5 s for the start are 9 s.
        assert_eq!(ruled(RunEnd::Exited(0), 200_000_000, 9_000), "check 0");
        assert_eq!(ruled(RunEnd::Exited(0), 200_000_000, 9_001), "undecided");
        assert_eq!(ruled(RunEnd::Exited(0), 0, 5_000), "check 0");
        for (is_emulated, expected) in [(false, "undecided"), (true, "check 0")] {
            let machine = MachineUse {
                is_emulated,
                cpu_time: Nanos::from_millis(20_000),
                start_time: Nanos::ZERO,
                memory_peak: None,
            };
            assert_eq!(ruled_in(Some(machine), RunEnd::Exited(0), 200_000_000, 9_001), expected);
        }
    }

    #[test]
    fn without_a_count_nothing_is_accepted_and_failures_are_failures() {
        let ruled = |end| {
            let run = RunResult { end, usage: Usage::default(), evidence: Default::default() };
            rule().rule(&[run], 0)
        };
        assert!(matches!(ruled(RunEnd::Exited(0)), Ruling::Undecided { .. }));
        for (end, expected) in [
            (RunEnd::Exited(126), Verdict::RunTimeError),
            (RunEnd::Signaled(11), Verdict::RunTimeError),
            (RunEnd::Limit(LimitKind::CpuTime), Verdict::TimeLimitExceeded),
            (RunEnd::Limit(LimitKind::WallTime), Verdict::WallTimeLimitExceeded),
            (RunEnd::Limit(LimitKind::Memory), Verdict::MemoryLimitExceeded),
        ] {
            assert!(matches!(ruled(end), Ruling::Verdict { verdict, .. } if verdict == expected), "{end}");
        }
    }

    #[test]
    fn cpu_time_is_a_safety_limit_and_nothing_is_run_again() {
        let rule = rule();
        assert_eq!(rule.kill_limit, Nanos::from_millis(15_000));
        assert_eq!((rule.repeats_allowed(20), rule.patience), (0, Nanos::ZERO));
        assert_eq!(rule.case_time_max(), rule.wall_limit());
    }
}
