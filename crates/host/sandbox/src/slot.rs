//! A slot: a place where one program at a time runs.

mod options;
use crate::building::{self, Built, build, until_it_stays};
use crate::child::Report;
use crate::emulated;
use crate::guard::{Guard, Hold};
use crate::own_limits::OwnLimits;
use crate::pause::Pause;
use crate::plan::{Role, RunPlan};
use crate::process::HelperProcess;
use crate::protocol::{self, Answer, Errand, Request, Step};
use crate::root::RootView;
use crate::slot_number::{self, SlotNumber};
use crate::streams::{OpenIo, RunIo};
use crate::supervise::{Ran, Supervision};
use crate::sys::SharedPage;
use crate::watchdog::Urgency;
use crate::{ReferenceTime, SandboxError, request, workspace};
use cgroup::{CgroupError, Clock, Counting, GroupLimits, SlotGroups};
use counter::Counts;
use model::{Bytes, CpuSet, Nanos, Reading};
pub(crate) use options::step_failed;
pub use options::{SlotCpus, SlotOptions};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long leftovers of a run may take to disappear before everything is rebuilt.
const LEFTOVER_TIME_MAX: Duration = Duration::from_millis(300);

/// A place where one program at a time runs: a lock, control groups, users and a launcher.
#[derive(Debug)]
pub struct Slot {
    place: SlotNumber,
    groups: SlotGroups,
    launcher: HelperProcess,
    /// The report of the present run, which its launcher and it write.
    report: SharedPage<Report>,
    post: Option<Post>,
    buffer: Vec<u8>,
    pause: Pause,
    options: SlotOptions,
    /// Whether something of the last run may be left that only a new container removes.
    dirty: bool,
    /// Whether the last run could not be ended, so that it keeps the place, the groups and the launcher.
    occupied: bool,
    /// Places that were abandoned because of such runs.
    given_up: Vec<SlotNumber>,
    /// Folders that runs could write. Files in others were not charged to this slot, and must not count as leftovers of
    /// a run.
    written: Vec<PathBuf>,
    own_limits: OwnLimits,
    /// The memory in which runs under an emulator count; the same for all, so that its number tells none of them about another.
    counts: Option<Counts>,
}

/// The CPUs for which a guard was last requested, and the guard, or why there is none.
#[derive(Debug)]
struct Post {
    cpus: CpuSet,
    guard: Result<Guard, String>,
}

impl Slot {
    /// One core rarely has a larger part of a last-level cache, and writing more would take a tenth of a second.
    pub const WARM_MEMORY_MAX: Bytes = Bytes::from_mib(64);

    /// Takes the first free slot of the machine and starts its launcher.
    pub fn open(options: SlotOptions) -> Result<Self, SandboxError> {
        slot_number::prepare()?;
        let (place, Built { groups, launcher, report }) =
            until_it_stays(SandboxError::is_lost_at_once, || {
                SlotNumber::take(|place| build(place, &options))
            })?;
        Ok(Self {
            place,
            groups,
            launcher,
            report,
            post: None,
            buffer: Vec::new(),
            pause: Pause::default(),
            options,
            dirty: false,
            occupied: false,
            given_up: Vec::new(),
            written: Vec::new(),
            own_limits: OwnLimits::read(),
            counts: None,
        })
    }

    /// Rebuilds everything, so that nothing left by a run reaches the next one.
    fn renew(&mut self) -> Result<(), SandboxError> {
        // If this fails half-way, the next run tries it again.
        self.dirty = true;
        self.post = None;
        if self.occupied {
            self.launcher.abandon();
            self.groups.release_cpus();
            let (place, built) = SlotNumber::take(|place| build(place, &self.options))?;
            self.given_up.push(std::mem::replace(&mut self.place, place));
            self.occupied = false;
            self.move_to(built);
        } else {
            self.launcher.end();
            self.groups.remove()?;
            let built = build(&self.place, &self.options)?;
            self.move_to(built);
        }
        self.dirty = false;
        self.written.clear();
        Ok(())
    }

    fn move_to(&mut self, built: Built) {
        // What the last launcher's run has left is unusual for the next one's.
        built.report.numbers.continue_from(&self.report.numbers);
        Built { groups: self.groups, launcher: self.launcher, report: self.report } = built;
    }

    /// Begins a run in the groups, once they are free of leftovers of an earlier one. If others have removed them, they
    /// are made again.
    fn begin(&mut self, limits: &GroupLimits) -> Result<(), SandboxError> {
        if self.dirty {
            self.renew()?;
        }
        let start = Instant::now();
        loop {
            match self.groups.begin(limits, workspace::bytes_in_use(&self.written)) {
                Err(CgroupError::StillCharged { .. }) if start.elapsed() < LEFTOVER_TIME_MAX => {
                    self.groups.reclaim();
                    std::thread::yield_now();
                }
                Err(CgroupError::StillPopulated { path }) => {
                    return Err(CgroupError::StillPopulated { path }.into());
                }
                Err(_) => return self.begin_anew(limits),
                Ok(()) => return Ok(()),
            }
        }
    }

    fn begin_anew(&mut self, limits: &GroupLimits) -> Result<(), SandboxError> {
        until_it_stays(SandboxError::is_lost_place, || {
            self.renew()?;
            Ok(self.groups.begin(limits, Bytes(0))?)
        })
    }

    /// Sets the root that runs see from now on. A different one needs a new container.
    pub fn show(&mut self, root: &RootView) {
        if self.options.root != *root {
            self.options.root = root.clone();
            self.dirty = true;
        }
    }

    /// Makes the new container now, if one is due. Until then the old one keeps the mounts of its root.
    pub fn prepare(&mut self) -> Result<(), SandboxError> {
        if self.dirty { self.renew() } else { Ok(()) }
    }

    pub fn user(&self, role: Role) -> u32 {
        self.place.user(role)
    }

    /// Returns what ends its runs when it becomes readable.
    pub fn stop(&self) -> Option<Arc<OwnedFd>> {
        self.options.stop.clone()
    }

    pub fn pause(&self) -> Pause {
        self.pause.clone()
    }

    pub fn index(&self) -> u32 {
        self.place.index
    }

    /// Returns the PID of the launcher, whose children are the runs; after a run another launcher may have replaced it.
    pub fn launcher(&self) -> u32 {
        self.launcher.id()
    }

    /// Runs a program to its end.
    ///
    /// # Errors
    /// On an internal failure. A program that crashes or exceeds a limit is a result.
    pub fn run(&mut self, plan: &RunPlan, io: RunIo) -> Result<Ran, SandboxError> {
        self.run_with(plan, io, None)
    }

    /// Runs a program to its end with a guard, which holds it while its core is contended. If a guard is not possible,
    /// the evidence contains the reason, and the program runs as usual.
    pub fn run_guarded(&mut self, plan: &RunPlan, io: RunIo, hold: Hold) -> Result<Ran, SandboxError> {
        self.run_with(plan, io, Some(Hold { patience: hold.patience.min(Hold::PATIENCE_MAX), ..hold }))
    }

    /// Starts a guard for runs on these CPUs; starting it just before a run would delay that by some ms.
    pub fn post_guard(&mut self, cpus: &CpuSet) {
        let is_there = |post: &Post| post.cpus == *cpus && !post.guard.as_ref().is_ok_and(Guard::has_ended);
        if !self.post.as_ref().is_some_and(is_there) {
            self.post = None;
            let guard = self.start_guard(cpus);
            self.post = Some(Post { cpus: cpus.clone(), guard });
        }
    }

    fn start_guard(&self, cpus: &CpuSet) -> Result<Guard, String> {
        if self.options.cpus.own.is_none() {
            return Err("a guard would be in others' way: the CPU is not the run's own".to_owned());
        }
        let [cpu] = cpus.iter().collect::<Vec<_>>()[..] else {
            return Err("a guard is on one CPU, and the run may be on several".to_owned());
        };
        Guard::start(cpu.0, &self.groups)
    }

    fn run_with(&mut self, plan: &RunPlan, io: RunIo, hold: Option<Hold>) -> Result<Ran, SandboxError> {
        let (io, theirs) = io.open()?;
        let counts = self.take_counts(plan)?;
        self.begin(&group_limits(plan))?;
        if hold.is_some() {
            self.post_guard(plan.cpus.as_ref().unwrap_or(&CpuSet::new()));
        }
        // Reset on success: a dead launcher must not be used again.
        self.dirty = true;
        // What may be written belongs to a build, and may be nested without end.
        for mount in plan.mounts.iter().filter(|mount| !mount.writable) {
            workspace::make_ageless(&mount.source)?;
        }
        self.written.retain(|folder| folder.exists());
        for mount in plan.mounts.iter().filter(|mount| mount.writable) {
            if !self.written.contains(&mount.source) {
                self.written.push(mount.source.clone());
            }
        }
        let paused_before = self.pause.enter(self.groups.run_group(), self.groups.members());
        let ran = self.run_in_groups(plan, (io, theirs), counts.as_ref(), hold, paused_before);
        // At once: its memory is charged to this run, and would be a leftover.
        if let Some(counts) = counts
            && !self.occupied
            && counts.clear().is_ok()
        {
            self.counts = Some(counts);
        }
        self.pause.leave();
        ran
    }

    /// Takes the memory for the count of a run under an emulator.
    fn take_counts(&mut self, plan: &RunPlan) -> Result<Option<Counts>, SandboxError> {
        if plan.emulator().is_none() {
            return Ok(None);
        }
        self.counts.take().map_or_else(emulated::counts, Ok).map(Some)
    }

    fn start(
        &mut self,
        plan: &RunPlan,
        streams: &[OwnedFd; 3],
        counts: Option<&Counts>,
    ) -> Result<(OwnedFd, Urgency), SandboxError> {
        let clock_events = self.groups.clock().map_or(0, |clock| clock.descriptors().len());
        let into_cgroup = self.groups.clone_target().is_some();
        let (request, mounts) = request::make(plan, clock_events, into_cgroup, &self.own_limits)?;
        let urgency = Urgency::begin();
        let mut fds: Vec<_> = streams.iter().map(AsFd::as_fd).collect();
        fds.extend(emulated::descriptors(counts)?);
        fds.extend(self.groups.clock().into_iter().flat_map(Clock::descriptors));
        fds.extend(self.groups.clone_target());
        fds.extend(mounts.iter().map(AsFd::as_fd));
        self.send(&Request::Run(Box::new(request)), &fds, "send the run to the launcher")?;
        let program = plan.argv.first().map_or("", String::as_str);
        match self.receive()? {
            (Answer::Started, mut fds) => fds
                .pop()
                .map(|init| (init, urgency))
                .ok_or_else(|| SandboxError::LauncherDied("it sent no handle of the run".to_owned())),
            (Answer::Failed { step, errno }, _) => Err(self.give_up(step, errno, program)),
            _ => Err(SandboxError::LauncherDied("it answered out of turn".to_owned())),
        }
    }

    fn run_in_groups(
        &mut self,
        plan: &RunPlan,
        (io, theirs): (OpenIo, [OwnedFd; 3]),
        counts: Option<&Counts>,
        hold: Option<Hold>,
        mut paused_before: Duration,
    ) -> Result<Ran, SandboxError> {
        let mut is_lost = false;
        let (init, urgency) = until_it_stays(SandboxError::is_lost_place, || {
            // The program has not run yet, so this is not noticeable.
            if is_lost {
                self.begin(&group_limits(plan))?;
                self.dirty = true;
                paused_before = self.pause.enter(self.groups.run_group(), self.groups.members());
                if hold.is_some() {
                    self.post_guard(plan.cpus.as_ref().unwrap_or(&CpuSet::new()));
                }
            }
            is_lost = true;
            self.start(plan, &theirs, counts)
        })?;
        drop(theirs);
        let program = plan.argv.first().map_or("", String::as_str);
        let mut supervision =
            Supervision::new(&self.groups, plan, io, init, self.options.stop.clone(), &self.report);
        supervision.paused_by(&self.pause, paused_before);
        supervision.counted_by(counts);
        let guard = hold.and(self.post.as_ref()).map(|post| &post.guard);
        if let (Some(hold), Some(Ok(guard))) = (hold, guard) {
            guard.watch(hold, &self.groups)?;
            supervision.guarded_by(guard, hold);
        }
        let mut no_guard = guard.and_then(|guard| guard.as_ref().err().cloned());
        let watched = supervision.watch(&self.launcher.socket, urgency);
        self.occupied = matches!(watched, Err(SandboxError::NotEnded { .. }));
        let io = supervision.into_io();
        let seen = match (hold, &mut self.post) {
            (Some(_), Some(Post { guard: Ok(guard), .. })) => match guard.end_watch() {
                Ok(seen) => Some(seen),
                // The run was as one without a guard is. The next run gets another one.
                Err(lost) => {
                    no_guard = Some(lost.why);
                    self.post = None;
                    Some(lost.report)
                }
            },
            _ => None,
        };
        watched?;
        let (ended, used) = match self.receive() {
            Ok((Answer::Ended(ended), _)) => {
                let used = self.groups.finish()?;
                self.dirty = false;
                (ended, used)
            }
            Ok((Answer::Failed { step, errno }, _)) => return Err(self.give_up(step, errno, program)),
            Ok(_) => return Err(SandboxError::LauncherDied("it answered out of turn".to_owned())),
            // At a limit of a few MiB the launcher is the largest process of the group, and the one that the kernel kills.
            Err(error @ SandboxError::LauncherDied(_)) => match self.groups.finish() {
                Ok(used) if used.oom_kills > 0 => (self.report.ended(), used),
                _ => return Err(error),
            },
            Err(error) => return Err(error),
        };
        let paused = self.pause.since(paused_before);
        let mut ran = io.conclude(plan, &ended, &used, counts, seen, paused)?;
        if let Some(why) = no_guard {
            ran.result.evidence.guard = Reading::Unavailable(why);
        }
        Ok(ran)
    }

    /// Runs the contention probe on these CPUs, under the conditions of a run. It takes some 6 ms on a calm core.
    pub fn pace(&mut self, cpus: &CpuSet) -> Result<Nanos, SandboxError> {
        Ok(self.errand(Errand::Pace, cpus)?[0])
    }

    /// Does a fixed amount of work on these CPUs, under the conditions of a run, which takes some 6 ms, and returns how
    /// long it took; `None` if there was too little memory for it.
    pub fn reference(&mut self, cpus: &CpuSet) -> Result<Option<ReferenceTime>, SandboxError> {
        let [compute, cache, memory, wall] = self.errand(Errand::Reference, cpus)?;
        Ok((memory > Nanos::ZERO).then_some(ReferenceTime { compute, cache, memory, wall }))
    }

    /// Brings as much of the memory that a run on these CPUs would get first into their caches, as if a run of the same
    /// program had just ended, up to [`Self::WARM_MEMORY_MAX`]. Returns how long it took.
    pub fn warm_memory(&mut self, cpus: &CpuSet, memory: Bytes) -> Result<Nanos, SandboxError> {
        let bytes = memory.min(Self::WARM_MEMORY_MAX).0;
        Ok(self.errand(Errand::WarmMemory { bytes }, cpus)?[0])
    }

    fn errand(&mut self, errand: Errand, cpus: &CpuSet) -> Result<[Nanos; 4], SandboxError> {
        until_it_stays(SandboxError::is_lost_place, || self.errand_once(errand, cpus))
    }

    fn errand_once(&mut self, errand: Errand, cpus: &CpuSet) -> Result<[Nanos; 4], SandboxError> {
        // A group in which a run was killed cannot be used until it is prepared again.
        self.begin(&GroupLimits { cpus: Some(cpus.clone()), ..GroupLimits::default() })?;
        self.dirty = true;
        let group: Vec<_> = self.groups.clone_target().into_iter().collect();
        let cpus = cpus.iter().map(|cpu| cpu.0).collect();
        let request = Request::Errand { errand, cpus, into_cgroup: !group.is_empty() };
        self.send(&request, &group, "send an errand to the launcher")?;
        match self.receive()? {
            (Answer::Done { times_ns }, _) => {
                self.groups.finish()?;
                self.dirty = false;
                Ok(times_ns.map(Nanos))
            }
            (Answer::Failed { step, errno }, _) => Err(self.give_up(step, errno, "")),
            _ => Err(SandboxError::LauncherDied("it answered out of turn".to_owned())),
        }
    }

    fn send(
        &self,
        request: &Request,
        fds: &[BorrowedFd<'_>],
        what: &'static str,
    ) -> Result<(), SandboxError> {
        protocol::send(&self.launcher.socket, request, fds).map_err(|error| match error.kind() {
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => building::launcher_died(&self.launcher),
            _ => SandboxError::System { what, source: error },
        })
    }

    fn receive(&mut self) -> Result<(Answer, Vec<OwnedFd>), SandboxError> {
        building::receive(&self.launcher, &mut self.buffer)
    }

    fn give_up(&mut self, step: Step, errno: i32, program: &str) -> SandboxError {
        let failure = step_failed(step, errno, program);
        match self.groups.finish() {
            // A program that cannot be executed leaves nothing behind.
            Ok(_) => {
                self.dirty = step != Step::Exec;
                failure
            }
            Err(error) => error.into(),
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.post = None;
        if self.occupied {
            self.launcher.abandon();
            self.groups.release_cpus();
            return;
        }
        self.launcher.end();
        // What cannot be removed now is removed the next time the slot is opened.
        let _ = self.groups.remove();
    }
}

pub(crate) fn group_limits(plan: &RunPlan) -> GroupLimits {
    let clock = plan.counter.as_ref().and_then(|counter| counter.clock(plan.limits.instructions));
    GroupLimits {
        memory: plan.limits.memory.map(|memory| emulated::memory(plan, memory)),
        processes: plan.limits.processes.map(|processes| emulated::processes(plan, processes)),
        cpus: plan.cpus.clone(),
        // A processor has few counters, and the clock's come first.
        counting: if clock.is_some() { Counting::Nothing } else { plan.counting },
        clock,
    }
}
