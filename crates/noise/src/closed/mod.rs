//! Formulas beside the simulation: what noise does, at once.
//!
//! With `q = f T_C`, the detours of a source that fall into one iteration of one node: as long as few nodes take part,
//! every detour anywhere delays all, so the extra time is `d q P` (*linear*). With many, only those count that lie on the
//! worst path through nodes and iterations. On a line that path is the longest increasing sequence of a random
//! permutation (Hammersley's process): among `N` points in a rectangle of light cones it has `2 sqrt(N)`, which comes
//! to `d sqrt(2 q)` for an iteration (*plateau*). In `D` dimensions scaling gives `d c q^(1/(D+1))`; the constants `c` and
//! all corrections were fitted to this crate's own simulation, see `docs/noise-model.md`.

mod fit;

use crate::model::{Phases, Reported, Scenario, Stencil};
use crate::source::Source;

/// Which formula is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// Nobody waits: `T_C / (1 - nu)`.
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

/// What formulas say of one number of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosedForm {
    /// An iteration.
    pub iteration_ns: f64,
    /// An iteration without noise.
    pub quiet_ns: f64,
    /// Which formula.
    pub regime: Regime,
    /// Whether the parameters lie where the formula was held to the simulation.
    pub is_checked: bool,
}

/// Says what an iteration takes on so many nodes.
pub fn closed_form(scenario: &Scenario, nodes: u64, reported: Reported) -> ClosedForm {
    let lattice = scenario.stencil.lattice(nodes.max(1));
    let quiet_ns = scenario.quiet_ns(lattice);
    let count = lattice.nodes();
    let alone_ns = scenario.compute_ns * scenario.share() / (1.0 - scenario.share());
    let (extra_ns, regime) = if scenario.phases == Phases::Common {
        (alone_ns, Regime::Synchronised)
    } else if count == 1 {
        (alone_ns, Regime::OneNode)
    } else {
        let regime = match count as f64 / crossover_nodes(scenario) {
            part if part < 0.25 => Regime::Linear,
            part if part > 8.0 => Regime::Plateau,
            _ => Regime::Crossover,
        };
        (spread_ns(scenario, count, reported), regime)
    };
    let is_checked = count == 1 || scenario.phases == Phases::Common || fit::is_checked(scenario, reported);
    ClosedForm { iteration_ns: quiet_ns + extra_ns, quiet_ns, regime, is_checked }
}

/// The extra time of an iteration with the noise of all sources.
///
/// Sources of detours of one length would add up their frequencies, that is, the squares of their plateaus; of different
/// lengths the longest path is no shorter than that of one source with what the others have on it.
fn spread_ns(scenario: &Scenario, nodes: u64, reported: Reported) -> f64 {
    let one: Vec<(f64, f64)> = scenario
        .sources
        .iter()
        .map(|source| (source_ns(scenario, source, nodes, reported), scenario.compute_ns * source.share()))
        .collect();
    let power = (scenario.stencil.dimensions() + 1) as f64;
    let together = one.iter().map(|(spread, _)| spread.powf(power)).sum::<f64>().powf(1.0 / power);
    let alone: f64 = one.iter().map(|(_, alone)| alone).sum();
    let beside = one.iter().map(|(spread, own)| spread + alone - own).fold(0.0, f64::max);
    together.max(beside)
}

/// The extra time of an iteration with the noise of one source.
fn source_ns(scenario: &Scenario, source: &Source, nodes: u64, reported: Reported) -> f64 {
    let plateau = plateau_ns(scenario, source);
    let part = linear_ns(scenario, source, nodes) / plateau;
    let height = plateau / source.length_ns * scenario.iterations as f64;
    let power = 1.0 / (scenario.stencil.dimensions() + 1) as f64;
    let scale = (source.frequency_hz() * scenario.compute_ns / 1e9).powf(power);
    plateau
        * fit::of_plateau(scenario.stencil, part)
        * fit::finite_time(scenario.stencil, reported, height, part)
        * fit::lattice(scenario.stencil, scale, part)
        * fit::own_time(scenario.stencil, source, part)
}

/// What every detour on every node comes to.
pub fn linear_ns(scenario: &Scenario, source: &Source, nodes: u64) -> f64 {
    source.share() * scenario.compute_ns * nodes as f64
}

/// What the worst path of infinitely many nodes comes to.
pub fn plateau_ns(scenario: &Scenario, source: &Source) -> f64 {
    let q = source.frequency_hz() * scenario.compute_ns / 1e9;
    match scenario.stencil {
        Stencil::Line => source.length_ns * (2.0 * q).sqrt(),
        stencil => {
            let power = 1.0 / (stencil.dimensions() + 1) as f64;
            source.length_ns * fit::constant(stencil) * q.powf(power)
        }
    }
}

/// From how many nodes on the extra time grows no more: where linear and plateau meet.
///
/// With several sources, that of the one whose plateau is highest.
pub fn crossover_nodes(scenario: &Scenario) -> f64 {
    let of = |source: &Source| (plateau_ns(scenario, source), linear_ns(scenario, source, 1));
    let highest = scenario.sources.iter().map(of).max_by(|a, b| a.0.total_cmp(&b.0));
    highest.map_or(1.0, |(plateau, linear)| plateau / linear)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::Instructions;
    use crate::simulate::{Plan, StopRule, simulate};
    use crate::source::Occurrence;

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
        let point = simulate(&scenario, nodes, 1, &plan, |_| true).unwrap().unwrap();
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
    fn few_nodes_are_linear_and_many_a_plateau() {
        let line = scenario(Stencil::Line, 1e-4, 1.0);
        let extra = |scenario: &Scenario, nodes| {
            let closed = closed_form(scenario, nodes, Reported::Mean);
            closed.iteration_ns - closed.quiet_ns
        };
        assert!((extra(&line, 2) / linear_ns(&line, &line.sources[0], 2) - 1.0).abs() < 0.02);
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
