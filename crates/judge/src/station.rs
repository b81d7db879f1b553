//! The places where programs run: one slot that is timed, one that helps.

use crate::JudgeError;
use machine::{CpuLease, LeaseError, WakefulCpus};
use model::{CpuSet, Nanos, RunResult};
use package::language::Languages;
use probe::{CounterReader, Roots};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use sandbox::{OwnCpus, Ran, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Where leases of CPUs are registered.
const LEASES: &str = "/run/tauto";

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
    timed: Mutex<Timed>,
    helper: Mutex<Slot>,
    timed_cpus: CpuSet,
    helper_cpus: CpuSet,
    languages: Languages,
    warnings: Vec<String>,
    stop: Option<Arc<OwnedFd>>,
    _wakeful: Option<WakefulCpus>,
    _lease: Option<CpuLease>,
}

#[derive(Debug)]
struct Timed {
    slot: Slot,
    counters: CounterReader,
}

impl Station {
    /// Leases CPUs and opens both slots.
    ///
    /// # Errors
    /// When rights are missing or the CPUs asked for are not ours.
    pub fn open(options: StationOptions, languages: Languages) -> Result<Self, JudgeError> {
        let allowed = allowed_cpus()?;
        let mut warnings = Vec::new();
        let mut lease = None;
        let timed_cpus = match options.timed_cpus {
            Some(cpus) => cpus,
            None => match CpuLease::take(Path::new(LEASES), &allowed, 1) {
                Ok(taken) => lease.insert(taken).cpus().clone(),
                Err(LeaseError::Registry { path, source }) => {
                    return Err(JudgeError::File { what: "write", path, source });
                }
                Err(error) => {
                    let shared: CpuSet = allowed.iter().next_back().into_iter().collect();
                    warnings.push(format!("{error}; timed runs share CPU {shared}, so times will spread"));
                    shared
                }
            },
        };
        if !timed_cpus.is_subset(&allowed) || timed_cpus.is_empty() {
            let why = format!("{timed_cpus} is not within the allowed CPUs {allowed}");
            return Err(SandboxError::Plan { field: "CPU list", why }.into());
        }
        let mut helper_cpus = allowed.difference(&timed_cpus);
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
        let own = lease.is_some().then(|| OwnCpus { cpus: timed_cpus.clone(), memory_nodes: Vec::new() });
        let (timed, helper) = (open(own)?, open(None)?);
        let counters = CounterReader::open(&Roots::host(), &timed_cpus);
        // That a CPU may sleep between runs is told by 'tauto machine check'; it is no reason not to judge.
        let wakeful = WakefulCpus::hold(Path::new(WakefulCpus::DEVICE)).into_known();
        Ok(Self {
            timed: Mutex::new(Timed { slot: timed, counters }),
            helper: Mutex::new(helper),
            timed_cpus,
            helper_cpus,
            languages,
            warnings,
            stop: options.stop,
            _wakeful: wakeful,
            _lease: lease,
        })
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

    /// Gives the languages.
    pub fn languages(&self) -> &Languages {
        &self.languages
    }

    /// Says what makes this station weaker than it could be.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Runs a plan in the timed slot, on its CPUs, with evidence.
    ///
    /// # Errors
    /// When we fail.
    pub fn run_timed(&self, mut plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        plan.cpus = Some(self.timed_cpus.clone());
        let mut timed = lock(&self.timed);
        let Timed { slot, counters } = &mut *timed;
        let before = counters.read();
        let mut ran = slot.run(&plan, io)?;
        let after = counters.read();
        let RunResult { evidence, usage, .. } = &mut ran.result;
        after.since(&before).fill(evidence, usage.cpu_time);
        evidence.frequency = counters.frequency();
        Ok(ran)
    }

    /// Runs a submission's program in the timed slot; that it cannot be executed is its own fault.
    ///
    /// # Errors
    /// When we fail.
    pub fn run_program(&self, plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        self.run_timed(plan.clone(), io).or_else(|error| crate::run::not_executable(&plan, error))
    }

    /// Runs a plan in the helper slot.
    ///
    /// # Errors
    /// When we fail.
    pub fn run_helper(&self, mut plan: RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        plan.cpus = Some(self.helper_cpus.clone());
        lock(&self.helper).run(&plan, io)
    }

    /// Leaves the timed CPUs alone for a while, unless everything is to end.
    pub(crate) fn rest(&self, time: Nanos) -> Result<(), SandboxError> {
        let end = Instant::now() + Duration::from_nanos(time.0);
        loop {
            let left = Nanos::from(end.saturating_duration_since(Instant::now()));
            if left == Nanos::ZERO {
                return Ok(());
            }
            let timeout = Timespec {
                tv_sec: (left.0 / 1_000_000_000) as i64,
                tv_nsec: (left.0 % 1_000_000_000) as i64,
            };
            let mut polled: Vec<_> = self.stop.iter().map(|stop| PollFd::new(stop, PollFlags::IN)).collect();
            match rustix::event::poll(&mut polled, Some(&timeout)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Err(SandboxError::Interrupted),
                Err(error) => {
                    return Err(SandboxError::System { what: "wait between two runs", source: error.into() });
                }
            }
        }
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

fn allowed_cpus() -> Result<CpuSet, JudgeError> {
    let set = rustix::thread::sched_getaffinity(None)
        .map_err(|error| SandboxError::System { what: "read the allowed CPUs", source: error.into() })?;
    let numbers = 0..rustix::thread::CpuSet::MAX_CPU;
    Ok(numbers.filter(|cpu| set.is_set(*cpu)).map(|cpu| model::CpuId(cpu as u32)).collect())
}

fn language_mounts(languages: &Languages) -> Vec<PathBuf> {
    let mut mounts: Vec<PathBuf> =
        languages.iter().flat_map(|language| language.mounts().iter().cloned()).collect();
    mounts.sort();
    mounts.dedup();
    mounts
}
