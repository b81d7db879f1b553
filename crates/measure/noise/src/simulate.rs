//! The model, computed: every node, every iteration.
//!
//! Times are whole ticks in 32 bits, counted from a base that moves along. A replica is decided by seed and number
//! alone, so it is the same on any number of threads, with any instructions, and with any other replicas.

mod aligned;
mod band;
mod dice;
mod grid;
mod line;
mod monte_carlo;
mod observed;
mod rule;
mod shape;
#[cfg(test)]
mod tests;

pub use aligned::Aligned;
pub use monte_carlo::{
    Estimate, Plan, Point, REPLICAS_MIN, Reference, StopRule, estimate, seen_nodes, simulate,
};
pub use observed::{Observed, SimulateError};
pub use rule::{Beat, Rule};

use crate::model::{Lattice, Scenario, Stencil};
use crate::simd::{Instructions, Stepper};
use grid::Grid;
use line::Line;

/// Replicas that are simulated side by side where a lattice is small: a vector's width.
pub const LANES: usize = 16;
/// A line of more nodes fills vectors by itself; rows of a rectangle or of a box are shorter.
const SHORT_LINE_MAX: u64 = 128;
const SMALL_NODES_MAX: u64 = 2048;

/// Some replicas of a scenario on a lattice, on their way.
pub struct Simulation {
    rule: Rule,
    stepper: Stepper,
    engine: Engine,
    lattice: Lattice,
    replicas: usize,
}

enum Engine {
    Grid(Grid),
    Line(Line),
}

/// Returns how many replicas a [`Simulation`] of this many nodes has: their numbers start at a multiple of it.
pub fn replicas_at_once(stencil: Stencil, nodes: u64) -> usize {
    let small = if stencil == Stencil::Line { SHORT_LINE_MAX } else { SMALL_NODES_MAX };
    if nodes <= small { LANES } else { 1 }
}

impl Simulation {
    /// Sets up [`replicas_at_once`] replicas from number `replica` on.
    ///
    /// # Errors
    /// When the scenario cannot be simulated on this many nodes.
    pub fn new(
        scenario: &Scenario,
        nodes: u64,
        seed: u64,
        replica: u64,
        instructions: Instructions,
    ) -> Result<Self, SimulateError> {
        scenario.check()?;
        scenario.check_nodes(nodes)?;
        let lattice = scenario.stencil.lattice(nodes);
        let lanes = replicas_at_once(scenario.stencil, nodes);
        let rule = Rule::new(scenario, lattice, seed, replica, lanes)?;
        let stepper = Stepper::new(instructions, scenario.stencil, &rule, scenario.window);
        let engine = if scenario.stencil == Stencil::Line && nodes >= Line::NODES_MIN {
            Engine::Line(Line::new(&rule, scenario.ends, nodes))
        } else {
            Engine::Grid(Grid::new(&rule, &stepper, scenario.stencil, scenario.ends, lattice, lanes))
        };
        Ok(Self { rule, stepper, engine, lattice, replicas: lanes })
    }

    /// Does this many iterations.
    ///
    /// # Errors
    /// When nodes have come too far apart.
    pub fn advance(&mut self, iterations: u64) -> Result<(), SimulateError> {
        match &mut self.engine {
            Engine::Grid(grid) => grid.advance(&mut self.rule, &self.stepper, iterations),
            Engine::Line(line) => line.advance(&mut self.rule, &self.stepper, iterations),
        }
    }

    /// Returns where each replica stands.
    pub fn observe(&self) -> Vec<Observed> {
        match &self.engine {
            Engine::Grid(grid) => grid.observe(&self.rule),
            Engine::Line(line) => vec![line.observe(&self.rule)],
        }
    }

    pub fn lattice(&self) -> Lattice {
        self.lattice
    }

    /// Returns how many replicas are simulated side by side.
    pub fn replicas(&self) -> usize {
        self.replicas
    }

    /// Returns how many bytes it keeps between iterations, for all replicas.
    pub fn bytes(&self) -> usize {
        match &self.engine {
            Engine::Grid(grid) => grid.bytes(),
            Engine::Line(line) => line.bytes(),
        }
    }
}
