//! The rule for a limit: its numbers applied to times.

use crate::numbers::{MeasuringNumbers, RuleNumbers};
use model::{Clock, Evidence, LimitKind, Nanos, OffCpuCause, Reading, RunEnd, RunResult, Slowdown};

/// The time limit of a judgement and how it is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeRule {
    /// What `limit` is in. Other times are CPU time or wall time in any case.
    pub clock: Clock,
    /// L: what a run may take.
    pub limit: Nanos,
    /// K: the CPU time at which a run is killed.
    pub kill_limit: Nanos,
    /// How long the repeats of a submission may wait in total for a core at its best.
    pub patience: Nanos,
    /// Whether one run decides each case; for callers in a hurry.
    pub quick: bool,
    /// The wall-time limit, in place of the one derived from K.
    pub wall: Option<Nanos>,
    pub numbers: RuleNumbers,
}

impl TimeRule {
    pub const fn new(limit: Nanos) -> Self {
        Self::of(RuleNumbers::CURRENT, limit)
    }

    /// Makes the rule of these numbers for a limit.
    pub const fn of(numbers: RuleNumbers, limit: Nanos) -> Self {
        Self {
            clock: Clock::CpuTime,
            limit,
            kill_limit: limit,
            patience: numbers.patience,
            quick: false,
            wall: None,
            numbers,
        }
        .with_kill_factor(numbers.kill_permille)
    }

    /// Makes the rule by counted instructions: L is nominal time then, which has `per_nanosecond` instructions in each
    /// nanosecond, and CPU time is a safety limit.
    #[must_use]
    pub fn by_instructions(self, per_nanosecond: u32) -> Self {
        let slowness = self.numbers.counted.map_or(1, |counted| counted.slowness_max);
        let start = self.numbers.counted.map_or(Nanos::ZERO, |counted| counted.start);
        Self {
            clock: Clock::Instructions { per_nanosecond },
            kill_limit: self.limit.saturating_mul(slowness.into()) + start,
            patience: Nanos::ZERO,
            ..self
        }
    }

    /// Makes the rule that measures a program's time: no run is within its limit, so the program runs until the two
    /// lowest times on an undisturbed core agree as closely as a reported time requires.
    pub const fn without_limit(kill_limit: Nanos) -> Self {
        let current = RuleNumbers::CURRENT;
        let MeasuringNumbers { agreement_permille, runs_min, runs_max } = current.measuring;
        let numbers = RuleNumbers { agreement_permille, runs_min, runs_max, ..current };
        Self { kill_limit, ..Self::of(numbers, Nanos::ZERO) }
    }

    /// Sets K to this many thousandths of L.
    #[must_use]
    pub const fn with_kill_factor(self, permille: u32) -> Self {
        Self { kill_limit: part(self.limit, permille), ..self }
    }

    /// Returns the wall-time limit: K and half of K again, and at least K plus 2 s, unless the caller set it.
    pub fn wall_limit(&self) -> Nanos {
        if let Some(wall) = self.wall {
            return wall;
        }
        let RuleNumbers { idle_permille, idle_min, .. } = self.numbers;
        self.kill_limit + part(self.kill_limit, idle_permille).max(idle_min)
    }

    /// Returns whether a time exceeds the limit by so little that the state of the core may be the whole cause. A
    /// measurement has no limit, so nothing is near it.
    fn is_near(&self, time: Nanos) -> bool {
        self.limit > Nanos::ZERO && time <= Slowdown(self.numbers.near_permille).added_to(self.limit)
    }

    /// Returns how many runs are needed to decide that the program of these witnesses is over the limit.
    pub(crate) fn runs_wanted(&self, witnesses: [&RunResult; 2]) -> usize {
        let RuleNumbers { runs_min, runs_in_doubt, .. } = self.numbers;
        let slow = |run: &RunResult| self.numbers.slow_core_of(&run.evidence).is_some();
        let in_doubt = self.limit > Nanos::ZERO
            && witnesses.iter().any(|run| self.is_near(run.usage.cpu_time) || slow(run));
        (if in_doubt { runs_min.max(runs_in_doubt) } else { runs_min }) as usize
    }

    /// Returns whether the lowest time shows that the program cannot be within the limit. All times are over the limit;
    /// `unexplained` are, in order, those that their core does not explain.
    pub(crate) fn is_floor_over(&self, low: Nanos, unexplained: impl Iterator<Item = Nanos>) -> bool {
        let mut farther = unexplained.skip((self.numbers.floor_witnesses as usize).saturating_sub(1));
        !self.is_near(low) || farther.next().is_some_and(|time| time - low < low - self.limit)
    }

    /// Returns whether the run after this many runs waits for [`RuleNumbers::later`], for what may be a better minute.
    pub fn comes_later(&self, runs: usize) -> bool {
        runs > 0 && runs.is_multiple_of(self.numbers.runs_at_once as usize)
    }

    /// Returns how long a case rests after this many runs.
    pub fn rest_after(&self, runs: usize) -> Nanos {
        let RuleNumbers { spacing, later, .. } = self.numbers;
        if self.comes_later(runs) { spacing.max(later) } else { spacing }
    }

    /// Returns whether a run took more than the limit.
    pub fn exceeds(&self, run: &RunResult) -> bool {
        self.clock.time(&run.usage).known().is_some_and(|time| *time > self.limit)
    }

    /// Returns whether no case is run again.
    pub fn one_run_decides(&self) -> bool {
        self.quick || self.clock.is_instructions()
    }

    /// Returns how many repeats one submission may cause on `cases` cases: as many as a program needs that is over the
    /// limit on every case on an undisturbed machine, and forty more. A submission cannot earn retries by causing
    /// disturbance.
    pub fn repeats_allowed(&self, cases: usize) -> u32 {
        let RuleNumbers { runs_min, runs_in_doubt, repeats_base, .. } = self.numbers;
        if self.one_run_decides() {
            return 0;
        }
        let repeats = runs_min.max(runs_in_doubt).saturating_sub(1);
        let usual = u32::try_from(cases).unwrap_or(u32::MAX).saturating_mul(repeats);
        usual.saturating_add(repeats_base)
    }

    /// Returns the longest time that one pass of a case can take while no other submission has the place: its runs,
    /// each up to its wall-time limit, the rests between them, and all waiting for a calm core.
    pub fn case_time_max(&self) -> Nanos {
        let runs = if self.one_run_decides() { 1 } else { self.numbers.runs_max as usize };
        let waits = (0..runs).filter(|runs| *runs > 0 && self.comes_later(*runs)).count() + 1;
        let patience =
            if self.one_run_decides() { Nanos::ZERO } else { self.patience.saturating_mul(waits as u64) };
        let running = self.wall_limit().saturating_mul(runs as u64);
        (1..runs).fold(running + patience, |sum, runs| sum + self.rest_after(runs))
    }

    /// Returns whether a run over the limit might have been within it on a core at its best. Whatever shares a core
    /// slows the contention probe most, so the run's time is too long by at most the probe's slowdown. A measurement
    /// has no limit: there a slow core explains any time, and all runs can be equally slow.
    pub fn is_explained(&self, run: &RunResult) -> bool {
        let may_be_within = |slowdown: Slowdown| {
            self.limit == Nanos::ZERO || run.usage.cpu_time <= slowdown.added_to(self.limit)
        };
        self.numbers.slow_core_of(&run.evidence).is_some_and(may_be_within)
    }

    /// Returns the longest time that the evidence of a run accounts for, if the program's undisturbed time is `time`: the
    /// core's slowdown, and the time that the hypervisor took, which some kernels charge to the run. Of a core
    /// that was too hot or not isolated nothing is known that bounds it. What others used of the CPU is not in the run's
    /// time, and a submission can cause it (kernel threads that write back its files), so it accounts
    /// for nothing.
    fn accounted(&self, evidence: &Evidence, time: Nanos) -> Nanos {
        let RuleNumbers { steal_from, heat_from, .. } = self.numbers;
        let is_unbounded = evidence.isolation.lost.is_some()
            || evidence.heat_throttles.known().is_some_and(|times| *times >= heat_from);
        if is_unbounded {
            return Nanos(u64::MAX);
        }
        let slowdown = self.numbers.slow_core_of(evidence).unwrap_or_default();
        let steal = evidence.steal.known().copied().filter(|steal| *steal >= steal_from).unwrap_or_default();
        Nanos(slowdown.added_to(time).0.saturating_add(steal.0))
    }

    /// Returns whether the evidence of a run over the limit accounts for its excess.
    pub(crate) fn is_accounted_for(&self, run: &RunResult) -> bool {
        run.usage.cpu_time <= self.accounted(&run.evidence, self.limit)
    }

    /// Returns whether a run over the limit counts against the program by itself: neither its evidence accounts for it, nor
    /// has unseen disturbance ever had such an effect.
    pub(crate) fn is_beyond(&self, run: &RunResult) -> bool {
        let Some(unseen) = self.numbers.unseen_permille else { return false };
        let is_long = run.usage.cpu_time > Slowdown(unseen).added_to(self.limit);
        self.limit > Nanos::ZERO && is_long && !self.is_accounted_for(run)
    }

    /// Returns whether a run over the limit makes a later one, which is accepted, a matter of luck: it took so much longer that
    /// neither its evidence accounts for it, nor has unseen disturbance ever had such an effect.
    pub fn is_luck_after(&self, accepted: &RunResult, over: &RunResult) -> bool {
        let Some(unseen) = self.numbers.unseen_permille.map(Slowdown) else { return false };
        if self.limit == Nanos::ZERO {
            return false;
        }
        if over.end == RunEnd::Limit(LimitKind::WallTime) {
            let unexplained = over.usage.wall_time.saturating_sub(taken(&over.evidence));
            return unexplained > accepted.usage.wall_time;
        }
        let time = accepted.usage.cpu_time;
        over.usage.cpu_time > unseen.added_to(time).max(self.accounted(&over.evidence, time))
    }

    /// Returns whether runs over the limit are enough, `unexplained` of which nothing explains.
    pub(crate) fn has_enough(&self, unexplained: usize, explained: usize) -> bool {
        let max = self.numbers.unexplained_max.filter(|_| self.limit > Nanos::ZERO);
        max.is_some_and(|max| unexplained >= explained.saturating_add(max as usize))
    }

    /// Returns whether a submission is assumed to choose its times, as since version 6. What is measured is not hostile.
    pub(crate) fn times_are_chosen(&self) -> bool {
        self.numbers.unexplained_max.is_some() && self.limit > Nanos::ZERO
    }

    /// Returns whether the disturbances seen may be the reason why a run was killed. For a slow core
    /// [`Self::is_explained`] decides that. What others used and what a quota took is not in the run's CPU time.
    pub(crate) fn may_be_disturbance(&self, run: &RunResult) -> bool {
        let others_count = !self.times_are_chosen() || run.end != RunEnd::Limit(LimitKind::CpuTime);
        let adds = |cause: &OffCpuCause| match cause {
            OffCpuCause::SlowCore(_) => false,
            OffCpuCause::Others(_) | OffCpuCause::Throttled(_) => others_count,
            _ => true,
        };
        self.is_explained(run) || self.numbers.disturbances(&run.evidence).iter().any(adds)
    }

    /// Returns whether two times, both over the limit, are the same as far as a verdict is concerned.
    pub fn agree(&self, one: Nanos, other: Nanos) -> bool {
        let RuleNumbers { agreement_permille, agreement_floor, margin_parts, .. } = self.numbers;
        let (low, high) = (one.min(other), one.max(other));
        let share = u128::from(low.0) * u128::from(agreement_permille) / 1000;
        // A measurement needs the exact time, and has no limit to be far from.
        let margin = match self.limit {
            Nanos::ZERO => 0,
            limit => u128::from((low - limit).0 / margin_parts),
        };
        u128::from((high - low).0) <= share.max(margin).max(u128::from(agreement_floor.0))
    }
}

/// Returns for how long the evidence shows that a run did not get the CPU. What others used does not count: a submission can
/// make the kernel charge them, by its sockets or by sleeping at each tick.
fn taken(evidence: &Evidence) -> Nanos {
    let taken = [&evidence.steal, &evidence.throttled].into_iter().filter_map(Reading::known);
    taken.fold(Nanos::ZERO, |sum, time| Nanos(sum.0.saturating_add(time.0)))
}

/// Returns this many thousandths of a time, capped at the longest time there is.
const fn part(of: Nanos, permille: u32) -> Nanos {
    let part = of.0 as u128 * permille as u128 / 1000;
    Nanos(if part > u64::MAX as u128 { u64::MAX } else { part as u64 })
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
    fn measuring_rule_has_no_margin() {
        let agree = |one, other| {
            TimeRule::without_limit(Nanos::from_millis(60_000))
                .agree(Nanos::from_millis(one), Nanos::from_millis(other))
        };
        assert!(agree(1000, 1005) && !agree(1000, 1006));
    }

    #[test]
    fn the_kill_limit_is_a_multiple_of_the_limit() {
        let killed = |permille| TimeRule::new(Nanos::from_millis(1500)).with_kill_factor(permille).kill_limit;
        assert_eq!(killed(2000), TimeRule::new(Nanos::from_millis(1500)).kill_limit);
        assert_eq!((killed(1100), killed(10_000)), (Nanos::from_millis(1650), Nanos::from_millis(15_000)));
        assert_eq!(TimeRule::new(Nanos(u64::MAX)).with_kill_factor(1100).kill_limit, Nanos(u64::MAX));
    }

    #[test]
    fn every_ten_runs_there_is_a_longer_rest() {
        let rule = TimeRule::new(Nanos::from_millis(1000));
        let long: Vec<usize> = (0..45).filter(|runs| rule.rest_after(*runs) == rule.numbers.later).collect();
        assert_eq!(long, [10, 20, 30, 40]);
    }

    #[test]
    fn a_case_ends_in_time() {
        let rule = TimeRule::new(Nanos::from_millis(1000));
        // 40 runs of 4 s at most, 36 rests of 2 s and 3 of 20 s, and four times the patience.
        assert_eq!(rule.case_time_max(), Nanos::from_millis(160_000 + 72_000 + 60_000 + 40_000));
        assert_eq!(TimeRule { quick: true, ..rule }.case_time_max(), rule.wall_limit());
    }

    #[test]
    fn repeats_are_capped_by_the_submission() {
        let rule = TimeRule::new(Nanos::from_millis(1000));
        assert_eq!(rule.repeats_allowed(1), 45);
        assert_eq!(rule.repeats_allowed(20), 140);
        assert_eq!(rule.repeats_allowed(usize::MAX), u32::MAX);
    }
}
