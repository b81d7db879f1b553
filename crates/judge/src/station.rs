//! The places where programs run: one slot that is timed, one that helps.

use crate::JudgeError;
use crate::run::Repeats;
use crate::timed_slot::{TimedSlot, Waited, note_slowdown, rest};
use machine::{CpuLease, LeaseError, QuietCpus, Registry};
use model::{CpuSet, Nanos, Reading, RunResult, Slowdown, Usual};
use package::language::Languages;
use ruling::TimeRule;
use rustix::fd::OwnedFd;
use sandbox::{OwnCpus, Ran, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use sched::Request;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How a station is made.
#[derive(Clone, Debug, Default)]
pub struct StationOptions {
    /// CPUs for timed runs; `None` leases one.
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
    timed: Mutex<TimedSlot>,
    helper: Mutex<Slot>,
    timed_cpus: CpuSet,
    helper_cpus: CpuSet,
    languages: Languages,
    warnings: Vec<String>,
    stop: Option<Arc<OwnedFd>>,
    _quiet: QuietCpus,
    _lease: Option<CpuLease>,
}

impl Station {
    /// Leases CPUs and opens both slots.
    ///
    /// # Errors
    /// When rights are missing or the CPUs asked for are not ours.
    pub fn open(options: StationOptions, languages: Languages) -> Result<Self, JudgeError> {
        let registry = Registry::here()?;
        let allowed = registry.topology().allowed.clone();
        let named = options.timed_cpus.as_ref();
        if let Some(cpus) = named.filter(|cpus| cpus.is_empty() || !cpus.is_subset(&allowed)) {
            let why = format!("{cpus} is not within the allowed CPUs {allowed}");
            return Err(SandboxError::Plan { field: "CPU list", why }.into());
        }
        let mut warnings = registry.warnings().to_vec();
        let lease = match named {
            Some(cpus) => registry.take_these(cpus),
            None => registry.take(&Request::timed(NonZeroU32::MIN)),
        };
        let lease = match lease {
            Ok(lease) => {
                warnings.extend(lease.warnings().iter().cloned());
                Some(lease)
            }
            Err(error @ (LeaseError::NoFit(..) | LeaseError::Taken { .. })) => {
                warnings.push(format!("{error}; timed runs share CPUs, so times will spread"));
                None
            }
            Err(error) => return Err(error.into()),
        };
        let timed_cpus = match (&lease, options.timed_cpus) {
            (Some(lease), _) => lease.cpus().clone(),
            (None, Some(cpus)) => cpus,
            (None, None) => allowed.iter().next_back().into_iter().collect(),
        };
        let taken = lease.as_ref().map_or_else(|| timed_cpus.clone(), CpuLease::whole_cores);
        let mut helper_cpus = allowed.difference(&taken);
        if helper_cpus.is_empty() {
            warnings.push(
                "there is no CPU besides the timed one, so compiling and checking wait for runs".to_owned(),
            );
            helper_cpus = allowed;
        }
        let root = match options.root {
            Some(tree) => RootView::Tree(tree),
            None => RootView::Host { extra: language_mounts(&languages) },
        };
        let open = |own_cpus| {
            Slot::open(SlotOptions { stop: options.stop.clone(), own_cpus, ..SlotOptions::new(root.clone()) })
        };
        // Shared CPUs are nobody's own.
        let own = lease
            .as_ref()
            .map(|lease| OwnCpus { cpus: lease.whole_cores(), memory_nodes: lease.memory_nodes().to_vec() });
        let (timed, helper) = (open(own)?, open(None)?);
        let own = lease.as_ref().map_or_else(CpuSet::new, CpuLease::whole_cores);
        let quiet = QuietCpus::hold(&registry, &own);
        warnings.extend(quiet.warnings().iter().cloned());
        Ok(Self {
            timed: Mutex::new(TimedSlot::new(timed, &timed_cpus)),
            helper: Mutex::new(helper),
            timed_cpus,
            helper_cpus,
            languages,
            warnings,
            stop: options.stop,
            _quiet: quiet,
            _lease: lease,
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

    /// Gives the CPUs for everything else, this process included.
    pub fn helper_cpus(&self) -> &CpuSet {
        &self.helper_cpus
    }

    /// Says whether checks can go on beside timed runs without taking their CPU.
    pub fn can_overlap(&self) -> bool {
        self.helper_cpus.intersection(&self.timed_cpus).is_empty()
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
        let ran = lock(&self.timed).run_held(&plan, io, hold);
        ran.or_else(|error| crate::run::not_executable(&plan, error))
    }

    /// Runs a plan in the helper slot.
    ///
    /// # Errors
    /// When we fail.
    pub fn run_helper(&self, mut plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        plan.cpus = Some(self.helper_cpus.clone());
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
        let mut timed = lock(&self.timed);
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
            note_slowdown(run, before, lock(&self.timed).core_slowdown()?);
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
