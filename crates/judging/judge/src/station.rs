//! The places where programs run: timed places, each with slots for helpers.

use crate::activity::Activity;
use crate::roots::Roots;
use crate::tools::Disk;
use crate::{Helper, JudgeError};
use languages::Languages;
use microvm::Machines;
use model::{Baseline, CpuSet, Nanos, Reading, Topology};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::OwnedFd;
use sandbox::{Ran, RootView, RunIo, RunPlan, SandboxError};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use timing::{Choice, Helpers, IfTaken, PlaceError, PlaceOptions, Places, TimedCpus, TimedPlace};

#[derive(Clone, Debug, Default)]
pub struct StationOptions {
    /// CPUs for the runs of the first place; `None` for any CPU.
    pub timed_cpus: Option<CpuSet>,
    pub if_taken: IfTaken,
    /// How many places to open.
    pub places: Places,
    /// How many are useful; `None` for no limit.
    pub places_max: Option<NonZeroUsize>,
    /// What is seen in place of the host's toolchains.
    pub root: Option<Toolchains>,
    /// When this becomes readable, everything stops.
    pub stop: Option<Arc<OwnedFd>>,
}

/// A root file system tree with compilers and interpreters.
#[derive(Clone, Debug)]
pub struct Toolchains {
    pub tree: PathBuf,
    /// The tree as one file, if there is one.
    pub disk: Option<Disk>,
    /// The digest of the image that the tree is, if it is one.
    pub image: Option<String>,
    /// What compilers and submissions get machines of their own from.
    pub machines: Option<Arc<Machines>>,
}

#[derive(Debug)]
pub struct Station {
    places: Vec<Arc<Place>>,
    languages: Arc<Languages>,
    image: Option<String>,
    machines: Option<Arc<Machines>>,
    warnings: Vec<String>,
}

/// One timed place. Submissions run on its CPUs; compilers, checkers and interactors run on those of its helpers.
#[derive(Debug)]
pub struct Place {
    timed: Mutex<TimedPlace>,
    cpus: CpuSet,
    helpers: Helpers,
    helper: Helper,
    /// The compilers' slots, one for each root that programs see, so that no check waits for a compiler.
    compilers: Arc<Mutex<Roots<Helper>>>,
    /// The interactor's slot, so that a conversation never waits; opened when it is first needed.
    interactor: OnceLock<Helper>,
    root: RootView,
    /// The helpers, of any place, that share a cache and a path to memory with it.
    near: Vec<(Helper, Arc<Mutex<Roots<Helper>>>)>,
    languages: Arc<Languages>,
    machines: Option<Arc<Machines>>,
    /// The root as one file, if it is one.
    disk: Option<Disk>,
    /// Everything active at all places.
    activity: Activity,
    stop: Option<Arc<OwnedFd>>,
}

impl Station {
    pub fn open(mut options: StationOptions, languages: Languages) -> Result<Self, JudgeError> {
        let first = options.timed_cpus.take().map_or(Choice::Leased(NonZeroU32::MIN), Choice::Named);
        let most = options.places_max.unwrap_or(NonZeroUsize::MAX);
        let host = timing::host_cpus().map_err(PlaceError::from)?;
        let cpus = options.places.take(&host, (&first, &options.if_taken), most)?;
        Self::on(cpus, options, languages)
    }

    /// Opens the slots on CPUs that are already taken, a place on each.
    pub fn on(
        cpus: Vec<TimedCpus>,
        options: StationOptions,
        languages: Languages,
    ) -> Result<Self, JudgeError> {
        let image = options.root.as_ref().and_then(|toolchains| toolchains.image.clone());
        let machines = options.root.as_ref().and_then(|toolchains| toolchains.machines.clone());
        let disk = options.root.as_ref().and_then(|toolchains| toolchains.disk.clone());
        let root = match options.root {
            Some(toolchains) => RootView::Tree(toolchains.tree),
            None => RootView::Host { extra: language_mounts(&languages) },
        };
        let topology = cpus.first().map(|cpus| cpus.host().topology().clone());
        let mut places = Vec::with_capacity(cpus.len());
        let (languages, activity) = (Arc::new(languages), Activity::default());
        for cpus in cpus {
            let shared = (Arc::clone(&languages), activity.clone(), machines.clone(), disk.clone());
            places.push(Place::open(cpus, root.clone(), options.stop.clone(), shared)?);
        }
        let mut warnings: Vec<String> = Vec::new();
        for warning in places.iter().flat_map(|place| lock(&place.timed).warnings().to_vec()) {
            if !warnings.contains(&warning) {
                warnings.push(warning);
            }
        }
        note_neighbours(&mut places, &topology.unwrap_or_default());
        let places = places.into_iter().map(Arc::new).collect();
        Ok(Self { places, languages, image, machines, warnings })
    }

    /// Closes the slots and returns the CPUs of the places, still taken; `None` if something else still holds a place.
    pub(crate) fn into_cpus(self) -> Option<Vec<TimedCpus>> {
        let timed = self.places.into_iter().map(|place| Some(Arc::into_inner(place)?.timed));
        let cpus =
            timed.map(|timed| Some(timed?.into_inner().unwrap_or_else(PoisonError::into_inner).into_cpus()));
        cpus.collect()
    }

    /// Compares each timed run with the usual values of its CPUs.
    pub fn compare_with(&self, usual: impl Fn(&CpuSet) -> Reading<Baseline>) {
        for place in &self.places {
            place.timed().compare_with(usual(&place.cpus));
        }
    }

    pub fn places(&self) -> &[Arc<Place>] {
        &self.places
    }

    /// Returns whether other timed runs may use some of its CPUs as well.
    pub fn is_shared(&self) -> bool {
        self.places.iter().any(|place| place.timed().is_shared())
    }

    pub fn timed_cpus(&self) -> CpuSet {
        self.places.iter().flat_map(|place| place.cpus.iter()).collect()
    }

    /// Returns the CPUs for everything else, including this process, as of the opening of the station.
    pub fn helper_cpus(&self) -> CpuSet {
        self.places.iter().flat_map(|place| place.helpers.cpus().iter().collect::<Vec<_>>()).collect()
    }

    /// Returns a slot for untimed work that belongs to no submission.
    pub fn helper(&self) -> &Helper {
        &self.places[0].helper
    }

    pub fn languages(&self) -> &Languages {
        &self.languages
    }

    /// Returns the digest of the image whose toolchains are used; `None` where it is no image.
    pub fn image(&self) -> Option<&str> {
        self.image.as_deref()
    }

    /// Returns what compilers and submissions get machines of their own from; `None` where they have none.
    pub fn machines(&self) -> Option<&Machines> {
        self.machines.as_deref()
    }

    /// Returns what makes this station weaker than it could be.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Place {
    fn open(
        cpus: TimedCpus,
        root: RootView,
        stop: Option<Arc<OwnedFd>>,
        (languages, activity, machines, disk): (
            Arc<Languages>,
            Activity,
            Option<Arc<Machines>>,
            Option<Disk>,
        ),
    ) -> Result<Self, JudgeError> {
        let options = PlaceOptions {
            stop: stop.clone(),
            machines: machines.clone(),
            ..PlaceOptions::new(root.clone())
        };
        let timed = TimedPlace::on(cpus, options)?;
        let helpers = timed.helpers().clone();
        let helper = Helper::open(root.clone(), stop.clone(), helpers.clone())?.with_disk(disk.clone());
        Ok(Self {
            cpus: timed.cpus().clone(),
            timed: Mutex::new(timed),
            helpers,
            helper,
            compilers: Arc::default(),
            interactor: OnceLock::new(),
            root,
            near: Vec::new(),
            languages,
            machines,
            disk,
            activity,
            stop,
        })
    }

    pub fn cpus(&self) -> &CpuSet {
        &self.cpus
    }

    pub fn helper(&self) -> &Helper {
        &self.helper
    }

    pub(crate) fn interactor(&self) -> Result<&Helper, JudgeError> {
        if let Some(interactor) = self.interactor.get() {
            return Ok(interactor);
        }
        let made = Helper::open(self.root.clone(), self.stop.clone(), self.helpers.clone())?;
        Ok(self.interactor.get_or_init(|| made))
    }

    /// Returns the slot for compilers that see this root, or the station's.
    pub(crate) fn compiler_in(&self, root: Option<&Path>) -> Result<Helper, JudgeError> {
        let disk = if root.is_none() { self.disk.clone() } else { None };
        let open = |root| {
            let made = Helper::open_in(self.machines.clone(), root, self.stop.clone(), self.helpers.clone());
            Ok(made?.with_disk(disk))
        };
        lock(&self.compilers).get(&self.root_view(root), open)
    }

    fn root_view(&self, root: Option<&Path>) -> RootView {
        root.map_or_else(|| self.root.clone(), |root| RootView::Tree(root.to_owned()))
    }

    /// Returns whether helpers have CPUs now without using those of timed runs.
    pub(crate) fn helpers_are_elsewhere(&self) -> bool {
        !self.helpers.now().meets(&self.cpus)
    }

    /// Returns the helpers, of any place, that share a cache and a path to memory with this one.
    pub(crate) fn near(&self) -> Vec<Helper> {
        let near = self.near.iter().flat_map(|(helper, compilers)| {
            let others: Vec<Helper> = lock(compilers).iter().cloned().collect();
            std::iter::once(helper.clone()).chain(others)
        });
        near.collect()
    }

    pub(crate) fn activity(&self) -> &Activity {
        &self.activity
    }

    pub(crate) fn languages(&self) -> &Languages {
        &self.languages
    }

    /// Returns the descriptor that becomes readable when everything should stop.
    pub(crate) fn stop(&self) -> Option<&OwnedFd> {
        self.stop.as_deref()
    }

    pub(crate) fn is_to_stop(&self) -> bool {
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        self.stop.as_ref().is_some_and(|stop| {
            rustix::event::poll(&mut [PollFd::new(stop, PollFlags::IN)], Some(&at_once)) == Ok(1)
        })
    }

    pub(crate) fn timed(&self) -> MutexGuard<'_, TimedPlace> {
        lock(&self.timed)
    }

    /// Runs a submission's program on the place's CPUs, with evidence. It may be held for this long while its core is
    /// contended. If it cannot be executed, that is its own failure.
    pub fn run_program(&self, plan: &RunPlan, io: RunIo, hold: Nanos) -> Result<Ran, SandboxError> {
        self.run_in(None, plan, io, hold)
    }

    /// Does a fixed amount of work where timed runs are, and returns its CPU time, if there was memory for it: it shows
    /// later whether the machine has become slower. Waits for the present run.
    pub fn reference_time(&self) -> Result<Option<Nanos>, SandboxError> {
        let reference = self.timed().reference()?;
        Ok(reference.map(|time| Nanos(time.compute.0 + time.cache.0 + time.memory.0)))
    }

    /// Does what only the first run of a kind does, where runs have machines.
    pub(crate) fn make_ready(&self, root: Option<&Path>, plan: &RunPlan) -> Result<(), SandboxError> {
        let mut timed = self.timed();
        let slot = timed.slot();
        slot.show(&self.root_view(root));
        slot.make_ready(plan)
    }

    /// Runs a submission's program as [`run_program`](Self::run_program) does, with another root. Dedicated CPUs belong to a single slot, so there is one timed slot, which is
    /// rebuilt when the root changes.
    pub(crate) fn run_in(
        &self,
        root: Option<&Path>,
        plan: &RunPlan,
        io: RunIo,
        hold: Nanos,
    ) -> Result<Ran, SandboxError> {
        let mut timed = self.timed();
        let slot = timed.slot();
        slot.show(&self.root_view(root));
        let ran = slot.run_held(plan, io, hold);
        ran.or_else(|error| crate::run::not_executable(plan, error))
    }
}

/// Records for each place which helpers are near it; if the machine's caches are not known, all are.
fn note_neighbours(places: &mut [Place], topology: &Topology) {
    let domains: Vec<CpuSet> = topology.l3_domains.iter().map(|domain| domain.cpus.clone()).collect();
    let of_place =
        |place: &Place| (place.helpers.cpus().clone(), (place.helper.clone(), Arc::clone(&place.compilers)));
    let helpers: Vec<_> = places.iter().map(of_place).collect();
    for place in places {
        let own: Vec<&CpuSet> = domains.iter().filter(|domain| domain.meets(&place.cpus)).collect();
        let is_near = |cpus: &CpuSet| own.is_empty() || own.iter().any(|domain| domain.meets(cpus));
        place.near =
            helpers.iter().filter(|(cpus, ..)| is_near(cpus)).map(|(_, near)| near.clone()).collect();
    }
}

/// A panic elsewhere leaves a slot as it was between two runs, so its lock can be taken anyway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn language_mounts(languages: &Languages) -> Vec<PathBuf> {
    let mut mounts: Vec<PathBuf> =
        languages.iter().flat_map(|language| language.mounts.iter().cloned()).collect();
    mounts.sort();
    mounts.dedup();
    mounts
}
