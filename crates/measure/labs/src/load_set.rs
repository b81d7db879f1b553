//! Several loads that begin and pause together.

use super::LabError;
use crate::load::{Load, LoadKind, LoadPlan};
use model::{CpuSet, counted};
use std::path::Path;

/// Loads that work only when they are needed.
#[derive(Debug)]
pub struct LoadSet {
    loads: Vec<Load>,
    working: bool,
}

impl LoadSet {
    /// Starts a thread that computes for each of the CPUs, and one that streams over memory, and pauses them. With
    /// `floating` they may use any of the CPUs, like programs without pinning.
    pub fn start(cpus: &CpuSet, floating: bool, binary: &Path, lead: &[&str]) -> Result<Self, LabError> {
        let one: CpuSet = cpus.iter().take(1).collect();
        // A load has a thread for each of its CPUs, and one thread is enough to fill the memory channels.
        let wanted = [(LoadKind::Cpu, cpus.clone(), floating), (LoadKind::Memory, one, false)];
        let mut loads = Self { loads: Vec::new(), working: true };
        for (kind, cpus, floating) in wanted {
            let plan = LoadPlan { kind, cpus, floating, folder: "/".into() };
            loads.loads.push(Load::start(plan, binary, lead)?);
        }
        loads.work(false)?;
        Ok(loads)
    }

    /// Lets all of them work, or pauses them.
    pub fn work(&mut self, wanted: bool) -> Result<(), LabError> {
        if wanted != self.working {
            for load in &mut self.loads {
                if wanted { load.resume()? } else { load.pause()? }
            }
            self.working = wanted;
        }
        Ok(())
    }

    /// Describes the loads in words.
    pub fn words(&self) -> String {
        let part = |load: &Load| {
            let LoadPlan { kind, cpus, floating, .. } = load.plan();
            let threads = counted(cpus.len(), "thread");
            let chosen = if *floating { ", as the kernel chooses" } else { "" };
            format!("{kind}: {threads} on {}{chosen}", cpus.named())
        };
        self.loads.iter().map(part).collect::<Vec<_>>().join("; ")
    }
}
