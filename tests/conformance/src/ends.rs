//! Runs with processes that cannot be killed because another program froze them. Ends of ordinary runs are tested by a table
//! in `crates/tauto/tests/ends`.

use crate::table::{Row, check};
use anyhow::{Context, Result};
use model::{LimitKind, Nanos, Reading, RunEnd};
use sandbox::{Input, Ran, RootView, RunIo, RunPlan, SandboxError, Slot, SlotOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use system::task::Stat;

/// Version 1 has a freezer whose groups stay frozen even when they are killed.
const FREEZER: &str = "/sys/fs/cgroup/freezer";
pub fn run() -> Result<Vec<Row>> {
    if !fs::exists(FREEZER)? {
        for name in ["end-of-a-frozen-run", "end-of-an-init"] {
            test_support::count(name, FREEZER);
        }
        return Ok(Vec::new());
    }
    Ok(vec![
        check("end-of-a-frozen-run", frozen_run_is_given_up()?),
        check("end-of-an-init", killed_init_reports_nothing()?),
    ])
}

/// This is an internal failure; the place is left to the processes that do not die, and the slot continues in another
/// place.
fn frozen_run_is_given_up() -> Result<Option<String>> {
    let mut slot = Slot::open(options())?;
    let first = slot.index();
    let (frozen, ran) = run_frozen(&mut slot, Ok)?;
    let is_reported =
        matches!(&ran, Err(SandboxError::NotEnded { processes }) if *processes == [frozen.process]);
    let next = slot.run(&RunPlan::new(vec!["true".to_owned()]), RunIo::captured(Input::Empty))?;
    let has_moved = slot.index() != first && next.result.end == RunEnd::Exited(0);
    drop(slot);
    frozen.thaw()?;
    // The next slot in that place finds nothing of it.
    drop(Slot::open(options())?);
    let is_good = is_reported && has_moved;
    Ok((!is_good).then(|| format!("{ran:?}\nfrom place {first}, frozen {}, next {next:?}", frozen.process)))
}

/// Checks that values which only a run's init knows are missing if the init had to be killed: here its main process is
/// frozen and ends only after the init.
fn killed_init_reports_nothing() -> Result<Option<String>> {
    let mut slot = Slot::open(options())?;
    let (_, ran) = run_frozen(&mut slot, |frozen| {
        frozen.wait_until_init_is_killed()?;
        frozen.thaw()?;
        Ok(frozen)
    })?;
    let ran = ran?;
    let usage = &ran.result.usage;
    let missing = [
        usage.max_rss.as_ref().map(|_| ()),
        usage.forced_switches.as_ref().map(|_| ()),
        usage.voluntary_switches.as_ref().map(|_| ()),
        usage.minor_faults.as_ref().map(|_| ()),
        usage.major_faults.as_ref().map(|_| ()),
    ];
    let is_reported =
        missing.iter().all(|value| matches!(value, Reading::Unavailable(why) if why.contains("killed")));
    let is_good = ran.result.end == RunEnd::Limit(LimitKind::WallTime)
        && is_reported
        && usage.memory_peak.known().is_some()
        && usage.user_time.known().is_some();
    Ok((!is_good).then(|| format!("{:?}", ran.result)))
}

fn options() -> SlotOptions {
    SlotOptions::new(RootView::Host { extra: Vec::new() })
}

/// Lets a run reach its limit while its main process is frozen; `meanwhile` is done to that process before the run is
/// over.
fn run_frozen(
    slot: &mut Slot,
    meanwhile: impl FnOnce(Frozen) -> Result<Frozen> + Send,
) -> Result<(Frozen, Result<Ran, SandboxError>)> {
    let mut plan = RunPlan::new(vec!["sleep".to_owned(), "3600".to_owned()]);
    plan.limits.wall_time = Some(Nanos::from_millis(300));
    let index = slot.index();
    let (begin, begun) = channel();
    let (frozen, ran) = std::thread::scope(|scope| {
        let frozen = scope.spawn(move || Frozen::program_of(index, &begun).and_then(meanwhile));
        // This fails only if the thread is gone, and then joining it reports why.
        let _ = begin.send(());
        let ran = slot.run(&plan, RunIo::captured(Input::Empty));
        (frozen.join(), ran)
    });
    Ok((frozen.map_err(|_| anyhow::anyhow!("the thread that freezes panicked"))??, ran))
}

struct Frozen {
    group: PathBuf,
    process: u32,
}

impl Frozen {
    fn program_of(slot: u32, begun: &Receiver<()>) -> Result<Self> {
        begun.recv()?;
        let layout = cgroup::Layout::detect()?;
        let (unified, _) = layout.unified.context("no version 2 tree is mounted")?;
        let members = unified.join(format!("tauto-slot-{slot}/cgroup.procs"));
        let process = loop {
            // Before the program there is a process that prepares for it.
            let is_program = |process: &&str| {
                fs::read_to_string(format!("/proc/{process}/comm")).is_ok_and(|name| name == "sleep\n")
            };
            let text = fs::read_to_string(&members).unwrap_or_default();
            if let Some(process) = text.lines().find(is_program) {
                break process.parse()?;
            }
            std::thread::yield_now();
        };
        let group = PathBuf::from(format!("{FREEZER}/tauto-conformance-{process}"));
        fs::create_dir(&group)?;
        let frozen = Self { group, process };
        fs::write(frozen.group.join("cgroup.procs"), process.to_string())?;
        fs::write(frozen.group.join("freezer.state"), "FROZEN")?;
        Ok(frozen)
    }

    /// Waits until the process's parent, the init of the run, is about to end; it then waits for the process.
    fn wait_until_init_is_killed(&self) -> Result<()> {
        /// The kernel's flag of a task that is ending (`PF_EXITING` in linux/sched.h).
        const EXITING: u64 = 4;
        let init = stat_field(self.process, 4)?;
        while stat_field(init, 9)? & EXITING == 0 {
            std::thread::yield_now();
        }
        Ok(())
    }

    fn thaw(&self) -> Result<()> {
        fs::write(self.group.join("freezer.state"), "THAWED")?;
        while fs::remove_dir(&self.group).is_err_and(|error| error.kind() != std::io::ErrorKind::NotFound) {
            std::thread::yield_now();
        }
        Ok(())
    }
}

/// Also after a failure no frozen process stays.
impl Drop for Frozen {
    fn drop(&mut self) {
        // Fails if it is gone already.
        let _ = self.thaw();
    }
}

fn stat_field(process: impl std::fmt::Display, number: usize) -> Result<u64> {
    let stat = Stat::read(Path::new(&format!("/proc/{process}"))).context("the process has ended")?;
    stat.field(number).context("/proc/PID/stat has an unknown form")
}
