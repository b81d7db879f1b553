//! What is to be predicted.

use super::{Ends, Lattice, Phases, Stencil, Window};
use crate::source::{Occurrence, Source};

/// More nodes would need more memory than a workstation has, and no machine has them.
pub const NODES_MAX: u64 = 100_000_000;
/// More sources could not be distinguished in a profile.
pub const SOURCES_MAX: usize = 8;
/// More iterations take hours.
pub const ITERATIONS_MAX: u64 = 100_000_000;
/// No machine does more work for one prediction: nodes times iterations of one replica.
pub const UNITS_MAX: u64 = 1_000_000_000_000_000;
/// The article has 1 us to 1 ms; what is outside of this is a typing error.
const COMPUTE_NS: std::ops::RangeInclusive<f64> = 100.0..=60e9;
/// The kernel's rarest timers and the processor's fastest.
const FREQUENCY_HZ: std::ops::RangeInclusive<f64> = 1e-4..=1e7;

/// A program and the noise under it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// `T_C`: how long an iteration computes.
    pub compute_ns: f64,
    /// `T^S`: how long a message to one neighbour and back takes; an iteration has one for each neighbour.
    pub message_ns: f64,
    /// The noise.
    pub sources: Vec<Source>,
    /// Whom a node waits for.
    pub stencil: Stencil,
    /// What is beyond the last.
    pub ends: Ends,
    /// From which time an iteration's detours are taken.
    pub window: Window,
    /// When sources begin.
    pub phases: Phases,
    /// How many iterations are done.
    pub iterations: u64,
    /// How many of them are not counted: 0 for the article's transient, else towards a steady state.
    pub warm_up: u64,
}

/// What no prediction can be made of.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScenarioError {
    /// There is no node.
    #[error("0 nodes run nothing; give 1 or more")]
    NoNodes,
    #[error("{0} nodes are more than can be simulated; give at most {NODES_MAX}")]
    TooManyNodes(u64),
    #[error(
        "there is no source of noise, so every iteration takes T_C and its messages; give one, such as 1000Hz:13us"
    )]
    NoSource,
    /// Too much of it.
    #[error(
        "{0} sources are more than the {SOURCES_MAX} that a simulation has; leave out those of the least share"
    )]
    TooManySources(usize),
    /// A source that leaves no time.
    #[error("the noise takes {:.4} % of all time, so no work is ever done; sources must take less than 100 % together", share * 100.0)]
    AllTime {
        /// The part of all time.
        share: f64,
    },
    /// A source that cannot be.
    #[error("a source of {0} Hz cannot be simulated; give from 0.0001 Hz to 10 MHz")]
    Frequency(f64),
    /// A detour that cannot be.
    #[error("a detour of {0} ns cannot be; give a time above 0")]
    Length(f64),
    /// An iteration that cannot be.
    #[error("a T_C of {0} ns is out of range; give from 100 ns to 1 min")]
    Compute(f64),
    /// A message that cannot be.
    #[error("a message time of {0} ns is out of range; give from 0 to 1 min")]
    Message(f64),
    #[error(
        "{iterations} iterations of which {warm_up} are not counted leave nothing; count at least 1, do at most {ITERATIONS_MAX}"
    )]
    Iterations {
        iterations: u64,
        /// Those that are not counted.
        warm_up: u64,
    },
    #[error("{nodes} nodes times {iterations} iterations would take days; give fewer of either")]
    TooMuch { nodes: u64, iterations: u64 },
    /// Times that do not go together.
    #[error(
        "a source that comes once in {period_s:.1} s is too slow for this T_C; leave it out, or add its share of time to T_C"
    )]
    Resolution {
        /// The longest period.
        period_s: f64,
    },
}

impl Scenario {
    /// Returns the article's way to run: open line, 1000 iterations from a common start, its window and its offsets.
    pub fn article(compute_ns: f64, sources: Vec<Source>) -> Self {
        Self {
            compute_ns,
            message_ns: 0.0,
            sources,
            stencil: Stencil::Line,
            ends: Ends::Open,
            window: Window::OwnFinish,
            phases: Phases::OneOffset,
            iterations: 1000,
            warm_up: 0,
        }
    }

    /// Returns the part of all time that the sources take together.
    pub fn share(&self) -> f64 {
        self.sources.iter().map(Source::share).sum()
    }

    /// Looks whether it can be predicted at all.
    ///
    /// # Errors
    /// When a value is out of its range, or the noise takes more than all time.
    pub fn check(&self) -> Result<(), ScenarioError> {
        if !COMPUTE_NS.contains(&self.compute_ns) {
            return Err(ScenarioError::Compute(self.compute_ns));
        }
        if !(0.0..=60e9).contains(&self.message_ns) {
            return Err(ScenarioError::Message(self.message_ns));
        }
        if self.iterations > ITERATIONS_MAX || self.warm_up >= self.iterations {
            return Err(ScenarioError::Iterations { iterations: self.iterations, warm_up: self.warm_up });
        }
        if self.sources.is_empty() {
            return Err(ScenarioError::NoSource);
        }
        if self.sources.len() > SOURCES_MAX {
            return Err(ScenarioError::TooManySources(self.sources.len()));
        }
        for source in &self.sources {
            if !FREQUENCY_HZ.contains(&source.frequency_hz()) {
                return Err(ScenarioError::Frequency(source.frequency_hz()));
            }
            if !(source.length_ns > 0.0 && source.length_ns.is_finite()) {
                return Err(ScenarioError::Length(source.length_ns));
            }
        }
        let share = self.share();
        if share >= 1.0 { Err(ScenarioError::AllTime { share }) } else { Ok(()) }
    }

    /// Looks whether it can be simulated on this many nodes.
    ///
    /// # Errors
    /// When there is no node, or too many.
    pub fn check_nodes(&self, nodes: u64) -> Result<(), ScenarioError> {
        match nodes {
            0 => Err(ScenarioError::NoNodes),
            nodes if nodes > NODES_MAX => Err(ScenarioError::TooManyNodes(nodes)),
            nodes if nodes.saturating_mul(self.iterations) > UNITS_MAX => {
                Err(ScenarioError::TooMuch { nodes, iterations: self.iterations })
            }
            _ => Ok(()),
        }
    }

    /// Returns whether every source comes at random times.
    pub fn is_random(&self) -> bool {
        self.sources.iter().all(|source| matches!(source.occurrence, Occurrence::Random { .. }))
    }

    /// Returns what an iteration takes without noise on this lattice: `T_C` and its messages.
    pub fn quiet_ns(&self, lattice: Lattice) -> f64 {
        self.compute_ns + self.message_ns * message_count(self.stencil, lattice) as f64
    }
}

/// Returns how many neighbours a node in the middle of the lattice has: the article's `T_2 = T_C + T^S` and
/// `T_P = T_C + 2 T^S` for more.
pub fn message_count(stencil: Stencil, lattice: Lattice) -> u64 {
    let along = |side: u64| side.min(3);
    match stencil {
        Stencil::Square8 => along(lattice.x) * along(lattice.y) - 1,
        Stencil::Line | Stencil::Square4 | Stencil::Cube6 => {
            [lattice.x, lattice.y, lattice.z].into_iter().map(|side| along(side) - 1).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tick(frequency_hz: f64, length_ns: f64) -> Source {
        Source { occurrence: Occurrence::Periodic { frequency_hz }, length_ns }
    }

    #[test]
    fn what_cannot_be_is_refused_in_a_sentence() {
        let usual = Scenario::article(75e3, vec![tick(1000.0, 13e3)]);
        assert_eq!(usual.check(), Ok(()));
        let check = |scenario: Scenario| scenario.check().unwrap_err().to_string();
        let noisy = Scenario { sources: vec![tick(1000.0, 1e6)], ..usual.clone() };
        assert!(check(noisy).starts_with("the noise takes 100.0000 % of all time"));
        assert!(check(Scenario { sources: vec![], ..usual.clone() }).starts_with("there is no source"));
        assert!(check(Scenario { sources: vec![tick(0.0, 1.0)], ..usual.clone() }).contains("0 Hz"));
        assert!(check(Scenario { sources: vec![tick(1.0, f64::NAN)], ..usual.clone() }).contains("NaN"));
        assert!(check(Scenario { compute_ns: 0.0, ..usual.clone() }).contains("T_C of 0 ns"));
        assert!(check(Scenario { compute_ns: f64::NAN, ..usual.clone() }).contains("NaN"));
        assert!(check(Scenario { warm_up: 1000, ..usual.clone() }).contains("leave nothing"));
        assert!(check(Scenario { sources: vec![tick(1.0, 1.0); 9], ..usual.clone() }).contains("9 sources"));
        assert_eq!(usual.check_nodes(0), Err(ScenarioError::NoNodes));
        assert_eq!(usual.check_nodes(1_000_000_000), Err(ScenarioError::TooManyNodes(1_000_000_000)));
        assert_eq!(usual.check_nodes(1_000_000), Ok(()));
    }

    #[test]
    fn messages_are_those_of_the_article() {
        let count = |stencil: Stencil, nodes| message_count(stencil, stencil.lattice(nodes));
        assert_eq!([1, 2, 3, 9].map(|nodes| count(Stencil::Line, nodes)), [0, 1, 2, 2]);
        assert_eq!([1, 4, 9].map(|nodes| count(Stencil::Square4, nodes)), [0, 2, 4]);
        assert_eq!([1, 4, 9].map(|nodes| count(Stencil::Square8, nodes)), [0, 3, 8]);
        assert_eq!([1, 8, 27].map(|nodes| count(Stencil::Cube6, nodes)), [0, 3, 6]);
    }
}
