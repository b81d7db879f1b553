//! The propagation model: nodes that wait for their neighbours in every iteration, and noise on each.
//!
//! `t_k^{i+1} = max(t_j^i over k and its neighbours j) + T_C + noise + message time`.
//! Where the article (Kalgin, "On the influence of regular system interrupts on the performance of parallel
//! programs") leaves something open, the choice is a value here; `docs/noise-model.md` says which is the usual one
//! and why.

mod preset;
mod scenario;

pub use preset::{PRESETS, Preset};
pub use scenario::{
    ITERATIONS_MAX, NODES_MAX, SOURCES_MAX, Scenario, ScenarioError, UNITS_MAX, message_count,
};

/// Whom a node waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stencil {
    /// Two neighbours on a line.
    Line,
    /// Four neighbours on a rectangle.
    Square4,
    /// Eight neighbours on a rectangle.
    Square8,
    /// Six neighbours in a box.
    Cube6,
}

/// What is beyond the last node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ends {
    /// None: the article's.
    Open,
    /// The first node.
    Periodic,
}

/// From which time the detours of an iteration are taken. A detour is in it if it begins in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// From when the node itself had finished, for `T_C`: as the article writes it.
    OwnFinish,
    /// From when the last of those it waits for had finished, for `T_C`.
    Computing,
    /// As `Computing`, and as long as its detours make it.
    Lengthened,
}

/// When sources of different nodes begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phases {
    /// One random offset for each node that all its sources share: as the article writes it.
    OneOffset,
    /// A random offset for each node and source.
    Own,
    /// One random offset for all nodes: noise that comes everywhere at the same time.
    Common,
}

/// Which node's time is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reported {
    /// The last one's, at the edge of the lattice: the article's `t_P`.
    Edge,
    /// The latest.
    Maximum,
    /// The mean over all nodes.
    Mean,
}

impl Stencil {
    /// Returns how many dimensions the lattice has.
    pub fn dimensions(self) -> usize {
        match self {
            Self::Line => 1,
            Self::Square4 | Self::Square8 => 2,
            Self::Cube6 => 3,
        }
    }

    /// Returns the lattice nearest to this many nodes whose sides are as equal as can be: `nx`, `ny`, `nz`.
    ///
    /// On a rectangle or in a box it may have fewer nodes than asked for, never more.
    pub fn lattice(self, nodes: u64) -> Lattice {
        let root = |count: u64, power: u32| {
            let mut side = (count as f64).powf(1.0 / f64::from(power)).round().max(1.0) as u64;
            while side.pow(power) > count {
                side -= 1;
            }
            while (side + 1).pow(power) <= count {
                side += 1;
            }
            side
        };
        match self.dimensions() {
            1 => Lattice { x: nodes, y: 1, z: 1 },
            2 => {
                let y = root(nodes, 2);
                Lattice { x: nodes / y, y, z: 1 }
            }
            _ => {
                let z = root(nodes, 3);
                let y = root(nodes / z, 2);
                Lattice { x: nodes / z / y, y, z }
            }
        }
    }
}

/// How many nodes lie along each axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lattice {
    /// Along the first.
    pub x: u64,
    /// Along the second.
    pub y: u64,
    /// Along the third.
    pub z: u64,
}

impl Lattice {
    pub fn nodes(self) -> u64 {
        self.x * self.y * self.z
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lattices_are_as_equal_as_can_be() {
        let sides = |stencil: Stencil, nodes| {
            let Lattice { x, y, z } = stencil.lattice(nodes);
            (x, y, z)
        };
        assert_eq!(sides(Stencil::Line, 7), (7, 1, 1));
        assert_eq!(sides(Stencil::Square4, 1), (1, 1, 1));
        assert_eq!(sides(Stencil::Square4, 6), (3, 2, 1));
        assert_eq!(sides(Stencil::Square8, 1_000_000), (1000, 1000, 1));
        assert_eq!(sides(Stencil::Square8, 7), (3, 2, 1));
        assert_eq!(sides(Stencil::Cube6, 1_000_000), (100, 100, 100));
        assert_eq!(sides(Stencil::Cube6, 12), (3, 2, 2));
    }
}
