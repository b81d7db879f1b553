//! Where the runs of an experiment take place: on any CPU, pinned, or on dedicated CPUs.

use super::LabError;
use model::{Bytes, CpuSet, Nanos, Reading, Slowdown};
use rustix::fd::OwnedFd;
use sandbox::{Ran, Role, RootView, RunIo, RunPlan};
use std::num::NonZeroU32;
use std::sync::Arc;
use timing::{CalmWait, Choice, Exclusive, IfTaken, SlotTerms, TimedCpus, TimedSlot, note_slowdown};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CpuTerms {
    /// On any CPU that the kernel chooses.
    Anywhere,
    /// On the leased CPU, by affinity alone.
    Pinned,
    /// On the leased CPU, with everything else kept off it as far as the machine can do that.
    Own,
    /// The same, with memory of the nearest NUMA node only.
    OwnNode,
}

#[derive(Clone, Debug)]
pub struct TestbedOptions {
    /// The root that programs see.
    pub root: RootView,
    /// What to do if others have all CPUs.
    pub if_taken: IfTaken,
    /// When this becomes readable, the present run is ended and no other is begun.
    pub stop: Option<Arc<OwnedFd>>,
}

/// One leased CPU, and slots that use it on changing terms; one is open at a time, since an existing partition takes
/// its CPU away from all others.
#[derive(Debug)]
pub struct Testbed {
    options: TestbedOptions,
    open: Option<(CpuTerms, TimedSlot)>,
    // Declared after the slot, which is dropped while the CPUs are still leased.
    cpus: TimedCpus,
    helper_cpus: CpuSet,
    memory_nodes: Result<Vec<u32>, String>,
    warnings: Vec<String>,
}

impl Testbed {
    /// Leases a CPU.
    pub fn open(options: TestbedOptions) -> Result<Self, LabError> {
        let host = timing::host_cpus().map_err(timing::PlaceError::from)?;
        let cpus = TimedCpus::take(host, &Choice::Leased(NonZeroU32::MIN), &options.if_taken)?;
        Ok(Self::on(cpus, options))
    }

    /// Makes a testbed of CPUs that are already taken.
    pub fn on(cpus: TimedCpus, options: TestbedOptions) -> Self {
        let memory_nodes = match cpus.host().topology().numa_nodes.len() {
            0 | 1 => Err("this machine has one NUMA node, so all memory is equally near".to_owned()),
            _ => {
                Ok(cpus.slot_cpus(Exclusive::CpusAndMemory).own.map_or_else(Vec::new, |own| own.memory_nodes))
            }
        };
        let helpers = cpus.helpers();
        let mut warnings = cpus.warnings().to_vec();
        warnings.extend(helpers.warning().map(str::to_owned));
        // Each slot makes them quiet again; warnings about that are collected before anything runs.
        warnings.extend(cpus.keep_quiet().iter().flat_map(|quiet| quiet.warnings().iter().cloned()));
        let helper_cpus = helpers.cpus().clone();
        Self { options, open: None, cpus, helper_cpus, memory_nodes, warnings }
    }

    pub fn options(&self) -> &TestbedOptions {
        &self.options
    }

    /// Closes the slot and returns the CPUs, still taken.
    pub fn into_cpus(self) -> TimedCpus {
        self.cpus
    }

    /// Returns the leased CPU.
    pub fn cpus(&self) -> &CpuSet {
        self.cpus.cpus()
    }

    /// Returns the number of cores that may be used.
    pub fn allowed_cores(&self) -> u32 {
        let topology = self.cpus.host().topology();
        topology.cores.iter().filter(|core| core.cpus.meets(&topology.allowed)).count() as u32
    }

    /// Returns what makes this testbed weaker than it could be.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Leases those of the neighbours on which no other process of tauto's has timed runs, for as long as the testbed
    /// exists: a load on them would disturb others' runs. Returns the leased CPUs.
    pub fn take_neighbours(&mut self) -> Result<CpuSet, LabError> {
        Ok(self.cpus.take_neighbours()?)
    }

    /// Returns the CPUs that are not for measured runs; empty on a machine with one CPU.
    pub fn neighbours(&self) -> CpuSet {
        self.cpus.neighbours()
    }

    /// Returns the CPUs for everything that is not measured, including this process.
    pub fn helper_cpus(&self) -> &CpuSet {
        &self.helper_cpus
    }

    /// Returns the NUMA nodes of the leased CPU, or why there is no choice of nodes here.
    pub fn memory_nodes(&self) -> Result<&[u32], &str> {
        self.memory_nodes.as_deref().map_err(String::as_str)
    }

    /// Returns the host's user for programs on these terms.
    pub fn user(&mut self, spot: CpuTerms) -> Result<u32, LabError> {
        Ok(self.at(spot)?.slot().user(Role::Contestant))
    }

    /// Runs a plan on these terms, with evidence.
    pub fn run(&mut self, spot: CpuTerms, plan: &RunPlan, io: RunIo) -> Result<Ran, LabError> {
        Ok(self.at(spot)?.run(plan, io)?)
    }

    /// Runs a plan once its core is at its best, or after `patience`; its evidence records the state of the core. The
    /// remaining patience is for holding the run while its core is contended; the part that was used is returned. As
    /// much memory as it `used` before is warmed, as for a repeat in the judge.
    pub fn run_when_calm(
        &mut self,
        spot: CpuTerms,
        plan: &RunPlan,
        io: RunIo,
        patience: Nanos,
        used: &Reading<Bytes>,
    ) -> Result<(Ran, Nanos), LabError> {
        let stop = self.options.stop.clone();
        let slot = self.at(spot)?;
        let CalmWait { time, slowdown, hold } = slot.wait_until_calm(patience, stop.as_deref())?;
        slot.warm_memory(used)?;
        let mut ran = slot.run_held(plan, io, hold)?;
        note_slowdown(&mut ran.result, slowdown, slot.core_slowdown()?);
        let held = ran.result.evidence.guard.known().map_or(Nanos::ZERO, |guard| guard.held);
        Ok((ran, time + held))
    }

    /// Probes how much slower the leased core is now than at its best.
    pub fn core_slowdown(&mut self, spot: CpuTerms) -> Result<Reading<Slowdown>, LabError> {
        Ok(self.at(spot)?.core_slowdown()?)
    }

    /// Closes the slot, so that its CPU is free for others until the next run.
    pub fn close(&mut self) {
        self.open = None;
    }

    fn at(&mut self, spot: CpuTerms) -> Result<&mut TimedSlot, LabError> {
        if self.open.as_ref().is_none_or(|(open, _)| *open != spot) {
            // Close the old one first: its partition would take the CPU away from the new one.
            self.open = None;
            self.open = Some((spot, self.make(spot)?));
        }
        match &mut self.open {
            Some((_, slot)) => Ok(slot),
            None => unreachable!("it was opened just now"),
        }
    }

    fn make(&self, spot: CpuTerms) -> Result<TimedSlot, LabError> {
        let terms = SlotTerms {
            machines: None,
            root: self.options.root.clone(),
            roles: vec![Role::Contestant],
            stop: self.options.stop.clone(),
            own: match spot {
                CpuTerms::Anywhere | CpuTerms::Pinned => Exclusive::Nothing,
                CpuTerms::OwnNode if self.memory_nodes.is_ok() => Exclusive::CpusAndMemory,
                CpuTerms::Own | CpuTerms::OwnNode => Exclusive::Cpus,
            },
        };
        Ok(match spot {
            CpuTerms::Anywhere => self.cpus.slot_anywhere(terms)?,
            _ => self.cpus.slot(terms)?,
        })
    }
}
