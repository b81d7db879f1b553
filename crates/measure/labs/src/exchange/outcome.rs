//! The results of a run's blocks.

use super::{Arm, Costs, Plan, Run, Work, replay};
use documents::{ExchangeAdded, ExchangeArm, ExchangeSize, ExchangeSpread, ExchangeWarmUp};
use model::CpuId;
use stats::{Sample, USUAL_CONFIDENCE, bootstrap_one, median_of};

/// The slice in which the MPI program reports the warm-up.
const WARM_UP_SLICE_NS: u64 = 50_000_000;
/// Slices of the warm-up that make up the article's first quarter second.
const QUARTER_SLICES: usize = 5;
/// Bootstrap draws; the exact number does not matter.
const SEED: u64 = 1;

/// Describes all rounds' values, with the 95 % confidence interval of the median; `None` if there are none. A shared machine
/// can add time to any block, which affects a mean more than a median.
pub fn spread(values: &[f64]) -> Option<ExchangeSpread> {
    let sample = Sample::new(values.to_vec()).ok()?;
    let range = bootstrap_one(&sample, median_of, USUAL_CONFIDENCE, SEED);
    let (mean_ns, median_ns) = (sample.mean(), sample.median());
    Some(ExchangeSpread { mean_ns, median_ns, low_ns: range.low, high_ns: range.high })
}

/// Describes the calls since the beginning of the load, medians over the ranks; `None` if they were not reported.
pub fn warm_up(run: &Run) -> Option<ExchangeWarmUp> {
    let slices = run.warm_up.iter().map(Vec::len).min()?;
    let over_ranks = |slice: usize| {
        let mut values: Vec<f64> = run.warm_up.iter().map(|rank| rank[slice]).collect();
        median_of(&mut values)
    };
    let calls_ns: Vec<f64> = (0..slices).map(over_ranks).collect();
    if slices < 2 * QUARTER_SLICES {
        return None;
    }
    let (mut first, mut last) =
        (calls_ns[..QUARTER_SLICES].to_vec(), calls_ns[slices - 2 * QUARTER_SLICES..].to_vec());
    let first_quarter_ratio = median_of(&mut first) / median_of(&mut last).max(1.0);
    Some(ExchangeWarmUp { slice_ns: WARM_UP_SLICE_NS, calls_ns, first_quarter_ratio })
}

/// Describes a run. If ranks share CPUs, the model needs the costs of a run in which they do not.
pub fn outcome(plan: &Plan, run: &Run, costs: Option<Costs>) -> ExchangeSize {
    let arms = [false, true].into_iter().flat_map(|injected| Work::ALL.map(|work| Arm { work, injected }));
    let mut outcome = ExchangeSize {
        ranks: plan.ranks(),
        cpus: plan.cpus.iter().map(|CpuId(cpu)| *cpu).collect(),
        cpus_shared: plan.shares_cpus(),
        blocks_moved: run.blocks.iter().filter(|block| block.moved > 0).count() as u64,
        arms: arms.filter_map(|arm| times_of(arm, plan, run)).collect(),
        added: Vec::new(),
    };
    for work in [Work::Blocking, Work::Overlapped] {
        let beyond = difference(&outcome, (work, false), (Work::Alone, false));
        let arm = outcome.arms.iter_mut().find(|arm| arm.work == work.id() && !arm.injected);
        arm.into_iter().for_each(|arm| arm.beyond_alone = beyond);
    }
    let Some(costs) = costs.or_else(|| costs_of(&outcome)) else { return outcome };
    let added = [Work::Alone, Work::Blocking, Work::Overlapped].into_iter().filter_map(|work| {
        let measured = difference(&outcome, (work, true), (work, false))?;
        let per_iteration =
            |injected, round| replay(plan, work, injected, round, costs) / f64::from(plan.iterations.max(1));
        let quiet = per_iteration(false, 0);
        let computed: Vec<f64> = (0..plan.rounds).map(|round| per_iteration(true, round) - quiet).collect();
        Some(ExchangeAdded {
            work: work.id().to_owned(),
            measured: (!plan.shares_cpus()).then_some(measured),
            computed: spread(&computed)?,
        })
    });
    outcome.added = added.collect();
    outcome
}

/// Returns the cost of undisturbed work, from the medians of a run.
pub fn costs_of(outcome: &ExchangeSize) -> Option<Costs> {
    let median = |work| arm(outcome, work, false).map(|times| times.iteration.median_ns);
    Some(Costs { call_ns: median(Work::Alone)?, exchange_ns: median(Work::Bare).unwrap_or(0.0) })
}

fn arm(outcome: &ExchangeSize, work: Work, injected: bool) -> Option<&ExchangeArm> {
    outcome.arms.iter().find(|arm| arm.work == work.id() && arm.injected == injected)
}

/// Compares two arms round by round.
fn difference(outcome: &ExchangeSize, of: (Work, bool), from: (Work, bool)) -> Option<ExchangeSpread> {
    let (of, from) = (arm(outcome, of.0, of.1)?, arm(outcome, from.0, from.1)?);
    let differences: Vec<f64> = of.times_ns.iter().zip(&from.times_ns).map(|(of, from)| of - from).collect();
    spread(&differences)
}

fn times_of(arm: Arm, plan: &Plan, run: &Run) -> Option<ExchangeArm> {
    let iterations = f64::from(plan.iterations.max(1));
    let mut blocks: Vec<_> = run.blocks.iter().filter(|block| block.arm == arm).collect();
    blocks.sort_by_key(|block| block.round);
    let times_ns: Vec<f64> = blocks.iter().map(|block| block.mean_ns / iterations).collect();
    let mut counting: Vec<f64> = blocks.iter().map(|block| block.work_ns / iterations).collect();
    let detours = blocks.iter().map(|block| block.detours).sum();
    let detour_mean_ns = blocks.iter().map(|block| block.detour_ns).sum::<f64>() / detours as f64;
    Some(ExchangeArm {
        work: arm.work.id().to_owned(),
        injected: arm.injected,
        iteration: spread(&times_ns)?,
        beyond_alone: None,
        counting_ns: median_of(&mut counting),
        detours,
        detour_mean_ns: (detours > 0).then_some(detour_mean_ns),
        detours_absorbed: blocks.iter().map(|block| block.absorbed).sum(),
        times_ns,
    })
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
        let outcome = outcome(&plan, &computed_run(&plan, costs, 0.0), None);
        let costs = costs_of(&outcome).unwrap();
        assert_eq!((costs.call_ns.round(), costs.exchange_ns.round()), (75_000.0, 2_000.0));
        let blocking = arm(&outcome, Work::Blocking, false).unwrap();
        assert_eq!(blocking.beyond_alone.unwrap().median_ns.round(), 2_000.0);
        for added in &outcome.added {
            let measured = added.measured.unwrap();
            assert!((measured.median_ns - added.computed.median_ns).abs() < 1.0, "{added:?}");
            assert!(measured.median_ns > 900.0, "{added:?}");
        }
        assert_eq!(arm(&outcome, Work::Blocking, true).unwrap().detour_mean_ns, Some(13_000.0));
        assert_eq!(blocking.detour_mean_ns, None);
    }

    #[test]
    fn what_slows_every_arm_is_no_added_time() {
        let plan = Plan { rounds: 10, ..plan() };
        let costs = Costs { call_ns: 75_000.0, exchange_ns: 2_000.0 };
        let slow = outcome(&plan, &computed_run(&plan, costs, 500.0), Some(costs));
        let quick = outcome(&plan, &computed_run(&plan, costs, 0.0), Some(costs));
        let measured = |outcome: &ExchangeSize| outcome.added[1].measured.unwrap().median_ns.round();
        assert_eq!(measured(&slow), measured(&quick));
    }

    #[test]
    fn shared_cpus_give_no_measured_delay() {
        let mut plan = Plan { rounds: 3, ..plan() };
        plan.cpus[1] = plan.cpus[0];
        let costs = Costs { call_ns: 75_000.0, exchange_ns: 2_000.0 };
        let outcome = outcome(&plan, &computed_run(&plan, costs, 0.0), Some(costs));
        assert!(
            outcome.added.iter().all(|added| added.measured.is_none() && added.computed.median_ns > 900.0)
        );
    }

    #[test]
    fn the_first_quarter_second_is_compared_with_the_last_half() {
        let rank: Vec<f64> = (0..20).map(|slice| if slice < 5 { 150.0 } else { 100.0 }).collect();
        let run = Run { warm_up: vec![rank.clone(), rank], ..Run::default() };
        assert_eq!(warm_up(&run).unwrap().first_quarter_ratio, 1.5);
        assert_eq!(warm_up(&Run::default()), None);
    }
}
