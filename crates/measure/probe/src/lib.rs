//! Measures OS noise: what is taken from a program that computes, on each CPU.
//!
//! Two probes after each other. [`quantum`] calls a function whose work is always the same and keeps how long each call
//! took; [`gap`] looks at the time and does nothing else, so that it sees each detour by itself. The kernel's counters
//! are read before and after ([`counts`]), and where its tracing can be had, so are its events ([`events`]).

mod buffer;
mod counts;
mod cpu;
mod events;
mod gap;
mod priority;
mod quantum;
mod tsc;

use audit::TraceError;
use cpu::Job;
use model::{CpuId, CpuSet, Nanos, Reading};
use noise::{CpuProfile, MachineLine, NodeLoad, Profile, TickRate, Ticks};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use system::{Machine, Roots};
use tsc::{Anchor, Clock, KernelClock};

/// The article's T_C in its second figure.
pub const USUAL_QUANTUM: Nanos = Nanos::from_micros(155);
/// The article's number of calls.
pub const USUAL_CALLS: u32 = 100_000;
/// Why there are no calls where none were asked for.
pub const NO_CALLS: &str = "no calls of the counting function were asked for";
/// A first look at the counter's rate, so that the length of a second is known while the exact rate is not.
const FIRST_LOOK: Duration = Duration::from_millis(50);
/// How long a CPU rests before its first call, so that its frequency goes down and the way up can be seen.
const REST: Duration = Duration::from_secs(1);
/// What is shorter beyond an undisturbed turn is not kept.
pub const RESOLUTION: Nanos = Nanos(100);

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// On which CPUs.
    pub cpus: CpuSet,
    /// One after the other, or all at the same time.
    pub load: NodeLoad,
    /// How long the gap loop looks on each.
    pub looking: Nanos,
    /// How long a call of the counting function is to take.
    pub quantum: Nanos,
    /// How often it is called; 0 leaves it out.
    pub calls: u32,
    /// As what the probe runs.
    pub priority: Priority,
    /// Whether the kernel's events are recorded as well.
    pub events: bool,
}

/// As what the probe runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Priority {
    /// As any program: what others take is noise, too.
    Normal,
    /// Before all usual programs, in bursts that end before the kernel would stop them: interrupts, the kernel's own
    /// and the hypervisor's time remain.
    RealTime,
}

/// What is being done, for whoever waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Calls of the counting function; about so long.
    Quanta(CpuSet, Nanos),
    /// The gap loop.
    Gaps(CpuSet, Nanos),
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum NoiseError {
    /// No CPU was named.
    #[error("there is no CPU to measure")]
    NoCpus,
    /// CPUs are not there.
    #[error("cannot measure {}: online are {online}", asked.named())]
    Offline {
        /// What was asked for.
        asked: CpuSet,
        /// What there is.
        online: CpuSet,
    },
    /// CPUs may not be used.
    #[error("this process may not use all of {}: it is kept on {}", asked.named(), allowed.named())]
    NotAllowed {
        /// What was asked for.
        asked: CpuSet,
        /// What may be used.
        allowed: CpuSet,
    },
    /// There is no memory for what will be measured.
    #[error("there is no memory for {0} detours; measure for fewer seconds")]
    NoMemory(usize),
    /// Time does not go on.
    #[error("the machine's clock did not go on while it was measured; measure again")]
    NoClock,
    /// Somebody asked for the end.
    #[error("the probe was asked to end")]
    Asked,
    /// A thread cannot be had.
    #[error("a thread for the measurement cannot be started")]
    Thread(#[source] std::io::Error),
}

/// Why the measurement of one CPU ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// It is on another CPU.
    Moved { to: CpuId, after: Ticks },
    /// Somebody wants it to end.
    Asked,
}

/// Whether somebody wants it to end.
struct Watch<'a> {
    asked: &'a (dyn Fn() -> bool + Sync),
    /// One of the threads has given up, for a reason that stops all.
    failed: AtomicBool,
}

impl Watch<'_> {
    #[inline(always)]
    fn is_over(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || (self.asked)()
    }
}

/// Measures; `tell` hears what is being done, and `asked` says whether it shall end.
///
/// # Errors
/// When the CPUs cannot be used at all. A CPU that goes away in the middle is a reading in the profile.
pub fn measure(
    roots: &Roots,
    plan: &Plan,
    tell: &dyn Fn(Step),
    asked: &(dyn Fn() -> bool + Sync),
) -> Result<Profile, NoiseError> {
    check_cpus(roots, &plan.cpus)?;
    let mut weaknesses = Vec::new();
    #[cfg(target_arch = "x86_64")]
    match tsc::unsteady(roots) {
        None => return measure_with(tsc::Counter, roots, plan, tell, asked, weaknesses),
        Some(why) => weaknesses.push(no_counter(&why)),
    }
    #[cfg(not(target_arch = "x86_64"))]
    weaknesses.push(no_counter("this processor is not of the x86-64 architecture"));
    measure_with(KernelClock, roots, plan, tell, asked, weaknesses)
}

fn no_counter(why: &str) -> String {
    format!(
        "times are of the kernel's clock, not of the processor's counter ({why}), so a turn of the loop takes longer and \
         short detours are less exact"
    )
}

fn check_cpus(roots: &Roots, asked: &CpuSet) -> Result<(), NoiseError> {
    if asked.is_empty() {
        return Err(NoiseError::NoCpus);
    }
    if let Reading::Known(online) =
        system::files::value::<CpuSet>(&roots.sys.join("devices/system/cpu/online"))
        && !asked.is_subset(&online)
    {
        return Err(NoiseError::Offline { asked: asked.clone(), online });
    }
    match system::machine::allowed_cpus(roots) {
        Reading::Known(allowed) if !asked.is_subset(&allowed) => {
            Err(NoiseError::NotAllowed { asked: asked.clone(), allowed })
        }
        _ => Ok(()),
    }
}

fn measure_with<C: Clock>(
    clock: C,
    roots: &Roots,
    plan: &Plan,
    tell: &dyn Fn(Step),
    asked: &(dyn Fn() -> bool + Sync),
    mut weaknesses: Vec<String>,
) -> Result<Profile, NoiseError> {
    let began_unix_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut anchors = vec![Anchor::take(clock)];
    std::thread::sleep(FIRST_LOOK);
    let first = Anchor::take(clock).rate_since(anchors[0])?;
    let groups: Vec<CpuSet> = match plan.load {
        NodeLoad::OneCpu => plan.cpus.iter().map(|cpu| CpuSet::from_iter([cpu])).collect(),
        NodeLoad::AllCpus => vec![plan.cpus.clone()],
    };
    let mut cpus = Vec::new();
    for group in &groups {
        let mut measured = measure_group(clock, roots, plan, (group, first), tell, asked)?;
        anchors.push(Anchor::take(clock));
        for one in &mut measured {
            for weakness in one.weaknesses.drain(..) {
                if !weaknesses.contains(&weakness) {
                    weaknesses.push(weakness);
                }
            }
        }
        cpus.extend(measured.into_iter().map(|one| one.profile));
    }
    let (rate, against) = tsc::rate(&anchors)?;
    weaknesses.extend(against);
    Ok(Profile { machine: machine_line(roots), began_unix_s, load: plan.load, rate, cpus, weaknesses })
}

/// What one CPU gave.
struct Measured {
    profile: CpuProfile,
    weaknesses: Vec<String>,
}

fn measure_group<C: Clock>(
    clock: C,
    roots: &Roots,
    plan: &Plan,
    (group, rate): (&CpuSet, TickRate),
    tell: &dyn Fn(Step),
    asked: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Measured>, NoiseError> {
    let watch = Watch { asked, failed: AtomicBool::new(false) };
    // The main thread is one of those who meet, since it tells what is being done and begins the recording.
    let meeting = Barrier::new(group.len() + 1);
    let origin = Mutex::new(None);
    let (mut tracer, no_events) = match plan.events {
        true => split(events::Recorder::open(roots, group)),
        false => (None, "events were not asked for".to_owned()),
    };
    let mut measured = std::thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut refused = None;
        for cpu in group.iter() {
            let job =
                Job { clock, roots, plan, rate, cpu, watch: &watch, meeting: &meeting, origin: &origin };
            let thread = std::thread::Builder::new().name(format!("noise-{cpu}"));
            match thread.spawn_scoped(scope, move || job.run()) {
                Ok(thread) => threads.push(thread),
                Err(error) => refused = Some(error),
            }
        }
        if let Some(error) = refused {
            watch.failed.store(true, Ordering::Relaxed);
            // Those who wait for the missing ones are let go, meeting by meeting.
            let missing = group.len() - threads.len();
            let keep_all = || {
                for _ in 0..cpu::MEETINGS {
                    meeting.wait();
                }
            };
            std::thread::scope(|stand_ins| {
                (0..missing).for_each(|_| drop(stand_ins.spawn(keep_all)));
                keep_all();
            });
            return Err(NoiseError::Thread(error));
        }
        meeting.wait();
        tell(Step::Quanta(group.clone(), Nanos(plan.quantum.0.saturating_mul(plan.calls.into()))));
        meeting.wait();
        tell(Step::Gaps(group.clone(), plan.looking));
        if let Some(recorder) = &mut tracer {
            recorder.begin();
        }
        meeting.wait();
        let ended = threads.into_iter().map(|thread| thread.join());
        let measured: Vec<_> = ended.map(|ended| ended.unwrap_or(Err(NoiseError::Asked))).collect();
        measured.into_iter().collect::<Result<Vec<Measured>, NoiseError>>()
    })?;
    let origin = origin.into_inner().ok().flatten().unwrap_or(0);
    let recorded = tracer.map(|recorder| recorder.end(origin));
    for one in &mut measured {
        if let Reading::Known(gaps) = &mut one.profile.gaps {
            gaps.counts.events = match &recorded {
                None => Reading::unavailable(no_events.as_str()),
                Some(recorded) => recorded.of(one.profile.cpu),
            };
        }
    }
    Ok(measured)
}

fn split(recorder: Result<events::Recorder, TraceError>) -> (Option<events::Recorder>, String) {
    match recorder {
        Ok(recorder) => (Some(recorder), String::new()),
        Err(error) => (None, error.to_string()),
    }
}

/// Returns where it was measured.
pub fn machine_line(roots: &Roots) -> MachineLine {
    let machine = Machine::read(roots, &system::KernelAnswers::ask());
    let identity = machine.identity();
    let known = |reading: &Reading<String>| reading.known().cloned().unwrap_or_else(|| "unknown".to_owned());
    MachineLine {
        identity: identity.hash(),
        host: known(&system::files::text(&roots.proc.join("sys/kernel/hostname"))),
        processor: known(&identity.cpu_model),
        kernel: known(&identity.kernel),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn plan(cpus: CpuSet) -> Plan {
        Plan {
            cpus,
            load: NodeLoad::AllCpus,
            looking: Nanos::from_millis(30),
            quantum: Nanos::from_micros(20),
            calls: 50,
            priority: Priority::Normal,
            events: false,
        }
    }

    #[test]
    fn this_machine_is_measured_and_its_profile_is_kept_whole() {
        let roots = Roots::host();
        let cpus = system::machine::allowed_cpus(&roots).into_known().unwrap();
        let told = RefCell::new(Vec::new());
        let profile =
            measure(&roots, &plan(cpus.clone()), &|step| told.borrow_mut().push(step), &|| false).unwrap();
        assert_eq!(profile.cpus.iter().map(|cpu| cpu.cpu).collect::<CpuSet>(), cpus);
        assert_eq!(told.borrow().len(), 2);
        for cpu in &profile.cpus {
            let quanta = cpu.quanta.known().unwrap();
            assert_eq!((quanta.starts.len(), quanta.lengths.len()), (50, 50));
            let gaps = cpu.gaps.known().unwrap();
            // How long it looked is for the clock to say, which a made-up one does in the tests of the loop.
            assert!(!gaps.bursts.is_empty() && gaps.bursts.iter().all(|burst| burst.begin < burst.end));
        }
        // Whoever reads the file checks order and bounds.
        assert_eq!(noise::format::decode(&noise::format::encode(&profile)).unwrap(), profile);
    }

    #[test]
    fn cpus_that_are_not_there_are_told_before_anything_is_measured() {
        let refused = |list: &str| {
            let cpus = list.parse().unwrap();
            measure(&Roots::host(), &plan(cpus), &|_| {}, &|| false).unwrap_err().to_string()
        };
        assert!(refused("60000").contains("cannot measure CPU 60000: online are"), "{}", refused("60000"));
        assert_eq!(refused(""), "there is no CPU to measure");
    }

    #[test]
    fn whoever_asks_for_the_end_gets_it() {
        let roots = Roots::host();
        let cpus = system::machine::allowed_cpus(&roots).into_known().unwrap();
        let asked = measure(&roots, &plan(cpus), &|_| {}, &|| true);
        assert!(matches!(asked, Err(NoiseError::Asked)), "{asked:?}");
    }
}
