//! Owners for tests: one that hands out fixed CPUs, and the registry of a synthetic machine.

use crate::HostCpus;
use allocator::Regular;
use cpus::{CpuLease, Holder, LeaseError, QuietCpus, Registry, Ticket};
use model::{CpuSet, Topology};
use std::io;
use std::num::NonZeroU32;
use std::sync::Mutex;

/// CPUs that are assigned, and others' leases, which a test may change.
#[derive(Debug)]
pub struct FixedCpus {
    topology: Topology,
    /// The CPUs that every caller gets; empty if everything is held.
    pub assigned: CpuSet,
    /// CPUs that others hold; `None` if that is not known.
    pub held: Mutex<Option<CpuSet>>,
}

impl FixedCpus {
    /// Makes a machine of cores without siblings.
    pub fn new(cores: u32, assigned: &str, held: &str) -> Self {
        let shape = Regular { packages: 1, numa_nodes: 1, l3_domains: 1, cores, threads: 1 };
        Self {
            topology: shape.topology(),
            assigned: assigned.parse().unwrap(),
            held: Mutex::new(Some(held.parse().unwrap())),
        }
    }

    fn taken(&self, cpus: &CpuSet) -> LeaseError {
        LeaseError::Taken { cpus: cpus.clone(), holders: self.holders().unwrap_or_default() }
    }
}

impl HostCpus for FixedCpus {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn warnings(&self) -> &[String] {
        &[]
    }

    fn take(&self, _: NonZeroU32) -> Result<CpuLease, LeaseError> {
        match self.assigned.is_empty() {
            true => Err(self.taken(&self.topology.allowed)),
            false => Ok(CpuLease::assigned(self.assigned.clone(), Vec::new())),
        }
    }

    fn take_these(&self, cpus: &CpuSet) -> Result<CpuLease, LeaseError> {
        match cpus.is_subset(&self.assigned) {
            true => Ok(CpuLease::assigned(cpus.clone(), Vec::new())),
            false => Err(self.taken(cpus)),
        }
    }

    fn take_free(&self, cpus: &CpuSet) -> Result<Vec<CpuLease>, LeaseError> {
        let held: CpuSet = self.holders()?.iter().flat_map(|holder| holder.cpus.iter()).collect();
        Ok(vec![CpuLease::assigned(cpus.difference(&held), Vec::new())])
    }

    fn holders(&self) -> Result<Vec<Holder>, LeaseError> {
        match &*self.held.lock().unwrap() {
            Some(cpus) if cpus.is_empty() => Ok(Vec::new()),
            Some(cpus) => Ok(vec![Holder { cpus: cpus.clone(), owner: None }]),
            None => Err(LeaseError::Registry {
                path: "/leases".into(),
                source: io::ErrorKind::PermissionDenied.into(),
            }),
        }
    }

    fn queue(&self, _: Option<&CpuSet>) -> Result<Option<Ticket>, LeaseError> {
        Ok(None)
    }

    fn is_open(&self, _: &CpuSet) -> bool {
        true
    }

    fn keep_quiet(&self, _: &CpuSet) -> Option<QuietCpus> {
        None
    }
}

/// The registry of a machine whose CPUs do not exist, so no process can be put on them.
#[derive(Debug)]
pub struct TestRegistry(pub Registry);

impl HostCpus for TestRegistry {
    fn topology(&self) -> &Topology {
        self.0.topology()
    }

    fn warnings(&self) -> &[String] {
        self.0.warnings()
    }

    fn take(&self, count: NonZeroU32) -> Result<CpuLease, LeaseError> {
        HostCpus::take(&self.0, count)
    }

    fn take_these(&self, cpus: &CpuSet) -> Result<CpuLease, LeaseError> {
        self.0.take_these(cpus)
    }

    fn take_free(&self, cpus: &CpuSet) -> Result<Vec<CpuLease>, LeaseError> {
        self.0.take_free(cpus)
    }

    fn holders(&self) -> Result<Vec<Holder>, LeaseError> {
        self.0.holders()
    }

    fn queue(&self, cpus: Option<&CpuSet>) -> Result<Option<Ticket>, LeaseError> {
        self.0.queue(cpus).map(Some)
    }

    fn is_open(&self, _: &CpuSet) -> bool {
        true
    }

    fn keep_quiet(&self, _: &CpuSet) -> Option<QuietCpus> {
        None
    }
}
