//! Whether a guard probes a run's core, holds the run, and releases it.

use crate::leftovers::{groups_are_left, slots_of};
use crate::own_cpus::{compile, own_core};
use crate::table::{Row, check};
use anyhow::Result;
use model::{CpuSet, Guard, LimitKind, Nanos, Reading, RunEnd, Usage};
use ruling::RuleNumbers;
use sandbox::{Hold, Mount, OwnCpus, PROGRAM, Ran, RootView, RunIo, RunPlan, Slot, SlotCpus, SlotOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use system::task::Stat;
use timing::TimedCpus;

/// No core can be as fast, so every probe finds contention ...
const NEVER_CALM: Nanos = Nanos(1);
/// ... and no core is as slow, so none does.
const ALWAYS_CALM: Nanos = Nanos::from_millis(1_000_000);
const PATIENCE: Nanos = Nanos::from_millis(1_500);
const WORK: Nanos = Nanos::from_millis(200);

pub fn build(suite: &Path, folder: &Path) -> Result<()> {
    compile(&suite.join("programs/guarded.c"), folder)
}

/// Runs it with a guard that never sees a calm core, with one that always does, up to its limit, without a possible
/// guard, with one that is killed, and with a supervisor that is killed.
pub fn run(program: &Path) -> Result<Vec<Row>> {
    let mut guarded = Guarded::open(program)?;
    let one: CpuSet = guarded.own.cpus.iter().take(1).collect();
    let mut rows = vec![
        check("guard-holds-a-run", guarded.holds(&one)?),
        check("guard-lets-a-calm-run-go-on", guarded.lets_go_on(&one)?),
        check("guard-lets-go-of-a-run-at-its-limit", guarded.lets_die(&one)?),
        check("guard-of-several-cpus-is-none", guarded.several()?),
        check("guard-that-is-killed-costs-no-run", guarded.goes_on_without(&one)?),
    ];
    // The next one needs its CPUs.
    drop(guarded);
    rows.push(check("guard-ends-with-its-supervisor", ends_with_its_supervisor(program)?));
    Ok(rows)
}

pub fn hold_until_killed(program: &Path) -> Result<()> {
    sandbox::enter_private_mounts()?;
    let mut guarded = Guarded { work: Nanos::from_millis(3_600_000), ..Guarded::open(program)? };
    let one = guarded.own.cpus.iter().take(1).collect();
    guarded.ran(&one, NEVER_CALM, None).map(|_| ())
}

/// Checks that a guard whose supervisor is killed ends, and that its groups with exclusive CPUs are removed by the next
/// slot that needs some, even from another place.
fn ends_with_its_supervisor(program: &Path) -> Result<Option<String>> {
    let lower_place = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
    let mut supervisor = Command::new("/proc/self/exe").arg("hold-until-killed").arg(program).spawn()?;
    let guard = loop {
        if let Some(guard) = guard_of(supervisor.id()) {
            break guard;
        }
        if let Some(status) = supervisor.try_wait()? {
            return Ok(Some(format!("no guard came, and its supervisor ended: {status}")));
        }
        std::thread::yield_now();
    };
    let slots = slots_of(&supervisor.id().to_string());
    supervisor.kill()?;
    supervisor.wait()?;
    while is_guard(&guard) {
        std::thread::yield_now();
    }
    drop(lower_place);
    let next = Guarded::open(program)?;
    for slot in &slots {
        if groups_are_left(*slot)? {
            return Ok(Some(format!("slot {slot} has groups, and so has slot {}", next.slot.index())));
        }
    }
    Ok(slots.is_empty().then(|| "the supervisor had no slot".to_owned()))
}

/// Returns whether a child only waits to be waited for; a process that is killed has no arguments before that.
fn is_ended(process: &Path) -> bool {
    Stat::read(process).is_none_or(|stat| stat.field(3) == Some('Z'))
}

fn guard_of(supervisor: u32) -> Option<PathBuf> {
    let parent = format!("PPid:\t{supervisor}\n");
    let is_its = |process: &PathBuf| {
        is_guard(process)
            && fs::read_to_string(process.join("status")).is_ok_and(|status| status.contains(&parent))
    };
    fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path()).find(is_its)
}

fn kill(process: &Path) {
    let id = process.file_name().and_then(|name| name.to_str()?.parse().ok());
    if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
        // It may be dead.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
    }
}

/// Returns whether this folder of `/proc` belongs to a guard; a zombie has no command line any more.
fn is_guard(process: &Path) -> bool {
    let command = fs::read(process.join("cmdline")).unwrap_or_default();
    command.split(|byte| *byte == 0).any(|word| word == b"__guard")
}

struct Guarded<'a> {
    slot: Slot,
    own: OwnCpus,
    program: &'a Path,
    work: Nanos,
    _cpus: TimedCpus,
}

impl<'a> Guarded<'a> {
    fn open(program: &'a Path) -> Result<Self> {
        let (cpus, own) = own_core()?;
        let slot = Slot::open(SlotOptions {
            cpus: SlotCpus { own: Some(own.clone()), claim: None },
            ..SlotOptions::new(RootView::Host { extra: Vec::new() })
        })?;
        Ok(Self { slot, own, program, work: WORK, _cpus: cpus })
    }

    fn ran(&mut self, cpus: &CpuSet, best: Nanos, limit: Option<Nanos>) -> Result<Ran> {
        let work_ms = self.work.0 / 1_000_000;
        let mut plan = RunPlan::new(vec![format!("{PROGRAM}/program"), work_ms.to_string()]);
        plan.cpus = Some(cpus.clone());
        plan.limits.cpu_time = limit;
        plan.mounts.push(Mount {
            source: self.program.to_owned(),
            target: PROGRAM.to_owned(),
            writable: false,
        });
        let hold = Hold { best, slow_core: RuleNumbers::CURRENT.slow_core, patience: PATIENCE };
        Ok(self.slot.run_guarded(&plan, RunIo::captured(sandbox::Input::Empty), hold)?)
    }

    /// It is held until patience runs out, and that time is neither in its CPU time nor in its wall time.
    fn holds(&mut self, cpus: &CpuSet) -> Result<Option<String>> {
        let begin = Instant::now();
        let Ran { result, guard_cpu_time, .. } = self.ran(cpus, NEVER_CALM, None)?;
        let all = Nanos::from(begin.elapsed());
        let Reading::Known(guard) = &result.evidence.guard else { return Ok(Some(format!("{result:?}"))) };
        let is_held = guard.held >= PATIENCE && guard.looks > 0 && guard.slow_looks == guard.looks;
        // The program counts its own CPU time. However busy the machine is, its wall time and the held time together
        // fit into the total time.
        let Usage { cpu_time, wall_time, .. } = result.usage;
        let is_charged = cpu_time < Nanos(WORK.0 / 2) || cpu_time > PATIENCE || wall_time + guard.held > all;
        let is_good =
            is_held && !is_charged && guard_cpu_time > Nanos::ZERO && result.end == RunEnd::Exited(0);
        Ok((!is_good).then(|| format!("{result:?}, the guard used {guard_cpu_time}")))
    }

    fn lets_go_on(&mut self, cpus: &CpuSet) -> Result<Option<String>> {
        let result = self.ran(cpus, ALWAYS_CALM, None)?.result;
        let is_watched = matches!(&result.evidence.guard, Reading::Known(guard)
            if guard.looks > 0 && Guard { looks: 0, ..*guard } == Guard::default());
        Ok((!is_watched || result.end != RunEnd::Exited(0)).then(|| format!("{result:?}")))
    }

    fn lets_die(&mut self, cpus: &CpuSet) -> Result<Option<String>> {
        let result = self.ran(cpus, NEVER_CALM, Some(Nanos(WORK.0 / 4)))?.result;
        let is_over = result.end == RunEnd::Limit(LimitKind::CpuTime);
        // The next run finds everything in order.
        let next = self.ran(cpus, ALWAYS_CALM, None)?.result;
        let is_well = next.end == RunEnd::Exited(0) && next.evidence.guard.known().is_some();
        Ok((!is_over || !is_well).then(|| format!("{result:?}\nthe next: {next:?}")))
    }

    /// A guard is killed during one run and after another: both runs, and the next one, are as they would be anyway.
    fn goes_on_without(&mut self, cpus: &CpuSet) -> Result<Option<String>> {
        self.slot.post_guard(cpus);
        let Some(guard) = guard_of(std::process::id()) else { return Ok(Some("no guard came".to_owned())) };
        let launcher = self.slot.launcher();
        let ran = std::thread::scope(|scope| {
            scope.spawn(|| {
                let runs = format!("/proc/{launcher}/task/{launcher}/children");
                while is_guard(&guard) && fs::read_to_string(&runs).is_ok_and(|runs| runs.is_empty()) {
                    std::thread::yield_now();
                }
                kill(&guard);
            });
            self.ran(cpus, NEVER_CALM, None)
        });
        let lost = ran?.result;
        let is_reported =
            matches!(&lost.evidence.guard, Reading::Unavailable(why) if why.contains("SIGKILL"));
        self.slot.post_guard(cpus);
        if let Some(guard) = guard_of(std::process::id()) {
            kill(&guard);
            while !is_ended(&guard) {
                std::thread::yield_now();
            }
        }
        let next = self.ran(cpus, ALWAYS_CALM, None)?.result;
        let is_guarded = next.evidence.guard.known().is_some();
        let are_well = [&lost, &next].iter().all(|run| run.end == RunEnd::Exited(0));
        Ok((!is_reported || !is_guarded || !are_well).then(|| format!("{lost:?}\nthe next: {next:?}")))
    }

    fn several(&mut self) -> Result<Option<String>> {
        let mut cpus = self.own.cpus.clone();
        if cpus.len() == 1 {
            // It is not known which CPU it has: others may have leased the last ones.
            let other = cpus::allowed_cpus()?.difference(&cpus).first();
            cpus.extend(other);
        }
        let result = self.ran(&cpus, NEVER_CALM, None)?.result;
        let is_reported =
            matches!(&result.evidence.guard, Reading::Unavailable(why) if why.contains("one CPU"));
        Ok((!is_reported).then(|| format!("{result:?}")))
    }
}
