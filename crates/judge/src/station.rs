//! The places where programs run: one slot that is timed, one that helps.

use crate::JudgeError;
use crate::run::Repeats;
use model::{CpuSet, Nanos, Reading, RunResult, Slowdown, Usual};
use package::language::Languages;
use ruling::TimeRule;
use rustix::fd::OwnedFd;
use sandbox::{Ran, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use timing::{Choice, Helpers, IfTaken, PlaceOptions, TimedPlace, Waited, note_slowdown, rest};

/// How a station is made.
#[derive(Clone, Debug, Default)]
pub struct StationOptions {
    /// CPUs for timed runs; `None` leases one, or shares where that cannot be.
    pub timed_cpus: Option<CpuSet>,
    /// A root file system tree instead of the host's toolchains.
    pub root: Option<PathBuf>,
    /// When this becomes readable, everything ends.
    pub stop: Option<Arc<OwnedFd>>,
}

/// The places where programs run.
///
/// Submissions run in the timed slot on leased CPUs; compilers, checkers and
/// interactors run in the helper slot on the others.
#[derive(Debug)]
pub struct Station {
    timed: Mutex<TimedPlace>,
    helper: Mutex<Slot>,
    timed_cpus: CpuSet,
    helpers: Helpers,
    languages: Languages,
    warnings: Vec<String>,
    stop: Option<Arc<OwnedFd>>,
}

impl Station {
    /// Leases CPUs and opens both slots.
    ///
    /// # Errors
    /// When rights are missing or the CPUs asked for are not ours.
    pub fn open(options: StationOptions, languages: Languages) -> Result<Self, JudgeError> {
        let root = match options.root {
            Some(tree) => RootView::Tree(tree),
            None => RootView::Host { extra: language_mounts(&languages) },
        };
        let place = TimedPlace::open(PlaceOptions {
            cpus: options.timed_cpus.map_or(Choice::Leased(NonZeroU32::MIN), Choice::Named),
            if_taken: IfTaken::Share,
            stop: options.stop.clone(),
            ..PlaceOptions::new(root.clone())
        })?;
        let helper = Slot::open(SlotOptions { stop: options.stop.clone(), ..SlotOptions::new(root) })?;
        Ok(Self {
            timed_cpus: place.cpus().clone(),
            helpers: place.helpers().clone(),
            warnings: place.warnings().to_vec(),
            timed: Mutex::new(place),
            helper: Mutex::new(helper),
            languages,
            stop: options.stop,
        })
    }

    /// Has each timed run compared with what is usual on its CPUs.
    pub fn compare_with(&self, usual: Reading<Usual>) {
        lock(&self.timed).compare_with(usual);
    }

    /// Gives the CPUs of timed runs.
    pub fn timed_cpus(&self) -> &CpuSet {
        &self.timed_cpus
    }

    /// Gives the CPUs for everything else, this process included, as they were when the station was opened.
    pub fn helper_cpus(&self) -> &CpuSet {
        self.helpers.cpus()
    }

    /// Says whether checks can now go on beside timed runs without taking their CPU.
    pub fn can_overlap(&self) -> bool {
        !self.helpers.now().meets(&self.timed_cpus)
    }

    /// Gives what becomes readable when everything is to end.
    pub(crate) fn stop(&self) -> Option<&OwnedFd> {
        self.stop.as_deref()
    }

    /// Gives the languages.
    pub fn languages(&self) -> &Languages {
        &self.languages
    }

    /// Says what makes this station weaker than it could be.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Runs a submission's program in the timed slot, on its CPUs, with evidence. It may be held for so long while somebody
    /// shares its core. That it cannot be executed is its own fault.
    ///
    /// # Errors
    /// When we fail.
    pub fn run_program(&self, plan: RunPlan, io: RunIo, hold: Nanos) -> Result<Ran, SandboxError> {
        let ran = lock(&self.timed).slot().run_held(&plan, io, hold);
        ran.or_else(|error| crate::run::not_executable(&plan, error))
    }

    /// Runs a plan in the helper slot, on CPUs that nobody times on now.
    ///
    /// # Errors
    /// When we fail.
    pub fn run_helper(&self, mut plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        plan.cpus = Some(self.helpers.now());
        lock(&self.helper).run(&plan, io)
    }

    /// Leaves the timed CPUs alone for as long as the rule says, and then until their core is at its best, as far as the
    /// submission's patience goes; unless everything is to end. Then the memory of a run like the last is warm: repeats begin alike,
    /// whatever ran before.
    pub(crate) fn rest(
        &self,
        rule: &TimeRule,
        runs: &[RunResult],
        repeats: &Repeats,
    ) -> Result<Waited, SandboxError> {
        rest(rule.rest_after(runs.len()), self.stop.as_deref())?;
        if rule.comes_later(runs.len()) {
            repeats.begin_later(rule);
        }
        let mut place = lock(&self.timed);
        let timed = place.slot();
        let waited = timed.wait_until_calm(repeats.patience(), self.stop.as_deref())?;
        repeats.have_waited(waited.time);
        if let Some(last) = runs.last() {
            timed.warm_memory(&last.usage.memory_peak)?;
        }
        Ok(waited)
    }

    /// Notes in the evidence of a run over its limit what the core was like `before` and is now; one within its limit is
    /// final, whatever its core was like.
    pub(crate) fn note_core(
        &self,
        rule: &TimeRule,
        run: &mut RunResult,
        before: Reading<Slowdown>,
    ) -> Result<(), SandboxError> {
        if run.usage.cpu_time > rule.limit {
            note_slowdown(run, before, lock(&self.timed).slot().core_slowdown()?);
        }
        Ok(())
    }

    /// Gives the host's user that a role is in the helper slot.
    pub fn helper_user(&self, role: sandbox::Role) -> u32 {
        lock(&self.helper).user(role)
    }
}

/// A panic elsewhere leaves a slot as it was between two runs, so its lock may be taken all the same.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn language_mounts(languages: &Languages) -> Vec<PathBuf> {
    let mut mounts: Vec<PathBuf> =
        languages.iter().flat_map(|language| language.mounts().iter().cloned()).collect();
    mounts.sort();
    mounts.dedup();
    mounts
}
