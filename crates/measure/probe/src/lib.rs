//! Measures OS noise: what is taken from a program that computes, on each CPU.
//!
//! Two probes after each other. `quantum` calls a function whose work is always the same and keeps how long each call
//! took; `gap` reads the clock and does nothing else, so that it sees each detour by itself. The kernel's counters
//! are read before and after (`counts`), and where its tracing can be had, so are its events (`events`).
//!
//! # Files
//!
//! Measures noise (`docs/noise-probe.md`): `plan.rs` is what is measured, `cpu.rs` a thread on one CPU, `quantum.rs`
//! and `gap.rs` its two loops, `tsc.rs` the clock and its rate, `buffer.rs` preallocated memory, `priority.rs`
//! real-time bursts; `counts.rs` and `events.rs` are the kernel's view.

mod buffer;
mod counts;
mod cpu;
mod events;
mod gap;
mod plan;
mod priority;
mod quantum;
mod tsc;

use audit::TraceError;
use cpu::Job;
use model::{CpuSet, Nanos, Reading};
use noise::{MachineLine, NodeLoad, Profile, TickRate};
use plan::{Left, Measured, REST, Watch};
pub use plan::{NO_CALLS, NoiseError, Plan, Priority, Step, USUAL_CALLS, USUAL_QUANTUM};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use system::{Machine, Roots};
use tsc::{Anchor, Clock, KernelClock};

/// A first look at the counter's rate, so that the length of a second is known while the exact rate is not.
const FIRST_LOOK: Duration = Duration::from_millis(50);
/// Measures; `report` receives each step, and `asked` returns whether to end.
///
/// # Errors
/// When the CPUs cannot be used at all. A CPU that goes away in the middle is a reading in the profile.
pub fn measure(
    roots: &Roots,
    plan: &Plan,
    report: &dyn Fn(Step),
    asked: &(dyn Fn() -> bool + Sync),
) -> Result<Profile, NoiseError> {
    check_cpus(roots, &plan.cpus)?;
    let mut weaknesses = Vec::new();
    #[cfg(target_arch = "x86_64")]
    match tsc::unsteady(roots) {
        None => return measure_with(tsc::Counter, roots, plan, report, asked, weaknesses),
        Some(why) => weaknesses.push(no_counter(&why)),
    }
    #[cfg(not(target_arch = "x86_64"))]
    weaknesses.push(no_counter("this processor is not of the x86-64 architecture"));
    measure_with(KernelClock, roots, plan, report, asked, weaknesses)
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
    report: &dyn Fn(Step),
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
        let mut measured = measure_group(clock, roots, plan, (group, first), report, asked)?;
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

fn measure_group<C: Clock>(
    clock: C,
    roots: &Roots,
    plan: &Plan,
    (group, rate): (&CpuSet, TickRate),
    report: &dyn Fn(Step),
    asked: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<Measured>, NoiseError> {
    let watch = Watch { asked, failed: AtomicBool::new(false) };
    // The main thread is one of those who meet, since it reports the steps and begins the recording.
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
        report(Step::Quanta(group.clone(), Nanos(plan.quantum.0.saturating_mul(plan.calls.into()))));
        meeting.wait();
        report(Step::Gaps(group.clone(), plan.looking));
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
        let steps = RefCell::new(Vec::new());
        let profile =
            measure(&roots, &plan(cpus.clone()), &|step| steps.borrow_mut().push(step), &|| false).unwrap();
        assert_eq!(profile.cpus.iter().map(|cpu| cpu.cpu).collect::<CpuSet>(), cpus);
        assert_eq!(steps.borrow().len(), 2);
        for cpu in &profile.cpus {
            let quanta = cpu.quanta.known().unwrap();
            assert_eq!((quanta.starts.len(), quanta.lengths.len()), (50, 50));
            let gaps = cpu.gaps.known().unwrap();
            // How long it looked is for the clock to say, which a made-up one does in the tests of the loop.
            assert!(!gaps.bursts.is_empty() && gaps.bursts.iter().all(|burst| burst.begin < burst.end));
        }
        // The reader of the file checks order and bounds.
        assert_eq!(noise::format::decode(&noise::format::encode(&profile)).unwrap(), profile);
    }

    #[test]
    fn cpus_that_are_not_there_are_reported_before_anything_is_measured() {
        let refused = |list: &str| {
            let cpus = list.parse().unwrap();
            measure(&Roots::host(), &plan(cpus), &|_| {}, &|| false).unwrap_err().to_string()
        };
        assert!(refused("60000").contains("cannot measure CPU 60000: online are"), "{}", refused("60000"));
        assert_eq!(refused(""), "there is no CPU to measure");
    }

    #[test]
    fn request_to_end_is_followed() {
        let roots = Roots::host();
        let cpus = system::machine::allowed_cpus(&roots).into_known().unwrap();
        let asked = measure(&roots, &plan(cpus), &|_| {}, &|| true);
        assert!(matches!(asked, Err(NoiseError::Asked)), "{asked:?}");
    }
}
