//! Which host of a fleet a job gets.
//!
//! The words of it are here: amounts, service levels, jobs and hosts. [`policy`] is what a user decides, [`Scheduler`] applies
//! it: it places jobs, predicts their loads and plans moves. [`predict`] has the predictions.
//!
//! Pure: no clock, file, environment or randomness; the same jobs and hosts produce the same decisions.
//!
//! # Files
//!
//! Chooses hosts for jobs. `policy.rs` is what a user decides, with its files (`policy/read.rs` reads first what
//! extends what, then the keys (`values.rs`), then what does not go together (`contradictions.rs`); `write.rs` writes a
//! policy so that it is read back the same) and its explanation (`describe.rs`); `scheduler.rs` is the state that
//! places, observes and releases jobs, `score.rs` has conditions and scores, `index.rs` keeps hosts in the order in
//! which they are considered, `reschedule.rs` plans moves, `host.rs` adds up what is on a host. `predict.rs` and
//! `predict/` predict the loads of jobs, measured (`docs/prediction.md`) by `evaluate.rs`.
//!
//! It reads policies itself, with `located`: a fleet must read the same file in the same way as the simulator that
//! tried it.
//!
//! # Invariants
//!
//! - A decision by the index is the decision by looking at every host.

#![forbid(unsafe_code)]

mod host;
mod index;
mod make_room;
pub mod policy;
pub mod predict;
mod reschedule;
mod scheduler;
mod score;
#[cfg(test)]
mod tests;

pub use host::{Expected, Load, Standing};
pub use reschedule::{Move, MoveReason};
pub use scheduler::{Decision, Peak, Scheduler};
pub use score::Filter;

use serde::{Deserialize, Serialize};

/// An amount of what hosts have and jobs ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Amount {
    /// CPU time a second, in thousandths of a logical CPU.
    pub cpu_milli: u32,
    pub memory_mib: u32,
}

model::words! {
    /// The service level of a job: what it is promised.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Level, id {
        /// Whole cores of its own, which no other job uses.
        Strict = "strict",
        /// A share of CPUs that others use too; what it requests is kept for it within the pool's promise.
        Standard = "standard",
        /// What is left over: it is throttled and moved first.
        BestEffort = "best-effort",
    }
}

/// The number of a name that the caller knows: of a service, cluster or pool.
pub type NameId = u32;
pub type HostId = u32;
/// The number of a job while it is placed; it is used again later.
pub type JobId = u32;

/// A job, as far as its place depends on it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Job {
    pub request: Amount,
    pub level: Level,
    /// The service that it is a part of; its load is predicted from that service's earlier jobs.
    pub service: Option<NameId>,
    /// The only pool that it may run in.
    pub pool: Option<NameId>,
    /// The only cluster that it may run in.
    pub cluster: Option<NameId>,
    /// The only host that it may run on.
    pub host: Option<HostId>,
    /// Labels that its host must have, a bit each.
    pub needs: u64,
    /// Whether no other job of its service may be on its host.
    pub apart: bool,
    /// Whether a strict job's cores have idle siblings: each of its CPUs takes a whole core.
    pub idle_siblings: bool,
    /// The highest noise that it tolerates, in thousandths of its CPU time.
    pub noise_max_permille: Option<u32>,
}

/// A host, as far as placement depends on it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    pub capacity: Amount,
    /// The NUMA nodes that its cores are in, all of the same size.
    pub numa_nodes: u32,
    pub threads: u32,
    pub pool: NameId,
    pub cluster: NameId,
    /// Its labels, a bit each.
    pub labels: u64,
    /// How much longer equal work takes on it in the worst of a hundred runs, in thousandths; `None` if it was not measured.
    pub noise_permille: Option<u32>,
    /// What an hour of it costs, in any unit that all hosts share.
    pub price: u32,
}

impl Job {
    /// Returns whether its siblings stay idle, as also those of a job that bounds its noise do.
    fn has_idle_siblings(&self) -> bool {
        self.idle_siblings || self.noise_max_permille.is_some()
    }
}
