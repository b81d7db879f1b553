//! The simulator of fleets.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

/// One of the parts of this benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// A day of 1,000,000 jobs on 100,000 hosts
    Day,
    /// A decision on 10,000 hosts
    Decisions,
    /// Policies on recorded loads
    Policies,
}

pub fn run(arms: &Path, part: Option<Part>, traces: Option<&Path>, json: bool) -> Result<bool> {
    let mut all_reached = true;
    for each in super::tools::parts(part) {
        let (arm, folder) = match (each, traces) {
            (Part::Day, _) => ("sim-day", None),
            (Part::Decisions, _) => ("sim-decisions", None),
            (Part::Policies, Some(folder)) => ("sim-policies", Some(folder)),
            (Part::Policies, None) if part.is_none() => continue,
            (Part::Policies, None) => bail!("the part 'policies' needs --traces DIR"),
        };
        let mut command = Command::new(arms);
        command.arg(arm);
        if let Some(folder) = folder {
            command.arg("--traces").arg(folder);
        }
        all_reached &= super::server::show(&mut command, arm, json)?;
    }
    Ok(all_reached)
}
