//! The rule's parameters.

use model::{Nanos, OffCpuCause, RunResult, Slowdown};

/// The time limit of a judgement and how it is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRule {
    /// L: what a run may take.
    pub limit: Nanos,
    /// K: when a run is killed.
    pub kill_limit: Nanos,
    /// Two times agree when they differ by no more than so many thousandths of the lower one, or by a
    /// [`Self::MARGIN_PARTS`]th of what the lower one is over the limit.
    pub agreement_permille: u32,
    /// A time over the limit needs at least so many runs.
    pub runs_min: u32,
    /// How many runs of one case there may be.
    pub runs_max: u32,
    /// What lies between the end of a run and the next run of the same case, at least.
    pub spacing: Nanos,
    /// How long repeats may wait for a core that is at its best, all of a submission together.
    pub patience: Nanos,
}

impl TimeRule {
    /// Which rule this is; stored with every judgement, and raised when the same runs could get another ruling.
    pub const VERSION: u32 = 5;
    /// K is this many times L, unless asked otherwise.
    pub const KILL_FACTOR: u64 = 2;
    /// One per cent: on a shared virtual machine 68 of 68 pairs of lowest times that agreed so far were
    /// within 1.2 % of the truth, after 3.6 runs on average.
    pub const AGREEMENT_PERMILLE: u32 = 10;
    /// The first run shows that it is needed, and the lowest two of three must agree.
    pub const RUNS_MIN: u32 = 3;
    /// The loop does not tell a core that is less than [`Slowdown::FLOOR`] slower than at its best, and it looks before and
    /// after a run, not during it. So a time that is no more over the limit, or of which a run on a slow core is to be the
    /// witness, needs so many runs. With three, of 100 judgements of a program that needed 97 % of its limit, one was told
    /// to be over it by two that agreed 1.8 % above it, and in a worse hour 7 of 50.
    pub const RUNS_IN_DOUBT: u32 = 6;
    /// Where a time is that near to the limit, so many of those that their core does not explain must lie nearer to the
    /// lowest than that is to the limit. Times that are spread evenly above the program's own have their fourth as near
    /// by chance in one case of eight, however wide they are spread (Robson and Whitlock, "Estimation of a truncation
    /// point", Biometrika 51, 1964).
    pub const FLOOR_WITNESSES: usize = 4;
    /// More tries than this in a bad minute do not make it a good one: the next come [`Self::LATER`].
    pub const RUNS_AT_ONCE: u32 = 10;
    /// Who is undecided then, too, has to be judged elsewhere. In an hour in which a program of 125 ms took up to 190, of 100
    /// judgements at 3 % over the limit 23 were undecided after twenty runs and none was wrong.
    pub const RUNS_MAX: u32 = 4 * Self::RUNS_AT_ONCE;
    /// Whatever disturbed one run should be over when the next begins.
    pub const SPACING: Nanos = Nanos::from_millis(2_000);
    /// What lies between each [`Self::RUNS_AT_ONCE`] runs that do not agree and the next.
    pub const LATER: Nanos = Nanos::from_millis(20_000);
    /// Phases in which somebody shared the core lasted from milliseconds to two minutes on a shared virtual machine; a
    /// contest cannot wait for the end of the longest.
    pub const PATIENCE: Nanos = Nanos::from_millis(10_000);
    /// Times that differ by less agree whatever they are; starting a program varies by about as much.
    pub const AGREEMENT_FLOOR: Nanos = Nanos::from_millis(1);
    /// A verdict needs to know on which side of the limit the time is, not the time itself: with the two lowest times
    /// four times nearer to each other than to the limit, no further run would bring it within. On a machine with
    /// four busy programs on two CPUs, ten runs of a program 18 % over its limit never agreed within 1 %.
    pub const MARGIN_PARTS: u64 = 4;
    /// Repeats that a submission may use in any case; see [`Self::repeats_allowed`].
    const REPEATS_BASE: u32 = Self::RUNS_MAX;
    /// The clock may run this long beyond K while CPU time is left, at least.
    const IDLE_TIME_MIN: Nanos = Nanos::from_millis(2_000);

    /// Makes the rule for a limit.
    pub const fn new(limit: Nanos) -> Self {
        Self {
            limit,
            kill_limit: limit.saturating_mul(Self::KILL_FACTOR),
            agreement_permille: Self::AGREEMENT_PERMILLE,
            runs_min: Self::RUNS_MIN,
            runs_max: Self::RUNS_MAX,
            spacing: Self::SPACING,
            patience: Self::PATIENCE,
        }
    }

    /// Makes the rule that finds out what a program takes: nothing is within its limit, so the program runs until the
    /// two lowest of its times on a calm core agree, as well as a time must be known that is told as a number: the bench of
    /// times rests on as many runs.
    pub const fn measuring(kill_limit: Nanos) -> Self {
        let runs_max = 2 * Self::RUNS_AT_ONCE;
        Self { kill_limit, agreement_permille: 5, runs_min: 5, runs_max, ..Self::new(Nanos::ZERO) }
    }

    /// Sets K to so many thousandths of L.
    #[must_use]
    pub const fn killing_at(self, permille: u32) -> Self {
        let kill_limit = self.limit.0 as u128 * permille as u128 / 1000;
        // A limit of centuries is not killed later than clocks can tell.
        let kill_limit = if kill_limit > u64::MAX as u128 { u64::MAX } else { kill_limit as u64 };
        Self { kill_limit: Nanos(kill_limit), ..self }
    }

    /// Gives the wall time at which a run is ended: half of K again, and never less than K and 2 s.
    pub fn wall_limit(&self) -> Nanos {
        self.kill_limit + Nanos(self.kill_limit.0 / 2).max(Self::IDLE_TIME_MIN)
    }

    /// Says whether a time is over the limit by so little that the state of a core may be all of it. Who measures has no
    /// limit to be near to.
    fn is_near(&self, time: Nanos) -> bool {
        self.limit > Nanos::ZERO && time <= Slowdown::FLOOR.added_to(self.limit)
    }

    /// Gives how many runs it takes to say that a program is over the limit of which these are the witnesses.
    pub(crate) fn runs_wanted(&self, witnesses: [&RunResult; 2]) -> usize {
        let slow = |run: &RunResult| {
            run.evidence.core_slowdown.known().is_some_and(|slowdown| *slowdown >= Slowdown::FLOOR)
        };
        let in_doubt = self.limit > Nanos::ZERO
            && witnesses.iter().any(|run| self.is_near(run.usage.cpu_time) || slow(run));
        (if in_doubt { self.runs_min.max(Self::RUNS_IN_DOUBT) } else { self.runs_min }) as usize
    }

    /// Says whether a program cannot well be within the limit of which this is the lowest time, over the limit as all, and
    /// these, in order, are those that their core does not explain.
    pub(crate) fn is_floor_over(&self, low: Nanos, unexplained: impl Iterator<Item = Nanos>) -> bool {
        let mut farther = unexplained.skip(Self::FLOOR_WITNESSES - 1);
        !self.is_near(low) || farther.next().is_some_and(|time| time - low < low - self.limit)
    }

    /// Says whether the next of so many runs comes [`Self::LATER`], in what may be a better minute.
    pub fn comes_later(runs: usize) -> bool {
        runs > 0 && runs.is_multiple_of(Self::RUNS_AT_ONCE as usize)
    }

    /// Gives how long a case rests after so many runs.
    pub fn rest_after(&self, runs: usize) -> Nanos {
        if Self::comes_later(runs) { self.spacing.max(Self::LATER) } else { self.spacing }
    }

    /// Gives how many repeats one submission may cause on `cases` cases: what a program that is over the limit on every
    /// one of them needs on a calm machine, and forty. Nobody buys tries by disturbing himself.
    pub fn repeats_allowed(&self, cases: usize) -> u32 {
        let repeats = self.runs_min.max(Self::RUNS_IN_DOUBT).saturating_sub(1);
        let usual = u32::try_from(cases).unwrap_or(u32::MAX).saturating_mul(repeats);
        usual.saturating_add(Self::REPEATS_BASE)
    }

    /// Says whether a run over the limit might have been within it on a core at its best: whatever shares a core slows
    /// the loop down most that tells, so a run's time is at most as much too long. Who measures has no limit: to him a slow core
    /// explains any time, and all runs can be slow alike.
    pub fn is_explained(&self, run: &RunResult) -> bool {
        let may_be_within = |slowdown: &Slowdown| {
            self.limit == Nanos::ZERO || run.usage.cpu_time <= slowdown.added_to(self.limit)
        };
        run.evidence
            .core_slowdown
            .known()
            .is_some_and(|slowdown| *slowdown >= Slowdown::FLOOR && may_be_within(slowdown))
    }

    /// Says whether what was seen around a killed run may have made the difference. That of a slow core is known as well
    /// as [`Self::is_explained`] tells.
    pub(crate) fn may_be_disturbance(&self, run: &RunResult) -> bool {
        let others = |cause: &OffCpuCause| !matches!(cause, OffCpuCause::SlowCore(_));
        self.is_explained(run) || run.evidence.disturbances().iter().any(others)
    }

    /// Says whether two times, both over the limit, are the same as far as a verdict is concerned.
    pub fn agree(&self, one: Nanos, other: Nanos) -> bool {
        let (low, high) = (one.min(other), one.max(other));
        let share = u128::from(low.0) * u128::from(self.agreement_permille) / 1000;
        // Who measures wants the time itself, and has no limit that it could be far from.
        let margin = match self.limit {
            Nanos::ZERO => 0,
            limit => u128::from((low - limit).0 / Self::MARGIN_PARTS),
        };
        u128::from((high - low).0) <= share.max(margin).max(u128::from(Self::AGREEMENT_FLOOR.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_longer_than_the_cpu() {
        assert_eq!(TimeRule::new(Nanos::from_millis(1000)).wall_limit(), Nanos::from_millis(4000));
        assert_eq!(TimeRule::new(Nanos::from_millis(10_000)).wall_limit(), Nanos::from_millis(30_000));
    }

    #[test]
    fn times_agree_within_one_per_cent_or_one_millisecond_or_a_quarter_of_the_margin() {
        let agree = |limit_ms, one, other| {
            TimeRule::new(Nanos::from_millis(limit_ms))
                .agree(Nanos::from_micros(one), Nanos::from_micros(other))
        };
        assert!(agree(1000, 1_000_000, 1_010_000));
        assert!(!agree(1000, 1_000_000, 1_010_001));
        assert!(agree(1000, 1_010_000, 1_000_000));
        assert!(agree(5, 5_000, 6_000));
        assert!(!agree(5, 5_000, 6_001));
        assert!(agree(1000, 1_200_000, 1_250_000));
        assert!(!agree(1000, 1_200_000, 1_250_001));
        assert!(!agree(1000, 1_020_000, 1_031_000));
    }

    #[test]
    fn who_measures_has_no_margin() {
        let agree = |one, other| {
            TimeRule::measuring(Nanos::from_millis(60_000))
                .agree(Nanos::from_millis(one), Nanos::from_millis(other))
        };
        assert!(agree(1000, 1005) && !agree(1000, 1006));
    }

    #[test]
    fn the_kill_limit_is_a_multiple_of_the_limit() {
        let killed = |permille| TimeRule::new(Nanos::from_millis(1500)).killing_at(permille).kill_limit;
        assert_eq!(killed(2000), TimeRule::new(Nanos::from_millis(1500)).kill_limit);
        assert_eq!((killed(1100), killed(10_000)), (Nanos::from_millis(1650), Nanos::from_millis(15_000)));
        assert_eq!(TimeRule::new(Nanos(u64::MAX)).killing_at(1100).kill_limit, Nanos(u64::MAX));
    }

    #[test]
    fn every_ten_runs_there_is_a_longer_rest() {
        let rule = TimeRule::new(Nanos::from_millis(1000));
        let long: Vec<usize> = (0..45).filter(|runs| rule.rest_after(*runs) == TimeRule::LATER).collect();
        assert_eq!(long, [10, 20, 30, 40]);
    }

    #[test]
    fn repeats_are_capped_by_the_submission() {
        let rule = TimeRule::new(Nanos::from_millis(1000));
        assert_eq!(rule.repeats_allowed(1), 45);
        assert_eq!(rule.repeats_allowed(20), 140);
        assert_eq!(rule.repeats_allowed(usize::MAX), u32::MAX);
    }
}
