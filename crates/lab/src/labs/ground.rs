//! Where the runs of an experiment happen: anywhere, pinned, or on CPUs of their own.

use super::LabError;
use crate::measure::PlaceError;
use judge::{TimedSlot, Waited, note_slowdown};
use machine::{CpuLease, QuietCpus, Registry};
use model::{Bytes, CpuSet, Nanos, Reading, Slowdown};
use rustix::fd::OwnedFd;
use sandbox::{OwnCpus, Ran, Role, RootView, RunIo, RunPlan, Slot, SlotOptions};
use sched::Request;
use std::num::NonZeroU32;
use std::sync::Arc;

/// On which terms a run has its CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spot {
    /// On any CPU, wherever the kernel puts it.
    Anywhere,
    /// On the leased CPU, by affinity alone.
    Pinned,
    /// On the leased CPU, which everybody else is kept off as far as the machine can.
    Own,
    /// The same, with memory of its own NUMA node alone.
    OwnNode,
}

/// What a ground is made of.
#[derive(Debug)]
pub struct GroundOptions {
    /// The root that programs see.
    pub root: RootView,
    /// When this becomes readable, the present run is ended and no other is begun.
    pub stop: Option<Arc<OwnedFd>>,
}

/// One leased CPU, and slots that use it on changing terms; one is open at a time, since a partition that is
/// there takes its CPU away from all others.
#[derive(Debug)]
pub struct Ground {
    options: GroundOptions,
    registry: Registry,
    lease: CpuLease,
    others: Vec<CpuLease>,
    memory_nodes: Result<Vec<u32>, String>,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    spot: Spot,
    slot: TimedSlot,
    _quiet: Option<QuietCpus>,
}

impl Ground {
    /// Leases a CPU.
    ///
    /// # Errors
    /// When none is to be had.
    pub fn open(options: GroundOptions) -> Result<Self, LabError> {
        let registry = Registry::here().map_err(PlaceError::Lease)?;
        let lease = registry.take(&Request::timed(NonZeroU32::MIN)).map_err(PlaceError::Lease)?;
        let memory_nodes = match registry.topology().numa_nodes.len() {
            0 | 1 => Err("this machine has one NUMA node, so all memory is equally near".to_owned()),
            _ => Ok(lease.memory_nodes().to_vec()),
        };
        Ok(Self { options, registry, lease, others: Vec::new(), memory_nodes, open: None })
    }

    /// Gives the leased CPU.
    pub fn cpus(&self) -> &CpuSet {
        self.lease.cpus()
    }

    /// Leases those of the neighbours that no other process of ours times on, for as long as the ground is
    /// there: a load on them would spoil others' times. Gives what it got.
    ///
    /// # Errors
    /// When the registry of leases cannot be written.
    pub fn take_neighbours(&mut self) -> Result<CpuSet, LabError> {
        let taken = self.registry.take_free(&self.neighbours()).map_err(PlaceError::Lease)?;
        self.others.extend(taken);
        Ok(self.others.iter().flat_map(|lease| lease.whole_cores().iter().collect::<Vec<_>>()).collect())
    }

    /// Gives the CPUs that are not for measured runs; none on a machine with one CPU.
    pub fn neighbours(&self) -> CpuSet {
        self.registry.topology().allowed.difference(&self.lease.whole_cores())
    }

    /// Gives the NUMA nodes of the leased CPU, or why there is no choice of nodes here.
    pub fn memory_nodes(&self) -> Result<&[u32], &str> {
        self.memory_nodes.as_deref().map_err(String::as_str)
    }

    /// Gives the host's user as whom programs run at this spot.
    ///
    /// # Errors
    /// When the slot cannot be opened.
    pub fn user(&mut self, spot: Spot) -> Result<u32, LabError> {
        Ok(self.at(spot)?.slot.slot().user(Role::Contestant))
    }

    /// Runs a plan at a spot, with evidence.
    ///
    /// # Errors
    /// When we fail, or are told to stop.
    pub fn run(&mut self, spot: Spot, plan: &RunPlan, io: RunIo) -> Result<Ran, LabError> {
        Ok(self.at(spot)?.slot.run(plan, io)?)
    }

    /// Runs a plan once its core is at its best, or after `patience`; its evidence says what the core was like. What is
    /// left of the patience is for holding the run while its core is shared; how much was used of it is given. Memory like
    /// what it `used` before is warm, as for a repeat of the judge.
    ///
    /// # Errors
    /// When we fail, or are told to stop.
    pub fn run_when_calm(
        &mut self,
        spot: Spot,
        plan: &RunPlan,
        io: RunIo,
        patience: Nanos,
        used: &Reading<Bytes>,
    ) -> Result<(Ran, Nanos), LabError> {
        let stop = self.options.stop.clone();
        let slot = &mut self.at(spot)?.slot;
        let Waited { time, slowdown, hold } = slot.wait_until_calm(patience, stop.as_deref())?;
        slot.warm_memory(used)?;
        let mut ran = slot.run_held(plan, io, hold)?;
        note_slowdown(&mut ran.result, slowdown, slot.core_slowdown()?);
        let held = ran.result.evidence.guard.known().map_or(Nanos::ZERO, |guard| guard.held);
        Ok((ran, time + held))
    }

    /// Looks how much slower than at its best the leased core is just now.
    ///
    /// # Errors
    /// When we fail.
    pub fn core_slowdown(&mut self, spot: Spot) -> Result<Reading<Slowdown>, LabError> {
        Ok(self.at(spot)?.slot.core_slowdown()?)
    }

    /// Closes the slot, so that its CPU is free for others until the next run.
    pub fn close(&mut self) {
        self.open = None;
    }

    fn at(&mut self, spot: Spot) -> Result<&mut Open, LabError> {
        if self.open.as_ref().is_none_or(|open| open.spot != spot) {
            // The old one first: a partition that is there takes its CPU away from the new one.
            self.open = None;
            self.open = Some(self.make(spot)?);
        }
        match &mut self.open {
            Some(open) => Ok(open),
            None => unreachable!("it was opened just now"),
        }
    }

    fn make(&self, spot: Spot) -> Result<Open, LabError> {
        let leased = self.lease.cpus().clone();
        let own = |memory_nodes| Some(OwnCpus { cpus: self.lease.whole_cores(), memory_nodes });
        let own_cpus = match spot {
            Spot::Anywhere | Spot::Pinned => None,
            Spot::Own => own(Vec::new()),
            Spot::OwnNode => own(self.memory_nodes.clone().unwrap_or_default()),
        };
        let is_own = own_cpus.is_some();
        let slot = Slot::open(SlotOptions {
            stop: self.options.stop.clone(),
            roles: vec![Role::Contestant],
            own_cpus,
            ..SlotOptions::new(self.options.root.clone())
        })?;
        let quiet = is_own.then(|| QuietCpus::hold(&self.registry, &self.lease.whole_cores()));
        let cpus = if spot == Spot::Anywhere { self.registry.topology().allowed.clone() } else { leased };
        Ok(Open { spot, slot: TimedSlot::new(slot, &cpus), _quiet: quiet })
    }
}
