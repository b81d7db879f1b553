//! Whether a slot gets exclusive CPUs and memory nodes, and reports when it has lost them.

use crate::table::{Row, check};
use anyhow::{Context, Result, bail};
use cgroup::{Controller, Home, Layout};
use cpus::{LeaseError, Registry};
use model::{Isolation, IsolationKind};
use ruling::RuleNumbers;
use sandbox::{Mount, OwnCpus, PROGRAM, Ran, RootView, RunIo, RunPlan, Slot, SlotCpus, SlotOptions};
use std::fs;
use std::num::NonZeroU32;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use timing::{Choice, Exclusive, IfTaken, PlaceError, TimedCpus};

/// The group of a neighbour that uses the same CPUs.
const NEIGHBOUR: &str = "tauto-conformance-neighbour";
/// The length of the run during which the neighbour arrives; an emulated machine needs a while to start it.
const RUN_SECONDS: &str = "6";

pub fn build(suite: &Path, folder: &Path) -> Result<()> {
    compile(&suite.join("programs/own_cpus.c"), folder)
}

pub fn compile(source: &Path, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let status = Command::new("gcc")
        .args(["-O2", "-static", "-o"])
        .arg(folder.join("program"))
        .arg(source)
        .status()
        .context("gcc; install it with: apt-get install gcc")?;
    if !status.success() {
        bail!("{} does not compile", source.display());
    }
    // The slots' users run it, whatever the umask is.
    for path in [folder.to_owned(), folder.join("program")] {
        fs::set_permissions(path, PermissionsExt::from_mode(0o755))?;
    }
    Ok(())
}

/// Runs it in a slot with exclusive CPUs, alone and with a neighbour that takes them.
pub fn run(program: &Path) -> Result<Vec<Row>> {
    let (_lease, own) = own_core()?;
    let mut slot = Slot::open(SlotOptions {
        cpus: SlotCpus { own: Some(own.clone()), claim: None },
        ..SlotOptions::new(RootView::Host { extra: Vec::new() })
    })?;
    let home = Layout::detect()?.home(Controller::CpuSet);
    let partitions = match &home {
        Some(Home::V2(root)) => Some(root.clone()),
        _ => None,
    };
    let mut rows = vec![check("own-cpus-alone", alone(&mut slot, &own, program, partitions.is_some())?)];
    if let Some(root) = partitions {
        rows.push(check("own-cpus-taken-before", taken_before(&mut slot, &own, program, &root)?));
        rows.push(check("own-cpus-taken-during", taken_during(&mut slot, &own, program, &root)?));
    }
    if matches!(home, Some(Home::V1(_))) {
        rows.push(check("own-cpus-exclusive", next_to_exclusive(&own, program)?));
    }
    Ok(rows)
}

/// Version 1 rejects CPUs that another slot has for itself: a second slot is bound to them by affinity, and reports
/// why.
fn next_to_exclusive(own: &OwnCpus, program: &Path) -> Result<Option<String>> {
    let mut second = Slot::open(SlotOptions {
        cpus: SlotCpus { own: Some(own.clone()), claim: None },
        ..SlotOptions::new(RootView::Host { extra: Vec::new() })
    })?;
    let ran = run_program(&mut second, own, program, "0")?;
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let isolation = ran.result.evidence.isolation;
    let is_reported = isolation.weaker_because.as_ref().is_some_and(|why| why.contains("for itself"));
    let is_bound = text.contains(&format!("Cpus_allowed_list:\t{}\n", own.cpus));
    let is_good = isolation.kind == IsolationKind::Affinity && is_reported && is_bound;
    Ok((!is_good).then(|| format!("{isolation:?}\n{text}")))
}

fn alone(slot: &mut Slot, own: &OwnCpus, program: &Path, partitions: bool) -> Result<Option<String>> {
    let ran = run_program(slot, own, program, "0")?;
    let wanted = if partitions { IsolationKind::Partition } else { IsolationKind::CpuSet };
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    let nodes: Vec<String> = own.memory_nodes.iter().map(u32::to_string).collect();
    let expected = format!("Cpus_allowed_list:\t{}\nMems_allowed_list:\t{}\n", own.cpus, nodes.join(","));
    let isolation = &ran.result.evidence.isolation;
    Ok((isolation.kind != wanted || text != expected).then(|| format!("{isolation:?}\n{text}")))
}

/// Isolation that is lost before a run is reported, and returns when the neighbour is gone.
fn taken_before(slot: &mut Slot, own: &OwnCpus, program: &Path, root: &Path) -> Result<Option<String>> {
    let neighbour = Neighbour::join(root, own)?;
    let next_to_neighbour = run_program(slot, own, program, "0")?.result.evidence.isolation;
    drop(neighbour);
    let after = run_program(slot, own, program, "0")?.result.evidence.isolation;
    let is_reported =
        next_to_neighbour.kind == IsolationKind::CpuSet && next_to_neighbour.weaker_because.is_some();
    let is_back = after == Isolation { kind: IsolationKind::Partition, ..Isolation::default() };
    Ok((!is_reported || !is_back)
        .then(|| format!("next to a neighbour: {next_to_neighbour:?}\nafterwards: {after:?}")))
}

/// Isolation that is lost during a run counts as a disturbance of it.
fn taken_during(slot: &mut Slot, own: &OwnCpus, program: &Path, root: &Path) -> Result<Option<String>> {
    let (sender, slots) = std::sync::mpsc::channel();
    let ran = std::thread::scope(|scope| {
        let neighbour = scope.spawn(|| {
            // The run's group contains its program once that is cloned into it.
            let group = root.join(format!(
                "tauto-slot-{}.cpus/run/cgroup.procs",
                slots.into_iter().next().unwrap_or_default()
            ));
            while fs::read_to_string(&group).unwrap_or_default().is_empty() {
                std::thread::yield_now();
            }
            Neighbour::join(root, own)
        });
        // This fails only if the thread is gone, and then joining it reports why.
        let _ = sender.send(slot.index());
        let ran = run_program(slot, own, program, RUN_SECONDS);
        let neighbour = neighbour.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        ran.and_then(|ran| neighbour.map(|_| ran))
    })?;
    let evidence = ran.result.evidence;
    let is_reported =
        evidence.isolation.lost.is_some() && !RuleNumbers::CURRENT.disturbances(&evidence).is_empty();
    Ok((!is_reported).then(|| format!("{:?}", evidence.isolation)))
}

fn run_program(slot: &mut Slot, own: &OwnCpus, program: &Path, seconds: &str) -> Result<Ran> {
    let mut plan = RunPlan::new(vec![format!("{PROGRAM}/program"), seconds.to_owned()]);
    plan.cpus = Some(own.cpus.clone());
    plan.mounts.push(Mount { source: program.to_owned(), target: PROGRAM.to_owned(), writable: false });
    Ok(slot.run(&plan, RunIo::captured(sandbox::Input::Empty))?)
}

/// Another program's group with the same CPUs; it is removed when this is dropped.
struct Neighbour(PathBuf);

impl Neighbour {
    fn join(root: &Path, own: &OwnCpus) -> Result<Self> {
        let path = root.join(NEIGHBOUR);
        fs::create_dir_all(&path)?;
        let neighbour = Self(path);
        fs::write(neighbour.0.join("cpuset.cpus"), own.cpus.to_string())?;
        Ok(neighbour)
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        // The search for leftovers finds it if it stays.
        let _ = fs::remove_dir(&self.0);
    }
}

/// Leases a core with its nearest memory, and waits while others have all of them. Returns the lease, and what a slot
/// has for itself.
pub fn own_core() -> Result<(TimedCpus, OwnCpus)> {
    let registry = Registry::here()?;
    let one = Choice::Leased(NonZeroU32::MIN);
    let cpus = loop {
        match TimedCpus::take(Arc::new(registry.clone()), &one, &IfTaken::Refuse) {
            Err(PlaceError::Lease(LeaseError::NoFit(_, holders))) if !holders.is_empty() => {
                eprintln!("waits for a core: {}", holders[0]);
                registry.wait_for(&holders[0].cpus)?;
            }
            taken => break taken?,
        }
    };
    let own = cpus.slot_cpus(Exclusive::CpusAndMemory).own.context("the core is shared")?;
    Ok((cpus, own))
}
