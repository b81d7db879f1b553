//! The results of a run's blocks.

use super::{Arm, Costs, Plan, Run, Work, replay};
use stats::{Sample, USUAL_CONFIDENCE, bootstrap_one, median_of};

/// Slices of the warm-up that make up the article's first quarter second.
const QUARTER_SLICES: usize = 5;
/// Bootstrap draws; the exact number does not matter.
const SEED: u64 = 1;

/// The distribution of all rounds' values. A shared machine can add time to any block, which affects a mean more than a
/// median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub mean: f64,
    pub median: f64,
    /// The lower end of the median's 95 % confidence interval.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ArmTimes {
    pub arm: Arm,
    /// The time of one iteration in each round, the ranks' mean, in ns.
    pub times_ns: Vec<f64>,
    /// Their distribution.
    pub iteration: Spread,
    /// The median time of an iteration in the counting function, injected detours included.
    pub work_ns: f64,
    /// Detours injected, in all rounds and on all ranks.
    pub detours: u64,
    /// Their mean length as the program measured it; `None` without detours.
    pub detour_ns: Option<f64>,
    /// Detours that were due while a rank waited or communicated.
    pub absorbed: u64,
}

/// How much injected noise adds to an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Added {
    pub work: Work,
    /// As measured: the time with noise minus that without, round by round; `None` if ranks share CPUs.
    pub measured: Option<Spread>,
    /// As the model computes it with the same phases.
    pub computed: Spread,
}

/// The results of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Processes.
    pub ranks: u32,
    /// All arms that ran.
    pub arms: Vec<ArmTimes>,
    /// The article's N_P, the time of an iteration beyond that without exchange: when blocking, and when overlapped.
    pub beyond: Vec<(Work, Spread)>,
    /// How much injected noise adds to each kind of work.
    pub added: Vec<Added>,
    /// Blocks after which a rank was on another CPU than its own.
    pub moved: u64,
}

/// The calls since the beginning of the load.
#[derive(Clone, Debug, PartialEq)]
pub struct WarmUp {
    /// The median call in each slice of 50 ms, the median over the ranks, in ns.
    pub slices_ns: Vec<f64>,
    /// How much longer a call took in the first quarter second than in the last half second.
    pub first_quarter: f64,
}

impl Spread {
    /// Describes values; `None` if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let sample = Sample::new(values.to_vec()).ok()?;
        let range = bootstrap_one(&sample, median_of, USUAL_CONFIDENCE, SEED);
        Some(Self { mean: sample.mean(), median: sample.median(), low: range.low, high: range.high })
    }
}

impl WarmUp {
    /// Describes the warm-up of a run; `None` if it was not reported.
    pub fn of(run: &Run) -> Option<Self> {
        let slices = run.warm_up.iter().map(Vec::len).min()?;
        let over_ranks = |slice: usize| {
            let mut values: Vec<f64> = run.warm_up.iter().map(|rank| rank[slice]).collect();
            median_of(&mut values)
        };
        let slices_ns: Vec<f64> = (0..slices).map(over_ranks).collect();
        if slices < 2 * QUARTER_SLICES {
            return None;
        }
        let (mut first, mut last) =
            (slices_ns[..QUARTER_SLICES].to_vec(), slices_ns[slices - 2 * QUARTER_SLICES..].to_vec());
        let first_quarter = median_of(&mut first) / median_of(&mut last).max(1.0);
        Some(Self { slices_ns, first_quarter })
    }
}

impl Outcome {
    /// Describes a run. If ranks share CPUs, the model needs the costs of a run in which they do not.
    pub fn of(plan: &Plan, run: &Run, costs: Option<Costs>) -> Self {
        let arms: Vec<ArmTimes> = [false, true]
            .into_iter()
            .flat_map(|injected| Work::ALL.map(|work| Arm { work, injected }))
            .filter_map(|arm| ArmTimes::of(arm, plan, run))
            .collect();
        let mut outcome = Self {
            ranks: plan.ranks(),
            arms,
            beyond: Vec::new(),
            added: Vec::new(),
            moved: run.blocks.iter().filter(|block| block.moved > 0).count() as u64,
        };
        let exchanges = [Work::Blocking, Work::Overlapped];
        outcome.beyond = exchanges
            .into_iter()
            .filter_map(|work| Some((work, outcome.difference((work, false), (Work::Alone, false))?)))
            .collect();
        let Some(costs) = costs.or_else(|| outcome.costs()) else { return outcome };
        outcome.added = [Work::Alone, Work::Blocking, Work::Overlapped]
            .into_iter()
            .filter_map(|work| {
                let measured = outcome.difference((work, true), (work, false))?;
                let per_iteration = |injected, round| {
                    replay(plan, work, injected, round, costs) / f64::from(plan.iterations.max(1))
                };
                let quiet = per_iteration(false, 0);
                let computed: Vec<f64> =
                    (0..plan.rounds).map(|round| per_iteration(true, round) - quiet).collect();
                Some(Added {
                    work,
                    measured: (!plan.shares_cpus()).then_some(measured),
                    computed: Spread::of(&computed)?,
                })
            })
            .collect();
        outcome
    }

    /// Returns an arm's times.
    pub fn arm(&self, work: Work, injected: bool) -> Option<&ArmTimes> {
        self.arms.iter().find(|times| times.arm == Arm { work, injected })
    }

    /// Returns the cost of undisturbed work, from the medians of this run.
    pub fn costs(&self) -> Option<Costs> {
        let median = |work| self.arm(work, false).map(|times| times.iteration.median);
        Some(Costs { call_ns: median(Work::Alone)?, exchange_ns: median(Work::Bare).unwrap_or(0.0) })
    }

    /// Compares two arms round by round.
    fn difference(&self, of: (Work, bool), from: (Work, bool)) -> Option<Spread> {
        let (of, from) = (self.arm(of.0, of.1)?, self.arm(from.0, from.1)?);
        let differences: Vec<f64> =
            of.times_ns.iter().zip(&from.times_ns).map(|(of, from)| of - from).collect();
        Spread::of(&differences)
    }
}

impl ArmTimes {
    fn of(arm: Arm, plan: &Plan, run: &Run) -> Option<Self> {
        let iterations = f64::from(plan.iterations.max(1));
        let mut blocks: Vec<_> = run.blocks.iter().filter(|block| block.arm == arm).collect();
        blocks.sort_by_key(|block| block.round);
        let times_ns: Vec<f64> = blocks.iter().map(|block| block.mean_ns / iterations).collect();
        let mut work: Vec<f64> = blocks.iter().map(|block| block.work_ns / iterations).collect();
        let detours = blocks.iter().map(|block| block.detours).sum();
        let detour_ns = blocks.iter().map(|block| block.detour_ns).sum::<f64>() / detours as f64;
        Some(Self {
            arm,
            iteration: Spread::of(&times_ns)?,
            times_ns,
            work_ns: median_of(&mut work),
            detours,
            detour_ns: (detours > 0).then_some(detour_ns),
            absorbed: blocks.iter().map(|block| block.absorbed).sum(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Block;
    use super::super::plan::tests::plan;
    use super::*;

    /// Simulates the plan on a machine without disturbances, where everything takes the nominal time.
    fn computed_run(plan: &Plan, costs: Costs, slower: f64) -> Run {
        let mut run = Run { is_complete: true, ..Run::default() };
        for round in 0..plan.rounds {
            for injected in [false, true] {
                for work in Work::ALL {
                    let time =
                        replay(plan, work, injected, round, costs) + slower * f64::from(plan.iterations);
                    run.blocks.push(Block {
                        round,
                        arm: Arm { work, injected },
                        mean_ns: time,
                        max_ns: time,
                        work_ns: time,
                        detours: u64::from(injected) * 10,
                        detour_ns: f64::from(u8::from(injected)) * 130_000.0,
                        absorbed: 0,
                        moved: 0,
                    });
                }
            }
        }
        run
    }

    #[test]
    fn what_the_model_computes_is_what_a_quiet_machine_measures() {
        let plan = Plan { rounds: 10, ..plan() };
        let costs = Costs { call_ns: 75_000.0, exchange_ns: 2_000.0 };
        let outcome = Outcome::of(&plan, &computed_run(&plan, costs, 0.0), None);
        let costs = outcome.costs().unwrap();
        assert_eq!((costs.call_ns.round(), costs.exchange_ns.round()), (75_000.0, 2_000.0));
        let (work, beyond) = outcome.beyond[0];
        assert_eq!((work, beyond.median.round()), (Work::Blocking, 2_000.0));
        for added in &outcome.added {
            let measured = added.measured.unwrap();
            assert!((measured.median - added.computed.median).abs() < 1.0, "{added:?}");
            assert!(measured.median > 900.0, "{added:?}");
        }
        assert_eq!(outcome.arm(Work::Blocking, true).unwrap().detour_ns, Some(13_000.0));
        assert_eq!(outcome.arm(Work::Blocking, false).unwrap().detour_ns, None);
    }

    #[test]
    fn what_slows_every_arm_is_no_added_time() {
        let plan = Plan { rounds: 10, ..plan() };
        let costs = Costs { call_ns: 75_000.0, exchange_ns: 2_000.0 };
        let slow = Outcome::of(&plan, &computed_run(&plan, costs, 500.0), Some(costs));
        let quick = Outcome::of(&plan, &computed_run(&plan, costs, 0.0), Some(costs));
        let measured = |outcome: &Outcome| outcome.added[1].measured.unwrap().median.round();
        assert_eq!(measured(&slow), measured(&quick));
    }

    #[test]
    fn shared_cpus_give_no_measured_delay() {
        let mut plan = Plan { rounds: 3, ..plan() };
        plan.cpus[1] = plan.cpus[0];
        let costs = Costs { call_ns: 75_000.0, exchange_ns: 2_000.0 };
        let outcome = Outcome::of(&plan, &computed_run(&plan, costs, 0.0), Some(costs));
        assert!(outcome.added.iter().all(|added| added.measured.is_none() && added.computed.median > 900.0));
    }

    #[test]
    fn the_first_quarter_second_is_compared_with_the_last_half() {
        let rank: Vec<f64> = (0..20).map(|slice| if slice < 5 { 150.0 } else { 100.0 }).collect();
        let run = Run { warm_up: vec![rank.clone(), rank], ..Run::default() };
        assert_eq!(WarmUp::of(&run).unwrap().first_quarter, 1.5);
        assert_eq!(WarmUp::of(&Run::default()), None);
    }
}
