//! One node, and few that all wait for each other: formulas that need no fit.

use crate::model::{Ends, Lattice, Scenario, Stencil, Window};
use crate::source::{Occurrence, Source};

/// A formula whose bounds are closer than this part of an iteration's time is as good as exact.
const CLOSE: f64 = 0.03;
/// Counts of more detours in an iteration than this many take long to add up.
const RATE_MAX: f64 = 1000.0;
/// Less likely counts than this add nothing.
const TAIL: f64 = 1e-12;
/// More counts are needed only by noise that leaves hardly any time.
const COUNTS_MAX: u32 = 1 << 20;

/// The delay by noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extra {
    pub ns: f64,
    /// Whether it can be off by no more than [`CLOSE`] of an iteration's time.
    pub is_sure: bool,
}

/// Returns the mean delay by one node's noise in an iteration, in the long run.
///
/// A random source has `q` detours in a window of `T_C`, whatever happened before, and what comes during a detour is in no
/// window: `T_C nu`. The next detour of a periodic source is a period behind the last one, so none falls into its own
/// detour as long as `T_C + d` is not longer than a period: `T_C nu / (1 - nu)`. Beyond, windows have one of two whole
/// numbers of detours, on average about `q`. A window that its own detours lengthen has all of them.
pub(super) fn one_node(scenario: &Scenario) -> Extra {
    let (compute_ns, share) = (scenario.compute_ns, scenario.share());
    let highest_ns = compute_ns * share / (1.0 - share);
    if scenario.window == Window::Lengthened {
        return Extra { ns: highest_ns, is_sure: true };
    }
    let each: Vec<Extra> = scenario.sources.iter().map(|source| alone(source, compute_ns)).collect();
    let ns = each.iter().map(|one| one.ns).sum::<f64>();
    // Detours of one source hide those of others, if these are periodic and so may come at the wrong time always.
    let is_apart = scenario.sources.len() == 1 || scenario.is_random();
    let is_close = highest_ns - compute_ns * share <= CLOSE * (compute_ns + ns);
    Extra { ns, is_sure: is_close || is_apart && each.iter().all(|one| one.is_sure) }
}

/// Returns the delay by a source on a node without other sources.
fn alone(source: &Source, compute_ns: f64) -> Extra {
    let share = source.share();
    let Occurrence::Periodic { frequency_hz } = source.occurrence else {
        return Extra { ns: compute_ns * share, is_sure: true };
    };
    if compute_ns + source.length_ns <= 1e9 / frequency_hz {
        return Extra { ns: compute_ns * share / (1.0 - share), is_sure: true };
    }
    let part = (compute_ns * frequency_hz / 1e9).fract();
    let off_max_ns = source.length_ns * part.max(1.0 - part);
    Extra { ns: compute_ns * share, is_sure: off_max_ns <= CLOSE * compute_ns * (1.0 + share) }
}

/// Returns the delay by noise where all nodes wait for all and there is one random source; none elsewhere.
///
/// An iteration has the most detours that any of the nodes has, and these are independent: `d` times the mean of the highest
/// of `P` numbers with a Poisson distribution. In a window that its own detours lengthen, each of them brings `nu` more on
/// average, and the distribution is Consul's generalised one.
pub(super) fn all_wait_for_all_ns(scenario: &Scenario, lattice: Lattice) -> Option<f64> {
    let [source] = &scenario.sources[..] else { return None };
    let rate = source.frequency_hz() * scenario.compute_ns / 1e9;
    if !scenario.is_random() || rate > RATE_MAX || !is_complete(scenario, lattice) {
        return None;
    }
    let more = if scenario.window == Window::Lengthened { source.share() } else { 0.0 };
    let nodes = lattice.nodes() as f64;
    let (mut highest, mut below, mut factorial_ln) = (0.0, 0.0, 0.0);
    for count in (0..COUNTS_MAX).map(f64::from) {
        factorial_ln += count.max(1.0).ln();
        let mean = rate + count * more;
        let chance = (rate.ln() + (count - 1.0) * mean.ln() - mean - factorial_ln).exp();
        below += chance;
        highest -= (nodes * below.min(1.0).ln()).exp_m1();
        if count > rate / (1.0 - more) && chance * nodes < TAIL {
            return Some(source.length_ns * highest);
        }
    }
    None
}

/// Returns whether every node waits for every other.
fn is_complete(scenario: &Scenario, lattice: Lattice) -> bool {
    let longest = if scenario.ends == Ends::Periodic { 3 } else { 2 };
    let sides = [lattice.x, lattice.y, lattice.z];
    let is_short = sides.iter().all(|side| *side <= longest);
    let is_line = sides.iter().filter(|side| **side > 1).count() <= 1;
    is_short && (is_line || scenario.stencil == Stencil::Square8)
}

#[cfg(test)]
mod tests {
    use crate::closed::{Doubt, closed_form, doubts};
    use crate::model::{Reported, Scenario, Stencil, Window};
    use crate::simd::Instructions;
    use crate::simulate::{Simulation, estimate};
    use crate::source::{Occurrence, Source};

    const ITERATIONS: u64 = 1000;
    /// A formula may be off by this part of an iteration's time, ...
    const OFF_MAX: f64 = 0.03;
    /// ... which is simulated until it is known to this part, with a confidence of 0.99.
    const PRECISION: f64 = 0.008;

    fn source(is_random: bool, frequency_hz: f64, length_ns: f64) -> Source {
        let occurrence = match is_random {
            true => Occurrence::Random { rate_hz: frequency_hz },
            false => Occurrence::Periodic { frequency_hz },
        };
        Source { occurrence, length_ns }
    }

    /// Returns an iteration's time in the simulation, and half of its interval.
    fn simulated(scenario: &Scenario, nodes: u64) -> (f64, f64) {
        let mut times = Vec::new();
        loop {
            let first = times.len() as u64;
            let mut simulation = Simulation::new(scenario, nodes, 7, first, Instructions::best()).unwrap();
            simulation.advance(scenario.iterations).unwrap();
            times.extend(simulation.observe().iter().map(|one| one.mean_ns / scenario.iterations as f64));
            let found = estimate(&times, 0.99);
            if times.len() >= 64 && found.half_ns <= PRECISION * found.mean_ns {
                return (found.mean_ns, found.half_ns);
            }
        }
    }

    fn check(scenario: &Scenario, nodes: u64) {
        let (simulated_ns, half_ns) = simulated(scenario, nodes);
        let closed = closed_form(scenario, nodes, Reported::Mean);
        let off = (closed.iteration_ns - simulated_ns).abs();
        assert!(
            off <= OFF_MAX * simulated_ns + half_ns,
            "{nodes} nodes, {scenario:?}: {} ns by the formula, {simulated_ns} +- {half_ns} simulated",
            closed.iteration_ns
        );
    }

    /// Every scenario of a grid whose noise leaves time for work.
    fn grid(is_random: bool) -> impl Iterator<Item = Scenario> {
        let rates = [10.0, 200.0, 2000.0].into_iter();
        let lengths = |rate: f64| [1e3, 3e4, 4e5, 1e7].map(|length| (rate, length));
        let sources = rates.flat_map(lengths).map(move |(rate, length)| source(is_random, rate, length));
        sources.filter(|source| source.share() < 0.95).flat_map(|source| {
            [1e4, 1e5, 1e6, 1e7].map(|compute_ns| Scenario {
                iterations: ITERATIONS,
                ..Scenario::article(compute_ns, vec![source.clone()])
            })
        })
    }

    #[test]
    fn random_detours_are_as_many_as_come_while_a_node_computes() {
        for scenario in grid(true) {
            for window in [Window::OwnFinish, Window::Lengthened] {
                let scenario = Scenario { window, ..scenario.clone() };
                assert_eq!(doubts(&scenario, 1, Reported::Edge), []);
                check(&scenario, 1);
            }
        }
    }

    #[test]
    fn nodes_that_all_wait_for_all_take_the_most_detours_of_any() {
        for scenario in grid(true) {
            for (stencil, nodes) in [(Stencil::Line, 2), (Stencil::Square8, 4)] {
                let scenario = Scenario { stencil, ..scenario.clone() };
                assert_eq!(doubts(&scenario, nodes, Reported::Edge), []);
                check(&scenario, nodes);
            }
            check(&Scenario { window: Window::Lengthened, ..scenario }, 2);
        }
    }

    #[test]
    fn few_nodes_with_random_detours_are_near_the_formula_or_marked() {
        let mut checked = 0;
        for scenario in grid(true) {
            for nodes in [3, 4, 8] {
                if doubts(&scenario, nodes, Reported::Mean).is_empty() {
                    check(&scenario, nodes);
                    checked += 1;
                }
            }
        }
        assert!(checked > 40, "{checked}");
    }

    #[test]
    fn periodic_detours_on_one_node_are_near_the_formula_or_marked() {
        let mut checked = 0;
        for scenario in grid(false) {
            if doubts(&scenario, 1, Reported::Mean).is_empty() {
                check(&scenario, 1);
                checked += 1;
            }
        }
        assert!(checked > 25, "{checked}");
        let long = Scenario::article(3e5, vec![source(false, 1000.0, 9e5)]);
        assert_eq!(doubts(&long, 1, Reported::Mean), [Doubt::OneNode], "detours fall into themselves");
    }

    #[test]
    fn several_sources_on_one_node_add_up() {
        let sources = vec![source(true, 300.0, 1e5), source(false, 1000.0, 13e3), source(true, 20.0, 1e7)];
        let scenario = Scenario { iterations: ITERATIONS, ..Scenario::article(1e5, sources) };
        check(&scenario, 1);
    }

    #[test]
    fn half_of_the_time_at_random_is_half_as_much_again() {
        let scenario = Scenario::article(1e5, vec![source(true, 100.0, 5e6)]);
        let extra_us = |nodes| (closed_form(&scenario, nodes, Reported::Mean).iteration_ns - 1e5) / 1e3;
        assert!((extra_us(1) - 50.0).abs() < 1e-9);
        // Twice, without the iterations in which both nodes have one.
        assert!((extra_us(2) - 99.5).abs() < 0.01, "{}", extra_us(2));
    }
}
