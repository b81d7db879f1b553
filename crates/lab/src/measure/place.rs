//! Where measured runs happen: one warm slot on CPUs of its own.

use judge::{TimedSlot, note_slowdown};
use machine::{CpuLease, LeaseError, QuietCpus, Registry};
use model::{CpuSet, Nanos, Reading, Usual};
use rustix::fd::OwnedFd;
use sandbox::{OwnCpus, Ran, Role, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use sched::Request;
use std::num::NonZeroU32;
use std::sync::Arc;

/// On which CPUs runs are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlaceCpus {
    /// So many, which no other process of ours then uses for timed runs.
    Leased(NonZeroU32),
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
    slot: TimedSlot,
    stop: Option<Arc<OwnedFd>>,
    allowed: CpuSet,
    leases: Vec<CpuLease>,
    registry: Registry,
    _quiet: QuietCpus,
}

/// Why there is no place.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
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
        let registry = Registry::here().map_err(PlaceError::Lease)?;
        let allowed = registry.topology().allowed.clone();
        let (cpus, leases) = match options.cpus {
            PlaceCpus::Given(cpus) if cpus.is_empty() || !cpus.is_subset(&allowed) => {
                return Err(PlaceError::NotAllowed { cpus, allowed });
            }
            PlaceCpus::Given(cpus) => (cpus, Vec::new()),
            PlaceCpus::Leased(count) => {
                let lease = registry.take(&Request::timed(count)).map_err(PlaceError::Lease)?;
                (lease.cpus().clone(), vec![lease])
            }
        };
        let slot = Slot::open(SlotOptions {
            stop: options.stop.clone(),
            roles: vec![Role::Contestant],
            own_cpus: leases.first().map(|lease: &CpuLease| OwnCpus {
                cpus: lease.whole_cores(),
                memory_nodes: lease.memory_nodes().to_vec(),
            }),
            ..SlotOptions::new(options.root)
        })
        .map_err(PlaceError::Sandbox)?;
        let own = leases.first().map_or_else(CpuSet::new, CpuLease::whole_cores);
        let quiet = QuietCpus::hold(&registry, &own);
        Ok(Self {
            slot: TimedSlot::new(slot, &cpus),
            stop: options.stop,
            allowed,
            leases,
            registry,
            _quiet: quiet,
        })
    }

    /// Has each measured run compared with what is usual on its CPUs.
    pub fn compare_with(&mut self, usual: Reading<Usual>) {
        self.slot.compare_with(usual);
    }

    /// Says what of the machine's own description was left out.
    pub fn warnings(&self) -> &[String] {
        self.registry.warnings()
    }

    /// Gives the CPUs of measured runs.
    pub fn cpus(&self) -> &CpuSet {
        self.slot.cpus()
    }

    /// Gives the CPUs that we may use and that are not for measured runs: for us, and for loads.
    pub fn neighbours(&self) -> CpuSet {
        // The siblings of measured CPUs stay idle.
        let idle = self.leases.first().map(CpuLease::whole_cores).unwrap_or_default();
        self.allowed.difference(self.cpus()).difference(&idle)
    }

    /// Leases those of the neighbours that no other process of ours times on, for as long as the place is
    /// there: a load on them would spoil others' times, now or when they come. Gives what it got.
    ///
    /// # Errors
    /// When the registry of leases cannot be written.
    pub fn take_neighbours(&mut self) -> Result<CpuSet, PlaceError> {
        let taken = self.registry.take_free(&self.neighbours()).map_err(PlaceError::Lease)?;
        let cpus = taken.iter().flat_map(|lease| lease.whole_cores().iter().collect::<Vec<_>>()).collect();
        self.leases.extend(taken);
        Ok(cpus)
    }

    /// Gives all CPUs that we may use.
    pub fn allowed(&self) -> &CpuSet {
        &self.allowed
    }

    /// Gives the host's user as whom programs run.
    pub fn user(&self) -> u32 {
        self.slot.slot().user(Role::Contestant)
    }

    /// Runs a plan on the place's CPUs once their core is at its best, or after `patience`. Its evidence says what
    /// the core was like.
    ///
    /// # Errors
    /// When we fail, or are told to stop.
    pub fn run(&mut self, plan: &RunPlan, io: RunIo, patience: Nanos) -> Result<Ran, SandboxError> {
        let before = self.slot.wait_until_calm(patience, self.stop.as_deref())?;
        let mut ran = self.slot.run_held(plan, io, before.hold)?;
        note_slowdown(&mut ran.result, before.slowdown, self.slot.core_slowdown()?);
        Ok(ran)
    }
}
