//! Replicas until the difference that is reported is known well enough.

use super::{SimulateError, Simulation, replicas_at_once};
use crate::model::{Reported, Scenario};
use crate::simd::Instructions;
use rayon::prelude::*;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Fewer say nothing of their spread.
pub const REPLICAS_MIN: usize = 10;
/// A lattice of more nodes keeps all threads busy by itself, and several would take much memory.
const BESIDE_NODES_MAX: u64 = 4_000_000;
/// Iterations after which who watches is asked whether to go on, for a lattice of this many nodes.
const STEP_UNITS: u64 = 1 << 28;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StopRule {
    /// Half of the interval around the mean, as a part of the mean.
    pub precision: f64,
    /// How sure the interval is.
    pub confidence: f64,
    /// Not more replicas than this many.
    pub replicas_max: usize,
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
    /// When to stop.
    pub stop: StopRule,
    /// With what.
    pub instructions: Instructions,
}

/// A mean with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean_ns: f64,
    /// Half of the interval around it; infinite where one replica says nothing of it.
    pub half_ns: f64,
}

/// What was simulated of one number of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// How many nodes the lattice has.
    pub nodes: u64,
    /// An iteration.
    pub iteration: Estimate,
    /// What it takes longer than one of the reference lattice, with the same noise on the same nodes.
    pub difference: Estimate,
    /// How many replicas.
    pub replicas: usize,
    /// Whether the rule was satisfied.
    pub is_precise: bool,
    /// Node-iterations that were computed.
    pub units: u64,
}

impl Default for StopRule {
    /// Returns the article's: one per cent with confidence 0.99.
    fn default() -> Self {
        Self { precision: 0.01, confidence: 0.99, replicas_max: 1000, floor_ns: 0.0 }
    }
}

/// Takes the mean of values, and Student's interval around it.
pub fn estimate(values: &[f64], confidence: f64) -> Estimate {
    let count = values.len() as f64;
    let mean_ns = values.iter().sum::<f64>() / count;
    let half_ns = match StudentsT::new(0.0, 1.0, count - 1.0) {
        Ok(student) => {
            let square: f64 = values.iter().map(|value| (value - mean_ns).powi(2)).sum();
            let quantile = student.inverse_cdf(0.5 + confidence / 2.0);
            quantile * (square / (count - 1.0) / count).sqrt()
        }
        Err(_) => f64::INFINITY,
    };
    Estimate { mean_ns, half_ns }
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

/// Simulates one number of nodes beside a reference until the rule is satisfied, or `go_on` says no, which is told how
/// many node-iterations were done; then what was done is given, if any replica was.
///
/// Threads do several replicas at once; those behind the one that satisfies the rule are discarded, so that the result
/// is the same on any number of them.
///
/// # Errors
/// When the scenario cannot be simulated.
pub fn simulate(
    scenario: &Scenario,
    nodes: u64,
    reference: u64,
    plan: &Plan,
    go_on: impl Fn(u64) -> bool + Sync,
) -> Result<Option<Point>, SimulateError> {
    let lattice = scenario.stencil.lattice(nodes);
    let (mut values, mut references, mut units) = (Vec::new(), Vec::new(), 0);
    let stop = plan.stop;
    let mut is_over = false;
    let mut is_precise = false;
    while !is_over && values.len() < stop.replicas_max {
        let blocks: Result<Vec<_>, SimulateError> = next_blocks(scenario, nodes, &stop, values.len())
            .into_par_iter()
            .map(|first| block(scenario, nodes, plan, first, &go_on))
            .collect();
        for block in blocks? {
            // Whoever stops us stops all; what lies behind a gap is of no use.
            let Some((more, done)) = block else {
                is_over = true;
                break;
            };
            values.extend(more);
            units += done;
            while references.len() < values.len() {
                let first = references.len() as u64;
                // The reference's own time is not worth a progress bar.
                let Some((more, _)) = self::block(scenario, reference, plan, first, &|_| true)? else {
                    break;
                };
                references.extend(more);
            }
            if values.len() >= REPLICAS_MIN {
                let difference = estimate(&differences(&values, &references), stop.confidence);
                is_precise =
                    difference.half_ns <= (stop.precision * difference.mean_ns.abs()).max(stop.floor_ns);
            }
            if is_precise || values.len() >= stop.replicas_max {
                is_over = true;
                break;
            }
        }
    }
    if values.is_empty() {
        return Ok(None);
    }
    Ok(Some(Point {
        nodes: lattice.nodes(),
        iteration: estimate(&values, stop.confidence),
        difference: estimate(&differences(&values, &references), stop.confidence),
        replicas: values.len(),
        is_precise,
        units,
    }))
}

/// Returns the first replicas of the blocks that are done next: those that are needed anyway, else one for each thread.
fn next_blocks(scenario: &Scenario, nodes: u64, stop: &StopRule, done: usize) -> Vec<u64> {
    let at_once = replicas_at_once(scenario.stencil, nodes);
    let blocks = |replicas: usize| replicas.saturating_sub(done).div_ceil(at_once);
    let wanted = if done < REPLICAS_MIN { blocks(REPLICAS_MIN) } else { usize::MAX };
    let threads = if nodes > BESIDE_NODES_MAX { 1 } else { rayon::current_num_threads() };
    let count = threads.min(wanted).min(blocks(stop.replicas_max)).max(1);
    (0..count).map(|at| (done + at * at_once) as u64).collect()
}

fn differences(values: &[f64], references: &[f64]) -> Vec<f64> {
    values.iter().zip(references).map(|(value, reference)| value - reference).collect()
}

/// Returns the least number of node-iterations that one number of nodes takes.
pub fn units_min(scenario: &Scenario, nodes: u64) -> u64 {
    let at_once = replicas_at_once(scenario.stencil, nodes);
    let replicas = REPLICAS_MIN.next_multiple_of(at_once) as u64;
    scenario.stencil.lattice(nodes).nodes() * scenario.iterations * replicas
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
    fn it_stops_when_the_difference_is_known_and_not_before() {
        let point = simulate(&scenario(), 100, 3, &plan(1), |_| true).unwrap().unwrap();
        assert!(point.is_precise && point.replicas >= REPLICAS_MIN, "{point:?}");
        assert!(point.difference.half_ns <= 0.01 * point.difference.mean_ns, "{point:?}");
        let again = simulate(&scenario(), 100, 3, &plan(1), |_| true).unwrap().unwrap();
        assert_eq!(point, again, "the same seed gives the same bytes");
        let other = simulate(&scenario(), 100, 3, &plan(2), |_| true).unwrap().unwrap();
        let apart = (point.difference.mean_ns - other.difference.mean_ns).abs();
        assert!(apart > 0.0 && apart < 3.0 * (point.difference.half_ns + other.difference.half_ns));
    }

    #[test]
    fn a_reference_differs_from_itself_by_nothing() {
        let point = simulate(&scenario(), 3, 3, &plan(1), |_| true).unwrap().unwrap();
        assert_eq!((point.difference.mean_ns, point.difference.half_ns), (0.0, 0.0));
        assert!(point.is_precise);
    }

    #[test]
    fn whoever_stops_it_gets_what_was_done() {
        assert_eq!(simulate(&scenario(), 100, 3, &plan(1), |_| false).unwrap(), None);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let blocks = AtomicUsize::new(0);
        let point = pool.install(|| {
            simulate(&scenario(), 100, 3, &plan(1), |_| blocks.fetch_add(1, Ordering::Relaxed) == 0)
        });
        assert!(point.unwrap().is_some_and(|point| point.replicas >= 1));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        for nodes in [100, 5000] {
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| simulate(&scenario(), nodes, 3, &plan(4), |_| true)).unwrap()
            };
            assert_eq!(run(1), run(3));
        }
    }
}
