//! A slot for untimed work: compilers, checkers, graders.

use crate::JudgeError;
use crate::tools::Disk;
use microvm::Machines;
use model::CpuSet;
use rustix::fd::OwnedFd;
use sandbox::{Pause, Paused, PipeId, Ran, Role, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use timing::Helpers;

/// A slot on CPUs without timed runs. One program runs in it at a time; others wait.
#[derive(Clone, Debug)]
pub struct Helper {
    slot: Arc<Mutex<Slot>>,
    /// What each program gets a machine of its own from; then `root` is the machine's.
    machines: Option<Arc<Machines>>,
    root: RootView,
    /// The same root as one file, if it is one.
    disk: Option<Disk>,
    pause: Pause,
    cpus: Helpers,
    end_when: Option<Arc<OwnedFd>>,
}

impl Helper {
    pub(crate) fn open(
        root: RootView,
        stop: Option<Arc<OwnedFd>>,
        cpus: Helpers,
    ) -> Result<Self, JudgeError> {
        Self::open_in(None, root, stop, cpus)
    }

    /// Opens one whose programs each get a machine of their own, if there are machines.
    pub(crate) fn open_in(
        machines: Option<Arc<Machines>>,
        root: RootView,
        stop: Option<Arc<OwnedFd>>,
        cpus: Helpers,
    ) -> Result<Self, JudgeError> {
        let container = machines.as_ref().map_or_else(|| root.clone(), |machines| machines.container());
        let slot = Slot::open(SlotOptions { stop, ..SlotOptions::new(container) })?;
        let pause = slot.pause();
        Ok(Self { pause, slot: Arc::new(Mutex::new(slot)), machines, root, disk: None, cpus, end_when: None })
    }

    /// Returns the same helper, whose root is also this file.
    pub(crate) fn with_disk(self, disk: Option<Disk>) -> Self {
        Self { disk, ..self }
    }

    /// Returns the same helper for work that is killed when this descriptor becomes readable.
    pub(crate) fn until(&self, end_when: Arc<OwnedFd>) -> Self {
        Self { end_when: Some(end_when), ..self.clone() }
    }

    /// Pauses the slot's programs until the returned value is dropped; that time does not count for them. A machine is not paused, since
    /// its clock would go on.
    pub(crate) fn stop(&self) -> Option<Paused> {
        self.machines.is_none().then(|| self.pause.hold())
    }

    /// Returns whether the program in the slot is known to do nothing until this empty pipe has content or ends.
    pub(crate) fn waits_for(&self, pipe: PipeId) -> bool {
        self.pause.waits_for(pipe).unwrap_or(false)
    }

    /// Runs a plan on CPUs that have no timed runs now.
    pub fn run(&self, plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        self.run_in(&mut self.lock(), plan, io)
    }

    /// Runs a plan with another root, which is not mounted any more afterwards.
    pub(crate) fn run_seeing(&self, root: &RootView, plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        let mut slot = self.lock();
        slot.show(root);
        let ran = self.run_in(&mut slot, plan, io);
        slot.show(&self.root);
        // A root in memory is kept by its mount, so it goes now. If this fails, the next run tries again and reports it.
        let _ = slot.prepare();
        ran
    }

    /// Returns what its programs see.
    pub(crate) fn root(&self) -> &RootView {
        &self.root
    }

    pub(crate) fn disk(&self) -> Option<&Disk> {
        self.disk.as_ref()
    }

    /// Returns whether its programs find something at a path.
    pub fn has(&self, path: &Path) -> bool {
        self.root.has(path)
    }

    /// Returns whether each of its programs has a machine of its own, where nothing of an earlier one is left.
    pub(crate) fn has_machines(&self) -> bool {
        self.machines.is_some()
    }

    /// Returns whether its programs see the host's toolchains.
    pub(crate) fn sees_the_host(&self) -> bool {
        matches!(self.root, RootView::Host { .. })
    }

    fn run_in(&self, slot: &mut Slot, mut plan: RunPlan, mut io: RunIo) -> Result<Ran, SandboxError> {
        plan.cpus = Some(self.cpus_now());
        if io.end_when.is_none() {
            io.end_when.clone_from(&self.end_when);
        }
        match &self.machines {
            Some(machines) => machines.run(slot, &self.root, &plan, io),
            None => slot.run(&plan, io),
        }
    }

    /// Returns the CPUs that have no timed runs now.
    pub fn cpus_now(&self) -> CpuSet {
        self.cpus.now()
    }

    /// Returns the host's user for a role.
    pub fn user(&self, role: Role) -> u32 {
        self.lock().user(role)
    }

    /// A panic elsewhere leaves a slot as it was between two runs, so its lock can be taken anyway.
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
