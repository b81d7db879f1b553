//! Formulas for what noise does, without a simulation.
//!
//! With `q = f T_C`, the detours of a source that fall into one iteration of one node: as long as few nodes take part,
//! every detour anywhere delays all, so the extra time is `d q P` (*linear*). With many, only those count that lie on the
//! worst path through nodes and iterations. On a line that path is the longest increasing sequence of a random
//! permutation (Hammersley's process): among `N` points in a rectangle of light cones it has `2 sqrt(N)`, which comes
//! to `d sqrt(2 q)` for an iteration (*plateau*). In `D` dimensions scaling gives `d c q^(1/(D+1))`; the constants `c` and
//! all corrections were fitted to this crate's own simulation, see `docs/noise-model.md`.

mod few;
mod fit;

use crate::model::{Phases, Reported, Scenario, Stencil};
use crate::source::{Occurrence, Source};

/// Below this part of the crossover's nodes nearly every detour delays all.
const LINEAR_PART: f64 = 0.25;

/// Which formula is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// No node waits.
    OneNode,
    /// Every detour delays all.
    Linear,
    /// Between the two.
    Crossover,
    /// More nodes change nothing more.
    Plateau,
    /// Noise comes everywhere at the same time: as on one node.
    Synchronised,
}

/// Why formulas may be further off than they were found to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// Detours of periodic sources come during each other, or during their own, in a way that depends on their periods.
    OneNode,
    /// How sources go together is a fit to pairs of them with phases of their own.
    SeveralSources,
    /// A source is rarer or more frequent than those that were compared.
    Rate,
    /// Detours are shorter or longer than those that were compared.
    Length,
    /// The noise's pattern repeats so often that the worst path settles where it is worst.
    Periods,
    /// The latest node is later than the mean, for which the formulas are.
    Maximum,
    /// A front needs iterations until it is rough, and the formulas are for those from a common start.
    Iterations,
    /// Messages take longer compared with `T_C` than was checked.
    Message,
    /// An iteration's detours are taken from another time than the one that was compared.
    Window,
}

/// Returns what is doubtful about the formulas for this many nodes.
pub fn doubts(scenario: &Scenario, nodes: u64, reported: Reported) -> Vec<Doubt> {
    let lattice = scenario.stencil.lattice(nodes.max(1));
    if scenario.phases == Phases::Common || lattice.nodes() == 1 {
        return if few::one_node(scenario).is_sure { Vec::new() } else { vec![Doubt::OneNode] };
    }
    if few::all_wait_for_all_ns(scenario, lattice).is_some() {
        return Vec::new();
    }
    fit::doubts(scenario, lattice.nodes() as f64 / crossover_nodes(scenario), reported)
}

/// What formulas say of one number of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedForm {
    pub iteration_ns: f64,
    /// An iteration without noise.
    pub quiet_ns: f64,
    /// Which formula.
    pub regime: Regime,
    /// Whether the parameters lie where the formula was held to the simulation.
    pub is_checked: bool,
}

/// Returns what an iteration takes on this many nodes.
pub fn closed_form(scenario: &Scenario, nodes: u64, reported: Reported) -> ClosedForm {
    let lattice = scenario.stencil.lattice(nodes.max(1));
    let quiet_ns = scenario.quiet_ns(lattice);
    let count = lattice.nodes();
    let alone_ns = few::one_node(scenario).ns;
    let (extra_ns, regime) = if scenario.phases == Phases::Common {
        (alone_ns, Regime::Synchronised)
    } else if count == 1 {
        (alone_ns, Regime::OneNode)
    } else {
        let regime = match count as f64 / crossover_nodes(scenario) {
            part if part < LINEAR_PART => Regime::Linear,
            part if part > 8.0 => Regime::Plateau,
            _ => Regime::Crossover,
        };
        let exact_ns = few::all_wait_for_all_ns(scenario, lattice);
        let extra_ns = exact_ns.unwrap_or_else(|| spread_ns(scenario, count as f64, reported));
        // Others make no node faster, also where the fits are far off.
        (extra_ns.max(alone_ns), regime)
    };
    let is_checked = doubts(scenario, nodes, reported).is_empty();
    ClosedForm { iteration_ns: quiet_ns + extra_ns, quiet_ns, regime, is_checked }
}

/// One source, or what stands for several: detours of one length.
#[derive(Clone, Copy, Debug)]
struct Noise {
    /// How long its detours are.
    length_ns: f64,
    /// How many of them fall into an iteration of one node.
    rate: f64,
    /// The part of all time that its periodic detours take.
    periodic: f64,
}

impl Noise {
    fn of(scenario: &Scenario, source: &Source) -> Self {
        let is_periodic = matches!(source.occurrence, Occurrence::Periodic { .. });
        Self {
            length_ns: source.length_ns,
            rate: source.frequency_hz() * scenario.compute_ns / 1e9,
            periodic: if is_periodic { source.share() } else { 0.0 },
        }
    }

    /// Returns the sum of all detours on one node.
    fn linear_ns(self) -> f64 {
        self.length_ns * self.rate
    }

    /// Returns the delay on the worst path of infinitely many nodes.
    fn plateau_ns(self, stencil: Stencil) -> f64 {
        let power = 1.0 / (stencil.dimensions() + 1) as f64;
        self.length_ns * fit::constant(stencil) * self.rate.powf(power)
    }

    /// Returns the part of its crossover's nodes.
    fn part(self, stencil: Stencil, nodes: f64) -> f64 {
        self.linear_ns() * nodes / self.plateau_ns(stencil)
    }

    /// Returns the power in which what this and shorter detours cost on this many nodes adds up.
    fn power_with(self, shorter: Self, stencil: Stencil, nodes: f64) -> f64 {
        let ratio = (shorter.length_ns / self.length_ns).min(1.0);
        fit::together(stencil, ratio, self.part(stencil, nodes), shorter.part(stencil, nodes))
    }

    /// Returns the one source that takes as much time as this and shorter detours, and whose plateau equals theirs
    /// together.
    fn with(self, shorter: Self, stencil: Stencil) -> Self {
        let dimensions = stencil.dimensions() as f64;
        let power = self.power_with(shorter, stencil, f64::INFINITY);
        let plateau = add(self.plateau_ns(stencil), shorter.plateau_ns(stencil), power);
        let linear = self.linear_ns() + shorter.linear_ns();
        let rate = (fit::constant(stencil) * linear / plateau).powf((dimensions + 1.0) / dimensions);
        Self { length_ns: linear / rate, rate, periodic: self.periodic + shorter.periodic }
    }

    /// Returns the extra time of an iteration with this source alone.
    fn spread_ns(self, scenario: &Scenario, nodes: f64, reported: Reported) -> f64 {
        let stencil = scenario.stencil;
        let plateau = self.plateau_ns(stencil);
        let part = self.part(stencil, nodes);
        let height = plateau / self.length_ns * scenario.iterations as f64;
        let scale = self.rate.powf(1.0 / (stencil.dimensions() + 1) as f64);
        plateau
            * fit::of_plateau(stencil, part)
            * fit::finite_time(stencil, reported, height, part)
            * fit::lattice(stencil, scale, part)
            * fit::own_time(stencil, self.periodic, part)
    }
}

fn add(one: f64, other: f64, power: f64) -> f64 {
    (one.powf(power) + other.powf(power)).powf(1.0 / power)
}

/// Returns all sources, the longest first, since the shorter ones lie on its worst path.
fn by_length(scenario: &Scenario) -> Vec<Noise> {
    let mut all: Vec<Noise> = scenario.sources.iter().map(|source| Noise::of(scenario, source)).collect();
    all.sort_by(|a, b| b.length_ns.total_cmp(&a.length_ns));
    all
}

/// Returns the extra time of an iteration with the noise of all sources.
fn spread_ns(scenario: &Scenario, nodes: f64, reported: Reported) -> f64 {
    let alone = |noise: Noise| (noise, noise.spread_ns(scenario, nodes, reported));
    let all = by_length(scenario).into_iter().map(alone).reduce(|(one, cost), (next, its_cost)| {
        let power = one.power_with(next, scenario.stencil, nodes);
        (one.with(next, scenario.stencil), add(cost, its_cost, power))
    });
    all.map_or(0.0, |(_, cost)| cost)
}

/// From how many nodes on the extra time grows no more: where linear and plateau meet.
pub fn crossover_nodes(scenario: &Scenario) -> f64 {
    let all = by_length(scenario).into_iter().reduce(|one, next| one.with(next, scenario.stencil));
    all.map_or(1.0, |noise| noise.plateau_ns(scenario.stencil) / noise.linear_ns())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Instructions;
    use crate::simulate::{Plan, Reference, StopRule, simulate};

    const COMPUTE_NS: f64 = 100e3;

    fn scenario(stencil: Stencil, rate: f64, length: f64) -> Scenario {
        let occurrence = Occurrence::Periodic { frequency_hz: rate / COMPUTE_NS * 1e9 };
        let source = Source { occurrence, length_ns: length * COMPUTE_NS };
        Scenario { stencil, ..Scenario::article(COMPUTE_NS, vec![source]) }
    }

    /// Checks the formula's extra time against the simulation's.
    fn check(stencil: Stencil, rate: f64, length: f64, nodes: u64, off_max: f64) {
        let scenario = scenario(stencil, rate, length);
        let plan = Plan {
            reported: Reported::Mean,
            seed: 3,
            stop: StopRule { replicas_max: 160, ..StopRule::default() },
            instructions: Instructions::best(),
        };
        let point = simulate(&scenario, nodes, &mut Reference::new(1), &plan, |_| true).unwrap().unwrap();
        let closed = closed_form(&scenario, point.nodes, Reported::Mean);
        let simulated = point.iteration.mean_ns - closed.quiet_ns;
        let off = (closed.iteration_ns - closed.quiet_ns) / simulated - 1.0;
        let noise = point.iteration.half_ns / simulated;
        assert!(closed.is_checked);
        assert!(
            off.abs() <= off_max + noise,
            "{stencil:?}, q {rate}, d {length} T_C, {nodes} nodes: off by {off:.4}, the simulation by {noise:.4}"
        );
    }

    #[test]
    fn formulas_agree_with_the_simulation() {
        for (nodes, length) in [(6, 0.01), (45, 1.0), (179, 1.0), (2862, 0.1)] {
            check(Stencil::Line, 1e-3, length, nodes, 0.03);
        }
        for (nodes, length) in [(25, 1.0), (196, 0.1), (1600, 1.0)] {
            check(Stencil::Square4, 1e-3, length, nodes, 0.05);
            check(Stencil::Square8, 1e-3, length, nodes, 0.05);
            check(Stencil::Cube6, 1e-3, length, nodes, 0.05);
        }
    }

    #[test]
    fn several_sources_are_one_where_they_are_alike() {
        let extra = |scenario: &Scenario| {
            let closed = closed_form(scenario, 1000, Reported::Mean);
            closed.iteration_ns - closed.quiet_ns
        };
        for stencil in [Stencil::Line, Stencil::Square4, Stencil::Square8, Stencil::Cube6] {
            let one = scenario(stencil, 3e-3, 0.5);
            let sources = [1e-3, 2e-3].map(|rate| scenario(stencil, rate, 0.5).sources.remove(0));
            let two = Scenario { sources: sources.to_vec(), ..one.clone() };
            assert!((extra(&two) / extra(&one) - 1.0).abs() < 0.03, "{stencil:?}");
            assert!((crossover_nodes(&two) / crossover_nodes(&one) - 1.0).abs() < 1e-9, "{stencil:?}");
            assert_eq!(doubts(&two, 1000, Reported::Mean), [Doubt::SeveralSources], "they strike together");
            assert_eq!(doubts(&Scenario { phases: Phases::Own, ..two }, 1000, Reported::Mean), []);
        }
    }

    #[test]
    fn several_sources_agree_with_the_simulation() {
        for (stencil, nodes) in [(Stencil::Line, 400), (Stencil::Square4, 900), (Stencil::Cube6, 1000)] {
            let short = scenario(stencil, 0.01, 0.1).sources.remove(0);
            let mut two = scenario(stencil, 3e-4, 1.5);
            two.sources.push(short);
            two.phases = Phases::Own;
            let plan = Plan {
                reported: Reported::Mean,
                seed: 3,
                stop: StopRule { replicas_max: 160, ..StopRule::default() },
                instructions: Instructions::best(),
            };
            let point = simulate(&two, nodes, &mut Reference::new(1), &plan, |_| true).unwrap().unwrap();
            let closed = closed_form(&two, point.nodes, Reported::Mean);
            let off =
                (closed.iteration_ns - closed.quiet_ns) / (point.iteration.mean_ns - closed.quiet_ns) - 1.0;
            assert!(off.abs() < 0.06, "{stencil:?}: off by {off:.4}");
        }
    }

    #[test]
    fn few_nodes_are_linear_and_many_a_plateau() {
        let line = scenario(Stencil::Line, 1e-4, 1.0);
        let extra = |scenario: &Scenario, nodes| {
            let closed = closed_form(scenario, nodes, Reported::Mean);
            closed.iteration_ns - closed.quiet_ns
        };
        assert!((extra(&line, 2) / (2.0 * COMPUTE_NS * 1e-4) - 1.0).abs() < 0.02);
        let long = Scenario { iterations: 1_000_000, ..line.clone() };
        let plateau = COMPUTE_NS * (2.0 * 1e-4_f64).sqrt();
        assert!((extra(&long, 1_000_000) / plateau - 1.0).abs() < 0.01);
        assert!((crossover_nodes(&line) - (2.0 / 1e-4_f64).sqrt()).abs() < 1e-6);
        let regime = |scenario: &Scenario, nodes| closed_form(scenario, nodes, Reported::Edge).regime;
        assert_eq!(
            [1, 2, 141, 10_000].map(|nodes| regime(&line, nodes)),
            [Regime::OneNode, Regime::Linear, Regime::Crossover, Regime::Plateau]
        );
        let common = Scenario { phases: Phases::Common, ..line };
        assert_eq!(regime(&common, 100), Regime::Synchronised);
        assert!((extra(&common, 100) - COMPUTE_NS * 1e-4 / (1.0 - 1e-4)).abs() < 1e-6);
    }

    #[test]
    fn more_noise_and_more_nodes_never_help() {
        for stencil in [Stencil::Line, Stencil::Square4, Stencil::Square8, Stencil::Cube6] {
            let mut before = 0.0;
            for nodes in [1, 2, 4, 8, 27, 64, 125, 1000, 8000, 64_000, 1_000_000] {
                let of =
                    |rate| closed_form(&scenario(stencil, rate, 0.1), nodes, Reported::Mean).iteration_ns;
                assert!(of(1e-3) >= before * 0.999, "{stencil:?} {nodes}");
                assert!(of(2e-3) > of(1e-3), "{stencil:?} {nodes}");
                before = of(1e-3);
            }
        }
    }
}
