//! A place for timed runs: CPUs, and a warm slot on them.

use crate::slot::note_slowdown;
use crate::{
    Choice, Helpers, HostCpus, IfTaken, Own, PlaceError, SlotTerms, TimedCpus, TimedSlot, host_cpus,
};
use model::{Baseline, CpuSet, Nanos, Reading};
use rustix::fd::OwnedFd;
use sandbox::{Ran, ReferenceTime, Role, RootView, RunIo, RunPlan, SandboxError};
use std::num::NonZeroU32;
use std::sync::Arc;

/// Options of a place.
#[derive(Clone, Debug)]
pub struct PlaceOptions {
    /// Which CPUs to use.
    pub cpus: Choice,
    /// What to do if others have them.
    pub if_taken: IfTaken,
    /// Whether others are kept off them, as far as the machine can do that.
    pub isolate: bool,
    /// The root that programs see.
    pub root: RootView,
    /// The users that programs may run as.
    pub roles: Vec<Role>,
    /// When this becomes readable, the present run is ended and no other is begun.
    pub stop: Option<Arc<OwnedFd>>,
}

/// A warm slot on timed CPUs.
#[derive(Debug)]
pub struct TimedPlace {
    // Declared before the CPUs, so that it is dropped while they are still leased.
    slot: TimedSlot,
    cpus: TimedCpus,
    helpers: Helpers,
    warnings: Vec<String>,
    stop: Option<Arc<OwnedFd>>,
}

impl PlaceOptions {
    /// Makes the usual options: one leased CPU, isolated, and every role.
    pub fn new(root: RootView) -> Self {
        Self {
            cpus: Choice::Leased(NonZeroU32::MIN),
            if_taken: IfTaken::Refuse,
            isolate: true,
            root,
            roles: Role::ALL.to_vec(),
            stop: None,
        }
    }
}

impl TimedPlace {
    /// Takes CPUs of this machine and opens the slot.
    ///
    /// # Errors
    /// When permissions are missing, or the CPUs are not available.
    pub fn open(options: PlaceOptions) -> Result<Self, PlaceError> {
        Self::open_at(host_cpus()?, options)
    }

    /// Takes CPUs from their owner and opens the slot.
    ///
    /// # Errors
    /// When permissions are missing, or the CPUs are not available.
    pub fn open_at(host: Arc<dyn HostCpus>, options: PlaceOptions) -> Result<Self, PlaceError> {
        let cpus = TimedCpus::take(host, &options.cpus, &options.if_taken)?;
        Self::on(cpus, options)
    }

    /// Opens the slot on CPUs that are already taken.
    ///
    /// # Errors
    /// When permissions are missing.
    pub fn on(cpus: TimedCpus, options: PlaceOptions) -> Result<Self, PlaceError> {
        let PlaceOptions { isolate, root, roles, stop, .. } = options;
        let own = if isolate { Own::CpusAndMemory } else { Own::Nothing };
        let slot = cpus.slot(SlotTerms { root, roles, stop: stop.clone(), own })?;
        // The slot may have closed its CPUs to helpers.
        let helpers = cpus.helpers();
        let mut warnings = cpus.warnings().to_vec();
        warnings.extend(helpers.warning().map(str::to_owned));
        warnings.extend(slot.quiet().iter().flat_map(|quiet| quiet.warnings().iter().cloned()));
        Ok(Self { slot, cpus, helpers, warnings, stop })
    }

    /// Closes the slot and returns the CPUs, still taken.
    pub fn into_cpus(self) -> TimedCpus {
        self.cpus
    }

    /// Returns the CPUs of timed runs.
    pub fn cpus(&self) -> &CpuSet {
        self.cpus.cpus()
    }

    /// Returns all CPUs that this process may use.
    pub fn allowed(&self) -> &CpuSet {
        self.cpus.allowed()
    }

    /// Returns the CPUs for everything that is not timed.
    pub fn helpers(&self) -> &Helpers {
        &self.helpers
    }

    /// Returns the CPUs that this process may use and that are not for these timed runs, even if others time on them.
    pub fn neighbours(&self) -> CpuSet {
        self.cpus.neighbours()
    }

    /// Leases those of the neighbours on which no other process of tauto's has timed runs, for as long as the place
    /// exists. Returns all leased neighbours.
    ///
    /// # Errors
    /// When their owner cannot be asked.
    pub fn take_neighbours(&mut self) -> Result<CpuSet, PlaceError> {
        let taken = self.cpus.take_neighbours()?;
        self.helpers = self.cpus.helpers();
        Ok(taken)
    }

    /// Returns whether other timed runs may use its CPUs as well.
    pub fn is_shared(&self) -> bool {
        self.cpus.is_shared()
    }

    /// Returns what makes this place weaker than it could be.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Returns the host's user for a role.
    pub fn user(&self, role: Role) -> u32 {
        self.slot.slot().user(role)
    }

    /// Compares each run with the usual values of its CPUs.
    pub fn compare_with(&mut self, usual: Reading<Baseline>) {
        self.slot.compare_with(usual);
    }

    /// Returns the slot, for running step by step.
    pub fn slot(&mut self) -> &mut TimedSlot {
        &mut self.slot
    }

    /// Does a fixed amount of work where runs are, some 6 ms, and returns what it took, if there was memory for it: it shows later
    /// how much the machine has changed.
    ///
    /// # Errors
    /// On an internal failure.
    pub fn reference(&mut self) -> Result<Option<ReferenceTime>, SandboxError> {
        self.slot.reference()
    }

    /// Runs a plan once its core is at its best, or after `patience`. Its evidence records the state of the core.
    ///
    /// # Errors
    /// On an internal failure, or when told to stop.
    pub fn run(&mut self, plan: &RunPlan, io: RunIo, patience: Nanos) -> Result<Ran, SandboxError> {
        let before = self.slot.wait_until_calm(patience, self.stop.as_deref())?;
        let mut ran = self.slot.run_held(plan, io, before.hold)?;
        note_slowdown(&mut ran.result, before.slowdown, self.slot.core_slowdown()?);
        Ok(ran)
    }
}
