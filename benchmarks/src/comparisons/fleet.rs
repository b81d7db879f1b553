//! Servers that take over from each other, and fleets on Kubernetes, part by part.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::server::show;

/// One of the parts of this benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// The server that writes is killed under 20 submissions a second, and another one takes over
    Takeover,
    /// The operator keeps 1,000 made-up machines; needs tools/install fleet
    Operator,
    /// The scheduler plugin decides about 5,000 pods on 1,000 made-up nodes; needs tools/install fleet
    Scheduler,
}

impl Part {
    const ALL: [Self; 3] = [Self::Takeover, Self::Operator, Self::Scheduler];
}

pub fn run(arms: &Path, tauto: &Path, part: Option<Part>, kills: u32, json: bool) -> Result<bool> {
    let mut all_reached = true;
    let parts = part.map_or_else(|| Part::ALL.to_vec(), |part| vec![part]);
    for part in parts {
        let mut command = Command::new(arms);
        match part {
            Part::Takeover => {
                command.arg("takeover").arg("--tauto").arg(tauto).args(["--kills", &kills.to_string()]);
                all_reached &= show(&mut command, "takeover", json)?;
            }
            Part::Operator => {
                command.arg("fleet-operator").arg("--tauto").arg(tauto);
                all_reached &= show(&mut command, "fleet-operator", json)?;
            }
            Part::Scheduler => {
                command.arg("fleet-scheduler").arg("--tauto").arg(tauto);
                all_reached &= show(&mut command, "fleet-scheduler", json)?;
            }
        }
    }
    Ok(all_reached)
}
