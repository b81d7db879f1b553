//! Where measured runs happen: one warm slot on CPUs of its own.

use machine::{CpuLease, LeaseError};
use model::{CpuSet, RunResult};
use probe::{CounterReader, Roots};
use rustix::fd::OwnedFd;
use sandbox::{Ran, Role, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Where leases of CPUs are registered.
const LEASES: &str = "/run/tauto";

/// On which CPUs runs are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceCpus {
    /// So many, which no other process of ours then uses for timed runs.
    Leased(u32),
    /// These, whoever else uses them.
    Given(CpuSet),
}

/// How a place is made.
#[derive(Debug)]
pub struct PlaceOptions {
    /// On which CPUs runs are measured.
    pub cpus: PlaceCpus,
    /// The root that programs see.
    pub root: RootView,
    /// When this becomes readable, the present run is ended and no other is begun.
    pub stop: Option<Arc<OwnedFd>>,
}

/// One warm slot on CPUs of its own.
#[derive(Debug)]
pub struct Place {
    slot: Slot,
    counters: CounterReader,
    cpus: CpuSet,
    allowed: CpuSet,
    leases: Vec<CpuLease>,
}

/// Why there is no place.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// The kernel does not say which CPUs are ours.
    #[error("cannot read which CPUs are allowed")]
    Allowed(#[source] io::Error),
    /// CPUs were named that are not ours.
    #[error("the CPU list {cpus} is not within the CPUs {allowed} that are allowed here")]
    NotAllowed {
        /// The CPUs named.
        cpus: CpuSet,
        /// Those that are ours.
        allowed: CpuSet,
    },
    /// No CPU could be leased.
    #[error("{0}")]
    Lease(#[source] LeaseError),
    /// The slot cannot be opened.
    #[error("{0}")]
    Sandbox(#[source] SandboxError),
}

impl Place {
    /// Takes the CPUs and opens the slot.
    ///
    /// # Errors
    /// When rights are missing, or the CPUs are not to be had.
    pub fn open(options: PlaceOptions) -> Result<Self, PlaceError> {
        let allowed = machine::allowed_cpus().map_err(PlaceError::Allowed)?;
        let (cpus, leases) = match options.cpus {
            PlaceCpus::Given(cpus) if cpus.is_empty() || !cpus.is_subset(&allowed) => {
                return Err(PlaceError::NotAllowed { cpus, allowed });
            }
            PlaceCpus::Given(cpus) => (cpus, Vec::new()),
            PlaceCpus::Leased(count) => {
                let lease =
                    CpuLease::take(Path::new(LEASES), &allowed, count as usize).map_err(PlaceError::Lease)?;
                (lease.cpus().clone(), vec![lease])
            }
        };
        let slot = Slot::open(SlotOptions {
            stop: options.stop,
            roles: vec![Role::Contestant],
            ..SlotOptions::new(options.root)
        })
        .map_err(PlaceError::Sandbox)?;
        let counters = CounterReader::open(&Roots::host(), &cpus);
        Ok(Self { slot, counters, cpus, allowed, leases })
    }

    /// Gives the CPUs of measured runs.
    pub fn cpus(&self) -> &CpuSet {
        &self.cpus
    }

    /// Gives the CPUs that we may use and that are not for measured runs: for us, and for loads.
    pub fn neighbours(&self) -> CpuSet {
        self.allowed.difference(&self.cpus)
    }

    /// Leases those of the neighbours that no other process of ours times on, for as long as the place is
    /// there: a load on them would spoil others' times, now or when they come. Gives what it got.
    ///
    /// # Errors
    /// When the registry of leases cannot be written.
    pub fn take_neighbours(&mut self) -> Result<CpuSet, PlaceError> {
        let mut taken = CpuSet::new();
        for cpu in self.neighbours().iter() {
            match CpuLease::take(Path::new(LEASES), &CpuSet::from_iter([cpu]), 1) {
                Ok(lease) => self.leases.push(lease),
                Err(LeaseError::Taken { .. }) => continue,
                Err(error) => return Err(PlaceError::Lease(error)),
            }
            taken.insert(cpu);
        }
        Ok(taken)
    }

    /// Gives all CPUs that we may use.
    pub fn allowed(&self) -> &CpuSet {
        &self.allowed
    }

    /// Gives the host's user as whom programs run.
    pub fn user(&self) -> u32 {
        self.slot.user(Role::Contestant)
    }

    /// Runs a plan on the place's CPUs, with evidence.
    ///
    /// # Errors
    /// When we fail, or are told to stop.
    pub fn run(&mut self, plan: &RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        let plan = RunPlan { cpus: Some(self.cpus.clone()), ..plan.clone() };
        let before = self.counters.read();
        let mut ran = self.slot.run(&plan, io)?;
        let after = self.counters.read();
        let RunResult { evidence, usage, .. } = &mut ran.result;
        evidence.frequency = self.counters.frequency();
        after.since(&before).fill(evidence, usage.cpu_time);
        Ok(ran)
    }
}
