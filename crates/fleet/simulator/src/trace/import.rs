//! Traces of what other programs recorded. `docs/sim-trace.md` says how each is read, and what is made up.
//!
//! Sources are plain or gzip. The same sources and options make the same bytes.

pub mod azure;
mod input;
pub mod noise;
pub mod openb;
pub mod planetlab;
pub mod swf;

mod table;

#[cfg(test)]
mod tests;

use super::check::{CPU_MILLI, MEMORY_MIB};
use super::{HostRecord, Record, Writer};
pub use input::{ImportError, Input};
use noise::HostNoise;
use placement::Amount;
use stats::Dice;
use std::io::Write;

const MIB_PER_GIB: u32 = 1024;
const MS_PER_S: u64 = 1000;
/// Decides which figures of noise the hosts get: always the same.
const NOISE_SEED: u64 = 1;

/// What the trace says of itself.
#[derive(Clone, Debug, Default)]
pub struct About {
    pub name: String,
    /// The program that makes it, with its version.
    pub made_by: String,
}

/// What an import made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub hosts: u64,
    pub jobs: u64,
    /// What was left out or looks unusual, a sentence each.
    pub remarks: Vec<String>,
}

/// Hosts that the source does not describe, all alike.
#[derive(Clone, Debug)]
pub struct MadeUpHosts {
    /// How many; `None` for as many as the source's jobs need.
    pub count: Option<u32>,
    pub cpus: u32,
    pub memory_gib: u32,
    /// Kinds of measured machines whose noise they get in turn; empty for none.
    pub noise: Vec<HostNoise>,
}

impl Default for MadeUpHosts {
    fn default() -> Self {
        Self { count: None, cpus: 16, memory_gib: 64, noise: Vec::new() }
    }
}

impl MadeUpHosts {
    fn check(&self) -> Result<Amount, ImportError> {
        let cpu_milli = self.cpus.saturating_mul(1000);
        let memory_mib = self.memory_gib.saturating_mul(MIB_PER_GIB);
        for (option, value, limit) in
            [("host-cpus", cpu_milli, &CPU_MILLI), ("host-memory-gib", memory_mib, &MEMORY_MIB)]
        {
            if !limit.has(value.into()) {
                return Err(ImportError::Option { option, message: limit.complaint(&value.to_string()) });
            }
        }
        Ok(Amount { cpu_milli, memory_mib })
    }

    /// Writes `count` hosts.
    fn write<W: Write>(&self, count: u64, writer: &mut Writer<W>) -> Result<(), ImportError> {
        let capacity = self.check()?;
        let mut dice = Dice::new(NOISE_SEED);
        let mut kinds = self.noise.iter().map(HostNoise::figures).cycle();
        for number in 1..=count {
            let mut host = HostRecord::new(format!("h{number}"), capacity);
            host.noise_permille = kinds.next().map(|figures| figures[dice.below(figures.len())]);
            writer.write(&Record::Host(host))?;
        }
        Ok(())
    }

    /// Says what they are, for the note of a trace.
    fn note(&self, count: u64) -> String {
        let noise = match &self.noise[..] {
            [] => "of unknown noise".to_owned(),
            groups => {
                let names: Vec<_> = groups.iter().map(HostNoise::name).collect();
                format!("with the noise of measured machines ({})", names.join(", "))
            }
        };
        format!("{count} hosts of {} CPUs and {} GiB {noise}", self.cpus, self.memory_gib)
    }
}
