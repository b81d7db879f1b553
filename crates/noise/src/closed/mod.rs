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
    plateau
        * fit::of_plateau(scenario.stencil, part)
        * fit::finite_time(scenario.stencil, reported, height, part)
        * fit::own_time(source, part)
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
