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

pub use check::{check_host, check_job};
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
    pub made_by: String,
    /// Whether no job crosses midnight and each day stands for itself.
    pub separate_days: bool,
    /// Where it comes from, and what in it is made up.
    pub note: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostRecord {
    /// Its name, which no other host of the trace has.
    #[serde(rename = "host")]
    pub name: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub at_ms: u64,
    /// Its logical CPUs, in thousandths.
    pub cpu_milli: u32,
    pub memory_mib: u32,
    /// The NUMA nodes that its cores are in, all of the same size.
    #[serde(default = "one")]
    pub numa_nodes: u32,
    #[serde(default = "one")]
    pub threads: u32,
    #[serde(default = "default_pool")]
    pub pool: String,
    #[serde(default = "default_cluster")]
    pub cluster: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// How much longer equal work takes on it in the worst of a hundred runs, in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_permille: Option<u32>,
    /// What an hour of it costs, in any unit that all hosts share; 0 if it is not known.
    #[serde(default)]
    pub price: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeRecord {
    #[serde(rename = "change")]
    pub host: String,
    pub at_ms: u64,
    /// What it is from then on.
    pub to: Standing,
}

model::words! {
    pub enum Standing, id {
        /// It has failed, and its jobs with it.
        Down = "down",
        /// It keeps its jobs and gets no others.
        Drain = "drain",
        Up = "up",
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobRecord {
    /// Its name, which no job that runs at the same time has; readers do not check this.
    #[serde(rename = "job")]
    pub name: String,
    pub at_ms: u64,
    /// Thousandths of a CPU that it requests.
    pub cpu_milli: u32,
    pub memory_mib: u32,
    #[serde(default = "standard")]
    pub level: Level,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// The only pool that it may run in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// The only cluster that it may run in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The only host that it may run on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Whether no other job of its service may be on its host.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub apart: bool,
    /// Whether a strict job's cores have idle siblings, as those of a job that bounds its noise have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idle_siblings: bool,
    /// The highest noise that it tolerates, in thousandths of its CPU time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise_max_permille: Option<u32>,
    /// How long it runs; `None` until the end of the trace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub for_ms: Option<u64>,
    /// From which time since its start it uses how many thousandths of a CPU; empty if it uses what it requests.
    #[serde(default, rename = "use", skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<(u64, u32)>,
    /// Whether it takes longer if it gets less CPU than it uses, as batch work does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elastic: bool,
}

/// A line of a trace after the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    Host(HostRecord),
    Change(ChangeRecord),
    Job(JobRecord),
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
            pool: default_pool(),
            cluster: default_cluster(),
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
            cpu_milli: request.cpu_milli,
            memory_mib: request.memory_mib,
            level: Level::Standard,
            service: None,
            pool: None,
            cluster: None,
            host: None,
            needs: Vec::new(),
            apart: false,
            idle_siblings: false,
            noise_max_permille: None,
            for_ms: None,
            uses: Vec::new(),
            elastic: false,
        }
    }

    pub fn request(&self) -> Amount {
        Amount { cpu_milli: self.cpu_milli, memory_mib: self.memory_mib }
    }
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

fn one() -> u32 {
    1
}

fn standard() -> Level {
    Level::Standard
}

fn default_pool() -> String {
    "default".to_owned()
}

fn default_cluster() -> String {
    "main".to_owned()
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
