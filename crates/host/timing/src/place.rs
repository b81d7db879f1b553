//! A place for timed runs: CPUs, and a warm slot on them.

use crate::slot::note_slowdown;
use crate::{
    Choice, Exclusive, Helpers, HostCpus, IfTaken, PlaceError, SlotTerms, TimedCpus, TimedSlot, host_cpus,
};
use microvm::Machines;
use model::{Baseline, CpuSet, Nanos, Reading};
use rustix::fd::OwnedFd;
use sandbox::{Ran, ReferenceTime, Role, RootView, RunIo, RunPlan, SandboxError};
use std::num::NonZeroU32;
use std::sync::Arc;

#[derive(Clone, Debug)]
pub struct PlaceOptions {
    pub cpus: Choice,
    pub if_taken: IfTaken,
    /// Whether others are kept off them, as far as the machine can do that.
    pub isolate: bool,
    pub root: RootView,
    /// What each run gets a machine of its own from; then `root` is the machine's.
    pub machines: Option<Arc<Machines>>,
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
            machines: None,
            roles: Role::ALL.to_vec(),
            stop: None,
        }
    }
}

impl TimedPlace {
    pub fn open(options: PlaceOptions) -> Result<Self, PlaceError> {
        Self::open_at(host_cpus()?, options)
    }

    pub fn open_at(host: Arc<dyn HostCpus>, options: PlaceOptions) -> Result<Self, PlaceError> {
        let cpus = TimedCpus::take(host, &options.cpus, &options.if_taken)?;
        Self::on(cpus, options)
    }

    pub fn on(cpus: TimedCpus, options: PlaceOptions) -> Result<Self, PlaceError> {
        let PlaceOptions { isolate, root, machines, roles, stop, .. } = options;
        let own = if isolate { Exclusive::CpusAndMemory } else { Exclusive::Nothing };
        let emulated = machines.as_ref().and_then(|machines| machines.warning());
        let slot = cpus.slot(SlotTerms { root, machines, roles, stop: stop.clone(), own })?;
        // The slot may have closed its CPUs to helpers.
        let helpers = cpus.helpers();
        let mut warnings = cpus.warnings().to_vec();
        warnings.extend(emulated);
        warnings.extend(helpers.warning().map(str::to_owned));
        warnings.extend(slot.quiet().iter().flat_map(|quiet| quiet.warnings().iter().cloned()));
        Ok(Self { slot, cpus, helpers, warnings, stop })
    }

    /// Closes the slot and returns the CPUs, still taken.
    pub fn into_cpus(self) -> TimedCpus {
        self.cpus
    }

    pub fn cpus(&self) -> &CpuSet {
        self.cpus.cpus()
    }

    pub fn allowed(&self) -> &CpuSet {
        self.cpus.allowed()
    }

    pub fn helpers(&self) -> &Helpers {
        &self.helpers
    }

    /// Returns the CPUs that this process may use and that are not for these timed runs, even if others time on them.
    pub fn neighbours(&self) -> CpuSet {
        self.cpus.neighbours()
    }

    /// Leases those of the neighbours on which no other process of tauto's has timed runs, for as long as the place
    /// exists. Returns all leased neighbours.
    pub fn take_neighbours(&mut self) -> Result<CpuSet, PlaceError> {
        let taken = self.cpus.take_neighbours()?;
        self.helpers = self.cpus.helpers();
        Ok(taken)
    }

    pub fn is_shared(&self) -> bool {
        self.cpus.is_shared()
    }

    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

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
    pub fn reference(&mut self) -> Result<Option<ReferenceTime>, SandboxError> {
        self.slot.reference()
    }

    /// Runs a plan once its core is at its best, or after `patience`. Its evidence records the state of the core.
    pub fn run(&mut self, plan: &RunPlan, io: RunIo, patience: Nanos) -> Result<Ran, SandboxError> {
        let before = self.slot.wait_until_calm(patience, self.stop.as_deref())?;
        let mut ran = self.slot.run_held(plan, io, before.hold)?;
        note_slowdown(&mut ran.result, before.slowdown, self.slot.core_slowdown()?);
        Ok(ran)
    }
}
