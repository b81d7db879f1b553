//! Traces of fleets: hosts, jobs and what they use. `docs/sim-trace.md` describes the file.
//!
//! A trace is read and written a record at a time, so its length does not matter. [`import`] makes traces of what other
//! programs recorded, [`generate`] makes them up.

mod check;
mod error;
mod explain;
pub mod generate;
pub mod import;
mod line;
mod read;
mod unpacked;
mod write;

#[cfg(test)]
mod tests;

pub use error::TraceError;
pub use read::Reader;
pub use write::Writer;

use placement::{Amount, Level};
use serde::{Deserialize, Serialize};

/// The version of the format that is written, and the only one that is read.
pub const VERSION: u64 = 1;

/// What a trace says of itself in its first line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub name: String,
    /// The program that made it.
    pub made_by: String,
    /// Whether no job crosses midnight and each day stands for itself.
    pub separate_days: bool,
    /// Where it comes from, and what in it is made up.
    pub note: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRecord {
    /// Its name, which no other host of the trace has.
    pub name: String,
    /// When it joins.
    pub at_ms: u64,
    /// Its logical CPUs, in thousandths.
    pub cpu_milli: u32,
    pub memory_mib: u32,
    /// The NUMA nodes that its cores are in, all of the same size.
    pub numa_nodes: u32,
    pub threads: u32,
    pub pool: String,
    pub cluster: String,
    pub labels: Vec<String>,
    /// How much longer equal work takes on it in the worst of a hundred runs, in thousandths.
    pub noise_permille: Option<u32>,
    /// What an hour of it costs, in any unit that all hosts share; 0 if nobody said.
    pub price: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRecord {
    pub host: String,
    pub at_ms: u64,
    /// What it is from then on.
    pub to: Standing,
}

/// Whether a host can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It has failed, and its jobs with it.
    Down,
    /// It keeps its jobs and gets no others.
    Drain,
    /// It takes jobs.
    Up,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobRecord {
    /// Its name, which no job that runs at the same time has; readers do not check this.
    pub name: String,
    /// When it arrives.
    pub at_ms: u64,
    /// What it requests.
    pub request: Amount,
    pub level: Level,
    /// The service that it is a part of.
    pub service: Option<String>,
    /// The only pool that it may run in.
    pub pool: Option<String>,
    /// The only cluster that it may run in.
    pub cluster: Option<String>,
    /// Labels that its host must have.
    pub needs: Vec<String>,
    /// Whether no other job of its service may be on its host.
    pub apart: bool,
    /// The highest noise that it tolerates, in thousandths of its CPU time.
    pub noise_max_permille: Option<u32>,
    /// How long it runs; `None` until the end of the trace.
    pub for_ms: Option<u64>,
    /// From which time since its start it uses how many thousandths of a CPU; empty if it uses what it requests.
    pub uses: Vec<(u64, u32)>,
    /// Whether it takes longer if it gets less CPU than it uses, as batch work does.
    pub elastic: bool,
}

/// A line of a trace after the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Host(HostRecord),
    /// A host comes or goes.
    Change(ChangeRecord),
    Job(JobRecord),
}

impl Standing {
    pub const ALL: [Self; 3] = [Self::Down, Self::Drain, Self::Up];

    /// Returns the name that files use.
    pub fn id(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Drain => "drain",
            Self::Up => "up",
        }
    }
}

impl HostRecord {
    /// Returns a host of the default pool and cluster that is there from the start.
    pub fn new(name: impl Into<String>, capacity: Amount) -> Self {
        Self {
            name: name.into(),
            at_ms: 0,
            cpu_milli: capacity.cpu_milli,
            memory_mib: capacity.memory_mib,
            numa_nodes: 1,
            threads: 1,
            pool: line::default_pool(),
            cluster: line::default_cluster(),
            labels: Vec::new(),
            noise_permille: None,
            price: 0,
        }
    }
}

impl JobRecord {
    /// Returns a standard job that may run anywhere until the end of the trace, and uses what it requests.
    pub fn new(name: impl Into<String>, at_ms: u64, request: Amount) -> Self {
        Self {
            name: name.into(),
            at_ms,
            request,
            level: Level::Standard,
            service: None,
            pool: None,
            cluster: None,
            needs: Vec::new(),
            apart: false,
            noise_max_permille: None,
            for_ms: None,
            uses: Vec::new(),
            elastic: false,
        }
    }
}

impl Record {
    pub fn at_ms(&self) -> u64 {
        match self {
            Self::Host(host) => host.at_ms,
            Self::Change(change) => change.at_ms,
            Self::Job(job) => job.at_ms,
        }
    }
}
