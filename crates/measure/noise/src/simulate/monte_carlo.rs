//! Replicas until the difference that is reported is known well enough.

use super::{SimulateError, Simulation, replicas_at_once};
use crate::model::{Ends, Lattice, Reported, Scenario};
use crate::simd::Instructions;
use crate::source::Source;
use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Fewer say nothing of their spread.
pub const REPLICAS_MIN: usize = 10;
/// And this many detours are expected in all replicas together: fewer do not show how much replicas differ.
const DETOURS_MIN: f64 = 50.0;
/// A lattice of more nodes keeps all threads busy by itself, and several would take much memory.
const BESIDE_NODES_MAX: u64 = 4_000_000;
/// Iterations after which who watches is asked whether to go on, for a lattice of this many nodes.
const STEP_UNITS: u64 = 1 << 28;
/// The interval is checked again after at least this many times as many replicas, since each check makes it hold less
/// often, and at most, since what a few replicas say of their spread is vague.
const MORE: [f64; 2] = [1.25, 4.0];

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopRule {
    /// Half of the interval around the mean, as a part of the mean.
    pub precision: f64,
    /// How sure the interval is.
    pub confidence: f64,
    /// Not more replicas than this many.
    pub replicas_max: usize,
    /// Not more node-iterations than this many, but for one replica at least.
    pub units_max: u64,
    /// A half of this many ns is precise enough whatever the mean.
    pub floor_ns: f64,
}

/// What a simulation is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// Which node's time.
    pub reported: Reported,
    /// Which replicas, by their numbers, of all there could be.
    pub seed: u64,
    pub stop: StopRule,
    pub instructions: Instructions,
}

/// A mean with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub mean_ns: f64,
    /// Half of the interval around it; infinite where one replica says nothing of it.
    pub half_ns: f64,
}

/// What was simulated of one number of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// How many nodes the lattice has.
    pub nodes: u64,
    pub iteration: Estimate,
    /// What it takes longer than one of the reference lattice, with the same noise on the same nodes.
    pub difference: Estimate,
    pub replicas: usize,
    /// Whether the rule was satisfied.
    pub is_precise: bool,
    /// If it was not, about this many replicas would satisfy it; `None` where there are too few to estimate it.
    pub replicas_wanted: Option<u64>,
    /// Node-iterations that were computed.
    pub units: u64,
    /// The difference in each replica.
    pub differences: Vec<f64>,
}

/// The few nodes to which others are compared: each of their replicas is simulated once for all numbers of nodes.
#[derive(Clone, Debug)]
pub struct Reference {
    nodes: u64,
    values: Vec<f64>,
}

impl Default for StopRule {
    /// Returns the article's: one per cent with confidence 0.99.
    fn default() -> Self {
        Self { precision: 0.01, confidence: 0.99, replicas_max: 1000, units_max: u64::MAX, floor_ns: 0.0 }
    }
}

impl StopRule {
    fn is_satisfied_by(&self, estimate: Estimate) -> bool {
        estimate.half_ns <= self.goal_ns(estimate)
    }

    fn goal_ns(&self, estimate: Estimate) -> f64 {
        (self.precision * estimate.mean_ns.abs()).max(self.floor_ns)
    }

    /// Returns how many replicas satisfy the rule if they spread as these `count` do.
    fn wanted(&self, estimate: Estimate, count: usize) -> f64 {
        count as f64 * (estimate.half_ns / self.goal_ns(estimate)).powi(2)
    }
}

/// Takes the mean of values, and Student's interval around it.
pub fn estimate(values: &[f64], confidence: f64) -> Estimate {
    let mean_ns = mean(values);
    if values.len() < 2 {
        return Estimate { mean_ns, half_ns: f64::INFINITY };
    }
    let variance = product(values, values) / values.len() as f64;
    Estimate { mean_ns, half_ns: quantile(values.len(), confidence) * variance.sqrt() }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Returns the covariance of two series.
fn product(ones: &[f64], others: &[f64]) -> f64 {
    let (one, other) = (mean(ones), mean(others));
    let sum: f64 = ones.iter().zip(others).map(|(a, b)| (a - one) * (b - other)).sum();
    sum / (ones.len() as f64 - 1.0).max(1.0)
}

/// Returns by how many standard errors the mean of this many values may be off; any number for a single one.
fn quantile(count: usize, confidence: f64) -> f64 {
    let student = StudentsT::new(0.0, 1.0, count as f64 - 1.0);
    student.map_or(f64::INFINITY, |student| student.inverse_cdf(0.5 + confidence / 2.0))
}

impl Reference {
    /// This many nodes, of which nothing is known yet.
    pub fn new(nodes: u64) -> Self {
        Self { nodes, values: Vec::new() }
    }

    /// Simulates replicas until there are this many.
    fn extend(&mut self, scenario: &Scenario, plan: &Plan, count: usize) -> Result<(), SimulateError> {
        let at_once = replicas_at_once(scenario.stencil, self.nodes);
        let missing = (self.values.len()..count).step_by(at_once);
        // The reference's own time is not worth a progress bar.
        let blocks = blocks(scenario, self.nodes, plan, missing.collect(), &|_| true)?;
        self.values.extend(blocks.into_iter().flatten().flat_map(|(values, _)| values));
        Ok(())
    }

    /// Brings an iteration of a point to what all replicas of the reference say, so that a difference is one of two
    /// iterations that are shown.
    pub fn settle(&self, point: &mut Point, confidence: f64) {
        let (differences, all) = (&point.differences, &self.values);
        let Some(same) = all.get(..differences.len()).filter(|same| !same.is_empty()) else { return };
        let of_reference = (product(all, all) + 2.0 * product(differences, same)) / all.len() as f64;
        let of_difference = product(differences, differences) / differences.len() as f64;
        point.iteration = Estimate {
            mean_ns: mean(all) + point.difference.mean_ns,
            half_ns: quantile(differences.len(), confidence) * (of_difference + of_reference).max(0.0).sqrt(),
        };
    }
}

/// Returns what an iteration takes in each replica from number `first` on, and how many node-iterations that took; none if
/// `go_on` says so.
fn block(
    scenario: &Scenario,
    nodes: u64,
    plan: &Plan,
    first: u64,
    go_on: &impl Fn(u64) -> bool,
) -> Result<Option<(Vec<f64>, u64)>, SimulateError> {
    let mut simulation = Simulation::new(scenario, nodes, plan.seed, first, plan.instructions)?;
    let numbers = simulation.lattice().nodes() * simulation.replicas() as u64;
    let step = (STEP_UNITS / numbers).max(1);
    let advance = |simulation: &mut Simulation, mut iterations: u64| {
        while iterations > 0 {
            let now = step.min(iterations);
            simulation.advance(now)?;
            iterations -= now;
            if !go_on(now * numbers) {
                return Ok(false);
            }
        }
        Ok::<bool, SimulateError>(true)
    };
    let read = |simulation: &Simulation| -> Vec<f64> {
        let of = |observed: super::Observed| match plan.reported {
            Reported::Edge => observed.edge_ns,
            Reported::Maximum => observed.maximum_ns,
            Reported::Mean => observed.mean_ns,
        };
        simulation.observe().into_iter().map(of).collect()
    };
    if !advance(&mut simulation, scenario.warm_up)? {
        return Ok(None);
    }
    let before = read(&simulation);
    let counted = scenario.iterations - scenario.warm_up;
    if !advance(&mut simulation, counted)? {
        return Ok(None);
    }
    let after = read(&simulation);
    let values = after.iter().zip(&before).map(|(after, before)| (after - before) / counted as f64);
    Ok(Some((values.collect(), numbers * scenario.iterations)))
}

/// What [`block`] returns for some blocks at once.
type Blocks = Vec<Option<(Vec<f64>, u64)>>;

fn blocks(
    scenario: &Scenario,
    nodes: u64,
    plan: &Plan,
    firsts: Vec<usize>,
    go_on: &(impl Fn(u64) -> bool + Sync),
) -> Result<Blocks, SimulateError> {
    let one = |first: usize| block(scenario, nodes, plan, first as u64, go_on);
    if nodes > BESIDE_NODES_MAX {
        return firsts.into_iter().map(one).collect();
    }
    firsts.into_par_iter().map(one).collect()
}

/// Returns how many replicas an interval needs at least: those that had hardly any detour differ by little, whatever detours do.
fn replicas_min(scenario: &Scenario, nodes: u64) -> f64 {
    let counted_s = (scenario.iterations - scenario.warm_up) as f64 * scenario.compute_ns / 1e9;
    let frequency: f64 = scenario.sources.iter().map(Source::frequency_hz).sum();
    let detours = frequency * counted_s * nodes as f64;
    let least = if detours > 0.0 { (DETOURS_MIN / detours).ceil() } else { 0.0 };
    least.max(REPLICAS_MIN as f64)
}

/// Simulates one number of nodes together with a reference until the rule is satisfied, or `go_on` returns false, which receives how
/// many node-iterations were done; then what was done is given, if any replica was.
///
/// How many replicas are done before the interval is checked again follows from those before alone, so the result is the
/// same on any number of threads.
///
/// # Errors
/// When the scenario cannot be simulated.
pub fn simulate(
    scenario: &Scenario,
    nodes: u64,
    reference: &mut Reference,
    plan: &Plan,
    go_on: impl Fn(u64) -> bool + Sync,
) -> Result<Option<Point>, SimulateError> {
    let Plan { stop, .. } = *plan;
    let lattice = scenario.stencil.lattice(nodes);
    let is_reference = lattice == scenario.stencil.lattice(reference.nodes);
    let seen = seen_nodes(scenario, nodes, plan.reported);
    let at_once = replicas_at_once(scenario.stencil, seen);
    let affordable = stop.units_max / (scenario.stencil.lattice(seen).nodes() * scenario.iterations).max(1);
    let replicas_max = (stop.replicas_max as u64).min(affordable).max(1) as usize;
    let least = replicas_min(scenario, seen);
    let (mut values, mut differences, mut units) = (Vec::new(), Vec::new(), 0);
    let (mut next, mut wanted) = (REPLICAS_MIN, f64::INFINITY);
    let mut is_precise = false;
    while !is_precise && values.len() < replicas_max {
        let firsts = (values.len()..next.min(replicas_max)).step_by(at_once).collect();
        let done = blocks(scenario, seen, plan, firsts, &go_on)?;
        let is_over = done.iter().any(Option::is_none);
        // A stop ends all; what lies behind a gap is of no use.
        for (more, done) in done.into_iter().map_while(|block| block) {
            values.extend(more);
            units += done;
        }
        reference.extend(scenario, plan, values.len())?;
        differences = values.iter().zip(&reference.values).map(|(value, other)| value - other).collect();
        if is_over || values.is_empty() {
            break;
        }
        // The reference differs from itself by nothing, so it is its extra time that is to be known.
        let judged = if is_reference {
            let extra: Vec<f64> = values.iter().map(|value| value - scenario.quiet_ns(lattice)).collect();
            estimate(&extra, stop.confidence)
        } else {
            estimate(&differences, stop.confidence)
        };
        let count = values.len() as f64;
        is_precise = count >= least && stop.is_satisfied_by(judged);
        wanted = stop.wanted(judged, values.len()).max(least);
        next = wanted.clamp(count * MORE[0], count * MORE[1]).ceil() as usize;
    }
    if values.is_empty() {
        return Ok(None);
    }
    let difference = estimate(&differences, stop.confidence);
    Ok(Some(Point {
        nodes: lattice.nodes(),
        iteration: estimate(&values, stop.confidence),
        difference,
        replicas: values.len(),
        is_precise,
        replicas_wanted: (!is_precise && wanted.is_finite()).then_some(wanted.ceil() as u64),
        units,
        differences,
    }))
}

/// Returns the number of nodes that is simulated for another: beyond those whose noise reaches the last node within all
/// iterations, one per iteration, more change nothing of what is reported of it.
pub fn seen_nodes(scenario: &Scenario, nodes: u64, reported: Reported) -> u64 {
    let Lattice { x, y, z } = scenario.stencil.lattice(nodes);
    let reach = match scenario.ends {
        Ends::Open => scenario.iterations + 1,
        Ends::Periodic => 2 * scenario.iterations + 1,
    };
    // Messages are counted for a node in the middle.
    let reach = reach.max(3);
    let sides = [x, y, z].map(|side| if side == 1 { 1 } else { reach });
    let is_beyond = [x, y, z].iter().zip(sides).all(|(side, reach)| *side >= reach);
    if reported == Reported::Edge && is_beyond { sides.iter().product() } else { nodes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Occurrence, Source};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn plan(seed: u64) -> Plan {
        Plan { reported: Reported::Edge, seed, stop: StopRule::default(), instructions: Instructions::best() }
    }

    fn scenario() -> Scenario {
        let occurrence = Occurrence::Periodic { frequency_hz: 100.0 };
        Scenario { iterations: 300, ..Scenario::article(75e3, vec![Source { occurrence, length_ns: 160e3 }]) }
    }

    #[test]
    fn intervals_are_students() {
        // t(0.995, 4) = 4.6041 (any table); the standard deviation of 1..5 is sqrt(2.5).
        let estimate = estimate(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.99);
        assert_eq!(estimate.mean_ns, 3.0);
        assert!((estimate.half_ns - 4.604_094_87 * (2.5_f64 / 5.0).sqrt()).abs() < 1e-6, "{estimate:?}");
        assert_eq!(super::estimate(&[1.0], 0.99).half_ns, f64::INFINITY);
    }

    #[test]
    fn it_does_not_stop_before_there_were_detours() {
        let rare = Source { occurrence: Occurrence::Random { rate_hz: 10.0 }, length_ns: 1e7 };
        let scenario = Scenario::article(1e4, vec![rare]);
        // In 10 ms there is a detour with a probability of 0.1: the first replicas may all have none.
        for seed in 0..20 {
            let point =
                simulate(&scenario, 1, &mut Reference::new(1), &plan(seed), |_| true).unwrap().unwrap();
            assert!(point.replicas >= 500 && point.iteration.half_ns > 0.0, "{seed}: {point:?}");
        }
    }

    #[test]
    fn it_stops_when_the_difference_is_known_and_not_before() {
        let point = simulate(&scenario(), 100, &mut Reference::new(3), &plan(1), |_| true).unwrap().unwrap();
        assert!(point.is_precise && point.replicas >= REPLICAS_MIN, "{point:?}");
        assert!(point.difference.half_ns <= 0.01 * point.difference.mean_ns, "{point:?}");
        let again = simulate(&scenario(), 100, &mut Reference::new(3), &plan(1), |_| true).unwrap().unwrap();
        assert_eq!(point, again, "the same seed gives the same bytes");
        let other = simulate(&scenario(), 100, &mut Reference::new(3), &plan(2), |_| true).unwrap().unwrap();
        let apart = (point.difference.mean_ns - other.difference.mean_ns).abs();
        assert!(apart > 0.0 && apart < 3.0 * (point.difference.half_ns + other.difference.half_ns));
    }

    #[test]
    fn a_reference_differs_from_itself_by_nothing() {
        let mut plan = plan(1);
        plan.stop.replicas_max = 200_000;
        let point = simulate(&scenario(), 3, &mut Reference::new(3), &plan, |_| true).unwrap().unwrap();
        assert_eq!((point.difference.mean_ns, point.difference.half_ns), (0.0, 0.0));
        assert!(point.is_precise);
    }

    #[test]
    fn stop_returns_what_was_done() {
        assert_eq!(simulate(&scenario(), 100, &mut Reference::new(3), &plan(1), |_| false).unwrap(), None);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let blocks = AtomicUsize::new(0);
        let point = pool.install(|| {
            let once = |_| blocks.fetch_add(1, Ordering::Relaxed) == 0;
            simulate(&scenario(), 100, &mut Reference::new(3), &plan(1), once)
        });
        assert!(point.unwrap().is_some_and(|point| point.replicas >= 1));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        for nodes in [100, 5000] {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| simulate(&scenario(), nodes, &mut Reference::new(3), &plan(4), |_| true))
                    .unwrap()
            };
            assert_eq!(run(1), run(3));
        }
    }
}
