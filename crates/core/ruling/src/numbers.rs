//! All numbers of the rule, each version's as one value.

use model::{Evidence, Nanos, OffCpuCause, Slowdown};

/// Every number that decides a ruling, except what each judging may set: the limit, and the replacements for
/// [`Self::kill_permille`] and [`Self::patience`].
///
/// The numbers of a version never change, so that its records can always be verified. Changing a number, or a decision
/// in `ruling.rs`, needs a new version: a new constant next to [`Self::VERSION_7`], listed in [`Self::VERSIONS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleNumbers {
    /// The version of the rule; stored with every judgement.
    pub version: u32,
    /// A run is killed at K, which is this many thousandths of L unless the caller sets it.
    pub kill_permille: u32,
    /// The wall-time limit is longer than K by this many thousandths of K.
    pub idle_permille: u32,
    /// The wall-time limit is longer than K by at least this.
    pub idle_min: Nanos,
    /// Two times agree when they differ by no more than this many thousandths of the lower one. One per cent: on a shared
    /// virtual machine 68 of 68 pairs of lowest times that agreed so far were within 1.2 % of the truth, after 3.6 runs on
    /// average.
    pub agreement_permille: u32,
    /// Times that differ by no more than this always agree; starting a program varies by about as much.
    pub agreement_floor: Nanos,
    /// Times also agree when they differ by no more than the lower time's excess over the limit, divided by this. A
    /// verdict needs the side of the limit, not the exact time: if the two lowest times are four times nearer to each
    /// other than to the limit, no further run would be within it. On a machine with four busy programs on two CPUs,
    /// ten runs of a program 18 % over its limit never agreed within 1 %.
    pub margin_parts: u64,
    /// A time over the limit needs at least this many runs: the first shows that a repeat is needed, and the lowest two
    /// of three must agree.
    pub runs_min: u32,
    /// Runs needed for a time near the limit, or for a witness that ran on a slow core. The contention probe cannot
    /// detect a core that is less than [`Self::slow_core`] slower than at its best, and it runs before and after a run,
    /// not during it. With three runs, 1 of 100 judgements of a program that needed 97 % of its limit was wrong: two
    /// runs agreed 1.8 % above the limit. In a worse hour 7 of 50 were wrong.
    pub runs_in_doubt: u32,
    /// A time is near the limit when it exceeds it by no more than this many thousandths of the limit: the contention
    /// probe cannot detect less.
    pub near_permille: u32,
    /// For a time that near, this many of the runs that their core does not explain must be nearer to the lowest than
    /// that is to the limit. If times are spread evenly above the program's own, the fourth is as near by chance in one
    /// case of eight, however wide the spread is (Robson and Whitlock, "Estimation of a truncation point", Biometrika
    /// 51, 1964).
    pub floor_witnesses: u32,
    /// More runs than this in a bad minute do not help: the next ones come after [`Self::later`].
    pub runs_at_once: u32,
    /// How many runs of one case there may be. A case that is still undecided has to be judged elsewhere. In an hour in
    /// which a program of 125 ms took up to 190 ms, 23 of 100 judgements at 3 % over the limit were undecided after
    /// twenty runs and none was wrong.
    pub runs_max: u32,
    /// The least time between the end of a run and the next run of the same case: whatever disturbed the first should
    /// be over by then.
    pub spacing: Nanos,
    /// The time between one group of [`Self::runs_at_once`] runs that do not agree and the next group.
    pub later: Nanos,
    /// How long the repeats of a submission may wait in total for a core at its best, unless the caller sets it. On a
    /// shared virtual machine, phases of core contention lasted from milliseconds to two minutes; a contest cannot wait
    /// for the end of the longest.
    pub patience: Nanos,
    /// Repeats that a submission may use in any case, in addition to those for each case.
    pub repeats_base: u32,
    /// Steal counts as a disturbance from this value on: less is one tick of the kernel's counter, which proves
    /// nothing.
    pub steal_from: Nanos,
    /// Throttling by a quota counts from this value on.
    pub throttled_from: Nanos,
    /// Others' CPU time counts from this value on: less is housekeeping that every kernel does, or rounding. Where it
    /// is counted in ticks of 10 ms, the first and the last tick of a run may each be charged to the wrong side.
    pub others_from: Nanos,
    /// Thermal throttling counts from this many events on.
    pub heat_from: u64,
    /// From this value on a core counts as slow: smaller differences can come from its frequency alone.
    pub slow_core: Slowdown,
    /// How much longer than undisturbed a run took at most, in thousandths, by disturbance that no evidence shows. Two runs
    /// whose excess over the limit is larger, and larger than their evidence accounts for, decide. Recorded bad hours have
    /// 520 (1600 runs of a program of 125 ms) and 540 (266 runs of a second); the value is a tenth above the worst. `None`
    /// before version 6, in which such runs only had to agree.
    pub unseen_permille: Option<u32>,
    /// How many runs whose excess nothing explains one case may have beyond the runs that are explained; then it is over the
    /// limit. In an hour of contention two of three runs over the limit show it, so the others are likely to be disturbed,
    /// too: with ten regardless of the others 5.5 of 100 programs at 99 % of the limit were over it, with this 1.5. `None`
    /// before version 6.
    pub unexplained_max: Option<u32>,
    /// Whether an accepted output is for the jury to decide when an earlier run over the limit wrote another one. Not before
    /// version 6.
    pub jury_decides_other_output: bool,
    /// How instructions become verdicts; `None` before version 7.
    pub counted: Option<CountedNumbers>,
    /// The replacements for three of these numbers when a time is measured to derive a limit.
    pub measuring: MeasuringNumbers,
}

/// Numbers for a clock that counts instructions. Counts are exact, so one run decides; but an emulator does not protect its
/// memory from the program, so they are believed only as far as the CPU time supports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedNumbers {
    /// A run is killed at this many times its limit in CPU time. An emulator that counts takes 1 to 2 ns for most instructions,
    /// and the program may wait for memory.
    pub slowness_max: u32,
    /// A count is too low if user time is more than this many times its nominal time. Arithmetic of the x87 takes an emulator
    /// 20 times as long as it counts.
    pub unbelieved_slowness: u32,
    /// User time that an emulator takes for starting and for translating, for which no instruction is counted: 20 ms for a
    /// program in C, 2.5 s for a Java virtual machine on a busy machine.
    pub start: Nanos,
}

/// Numbers for a time that is reported: the benchmark of measured times uses as many runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuringNumbers {
    /// Replaces [`RuleNumbers::agreement_permille`].
    pub agreement_permille: u32,
    /// Replaces [`RuleNumbers::runs_min`].
    pub runs_min: u32,
    /// Replaces [`RuleNumbers::runs_max`].
    pub runs_max: u32,
}

impl RuleNumbers {
    pub const VERSION_5: Self = Self {
        version: 5,
        kill_permille: 2000,
        idle_permille: 500,
        idle_min: Nanos::from_millis(2_000),
        agreement_permille: 10,
        agreement_floor: Nanos::from_millis(1),
        margin_parts: 4,
        runs_min: 3,
        runs_in_doubt: 6,
        near_permille: 100,
        floor_witnesses: 4,
        runs_at_once: 10,
        runs_max: 40,
        spacing: Nanos::from_millis(2_000),
        later: Nanos::from_millis(20_000),
        patience: Nanos::from_millis(10_000),
        repeats_base: 40,
        steal_from: Nanos::from_millis(10),
        throttled_from: Nanos(1),
        others_from: Nanos::from_millis(30),
        heat_from: 1,
        slow_core: Slowdown(100),
        unseen_permille: None,
        unexplained_max: None,
        jury_decides_other_output: false,
        counted: None,
        measuring: MeasuringNumbers { agreement_permille: 5, runs_min: 5, runs_max: 20 },
    };

    /// Version 6: a submission earns no runs by times that it chooses.
    pub const VERSION_6: Self = Self {
        version: 6,
        unseen_permille: Some(600),
        unexplained_max: Some(10),
        jury_decides_other_output: true,
        ..Self::VERSION_5
    };

    /// Version 7: instructions, where they are counted. By CPU time it rules as version 6.
    pub const VERSION_7: Self = Self {
        version: 7,
        counted: Some(CountedNumbers {
            slowness_max: 10,
            unbelieved_slowness: 40,
            start: Nanos::from_millis(5_000),
        }),
        ..Self::VERSION_6
    };

    pub const CURRENT: Self = Self::VERSION_7;

    /// Every version that records can be verified with, the oldest first.
    pub const VERSIONS: &[Self] = &[Self::VERSION_5, Self::VERSION_6, Self::VERSION_7];

    /// Returns the numbers of a version, if it is known.
    pub fn of_version(version: u32) -> Option<Self> {
        Self::VERSIONS.iter().copied().find(|numbers| numbers.version == version)
    }

    /// Returns every number except the version, with its name in records; the name ends in the unit. A number that the
    /// version does not have is not among them.
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        // A new number has to be named here, otherwise this does not compile.
        let Self {
            version: _,
            kill_permille,
            idle_permille,
            idle_min,
            agreement_permille,
            agreement_floor,
            margin_parts,
            runs_min,
            runs_in_doubt,
            near_permille,
            floor_witnesses,
            runs_at_once,
            runs_max,
            spacing,
            later,
            patience,
            repeats_base,
            steal_from,
            throttled_from,
            others_from,
            heat_from,
            slow_core,
            unseen_permille,
            unexplained_max,
            jury_decides_other_output,
            counted,
            measuring,
        } = *self;
        let mut named = vec![
            ("kill_permille", kill_permille.into()),
            ("idle_permille", idle_permille.into()),
            ("idle_min_ns", idle_min.0),
            ("agreement_permille", agreement_permille.into()),
            ("agreement_floor_ns", agreement_floor.0),
            ("margin_parts", margin_parts),
            ("runs_min", runs_min.into()),
            ("runs_in_doubt", runs_in_doubt.into()),
            ("near_permille", near_permille.into()),
            ("floor_witnesses", floor_witnesses.into()),
            ("runs_at_once", runs_at_once.into()),
            ("runs_max", runs_max.into()),
            ("spacing_ns", spacing.0),
            ("later_ns", later.0),
            ("patience_ns", patience.0),
            ("repeats_base", repeats_base.into()),
            ("steal_from_ns", steal_from.0),
            ("throttled_from_ns", throttled_from.0),
            ("others_from_ns", others_from.0),
            ("heat_from", heat_from),
            ("slow_core_permille", slow_core.0.into()),
            ("measuring_agreement_permille", measuring.agreement_permille.into()),
            ("measuring_runs_min", measuring.runs_min.into()),
            ("measuring_runs_max", measuring.runs_max.into()),
        ];
        let since_version_6 = [
            ("unseen_permille", unseen_permille),
            ("unexplained_max", unexplained_max),
            ("jury_decides_other_output", jury_decides_other_output.then_some(1)),
        ];
        named.extend(since_version_6.into_iter().filter_map(|(name, value)| Some((name, value?.into()))));
        if let Some(CountedNumbers { slowness_max, unbelieved_slowness, start }) = counted {
            named.extend([
                ("counted_slowness_max", slowness_max.into()),
                ("counted_unbelieved_slowness", unbelieved_slowness.into()),
                ("counted_start_ns", start.0),
            ]);
        }
        named
    }

    /// Lists the disturbances seen during a run. Empty means "none seen", never "undisturbed".
    pub fn disturbances(&self, evidence: &Evidence) -> Vec<OffCpuCause> {
        let mut causes = Vec::new();
        if let Some(&steal) = evidence.steal.known()
            && steal >= self.steal_from
        {
            causes.push(OffCpuCause::Steal(steal));
        }
        if let Some(&throttled) = evidence.throttled.known()
            && throttled >= self.throttled_from
        {
            causes.push(OffCpuCause::Throttled(throttled));
        }
        if let Some(&others) = evidence.others_cpu_time.known()
            && others >= self.others_from
        {
            causes.push(OffCpuCause::Others(others));
        }
        if let Some(&times) = evidence.heat_throttles.known()
            && times >= self.heat_from
        {
            causes.push(OffCpuCause::Heat(times));
        }
        if let Some(slowdown) = self.slow_core_of(evidence) {
            causes.push(OffCpuCause::SlowCore(slowdown));
        }
        if let Some(why) = &evidence.isolation.lost {
            causes.push(OffCpuCause::IsolationLost(why.clone()));
        }
        causes
    }

    /// Returns how slow the core was, if it counts as slow.
    pub fn slow_core_of(&self, evidence: &Evidence) -> Option<Slowdown> {
        evidence.core_slowdown.known().copied().filter(|slowdown| *slowdown >= self.slow_core)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Reading;

    #[test]
    fn only_causes_from_their_number_on_count() {
        let numbers = RuleNumbers::VERSION_5;
        assert_eq!(numbers.disturbances(&Evidence::default()), []);
        let noisy = Evidence {
            steal: Reading::Known(Nanos::from_millis(20)),
            throttled: Reading::Known(Nanos(1)),
            others_cpu_time: Reading::Known(Nanos::from_millis(3)),
            ..Evidence::default()
        };
        assert_eq!(
            numbers.disturbances(&noisy),
            [OffCpuCause::Steal(Nanos::from_millis(20)), OffCpuCause::Throttled(Nanos(1))]
        );
        let at = |less: u64| Evidence {
            steal: Reading::Known(Nanos(numbers.steal_from.0 - less)),
            throttled: Reading::Known(Nanos(numbers.throttled_from.0 - less)),
            others_cpu_time: Reading::Known(Nanos(numbers.others_from.0 - less)),
            heat_throttles: Reading::Known(numbers.heat_from - less),
            core_slowdown: Reading::Known(Slowdown(numbers.slow_core.0 - less as u32)),
            ..Evidence::default()
        };
        assert_eq!((numbers.disturbances(&at(0)).len(), numbers.disturbances(&at(1)).len()), (5, 0));
    }

    #[test]
    fn a_version_is_found_by_its_number_and_the_current_one_is_among_them() {
        for numbers in RuleNumbers::VERSIONS {
            assert_eq!(RuleNumbers::of_version(numbers.version), Some(*numbers));
        }
        assert!(RuleNumbers::VERSIONS.is_sorted_by_key(|numbers| numbers.version));
        assert_eq!(RuleNumbers::VERSIONS.last(), Some(&RuleNumbers::CURRENT));
        assert_eq!(RuleNumbers::of_version(4), None);
    }
}
