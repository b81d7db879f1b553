//! Whether a run can find out whether it is the first or the last of many, by anything but the wall clock.

use crate::own_cpus;
use crate::table::{Row, outcome};
use anyhow::{Context, Result, ensure};
use model::{Bytes, CpuSet, Nanos, RunEnd};
use sandbox::{Mount, PROGRAM, RootView, RunIo, RunPlan, SeccompClass, Slot, SlotOptions, Workspace};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// That all of these have one of two values has a chance of 2^-23.
const RUNS: usize = 24;
/// How many numbers a run leaves unused as a message.
const MESSAGE: u32 = 3000;
/// 1 January 2000.
const FILE_TIME: i64 = 946_684_800;
/// Times of files are those of the last tick.
const TICK_MAX: Duration = Duration::from_millis(20);

/// What one run printed, and how long it took for its supervisor.
struct RunOutput {
    values: BTreeMap<String, Vec<i64>>,
    around: Duration,
    since: Duration,
    wall_time: Nanos,
}

impl RunOutput {
    fn one(&self, name: &str) -> Result<i64> {
        self.values.get(name).and_then(|values| values.first()).copied().context(format!("no '{name}'"))
    }
}

pub fn run(suite: &Path, scratch: &Path) -> Result<Vec<Row>> {
    own_cpus::compile(&suite.join("programs/run_after_run.c"), scratch)?;
    let place = Workspace::new(Bytes::from_mib(8), 100)?;
    let program = place.folder("program")?;
    place.folder("program/folder")?;
    fs::copy(scratch.join("program"), program.join("program"))?;
    let mut slot = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
    let usual = several(&mut slot, &program, RUNS, None)?;
    let messages = several(&mut slot, &program, 8, Some(MESSAGE))?;
    let after = after_messages(&mut slot, &program);
    Ok(vec![
        outcome("run-after-run-files", files(&usual)),
        outcome("run-after-run-clocks", clocks(&usual)),
        outcome("run-after-run-numbers", numbers(&usual, &messages)),
        outcome("run-after-run-limits", after),
    ])
}

fn several(slot: &mut Slot, program: &Path, runs: usize, message: Option<u32>) -> Result<Vec<RunOutput>> {
    let begin = Instant::now();
    (0..runs).map(|_| once(slot, program, message, begin)).collect()
}

/// Moving counters on after a run takes tens of milliseconds, which are not the next run's.
fn after_messages(slot: &mut Slot, program: &Path) -> Result<()> {
    for _ in 0..8 {
        once(slot, program, Some(MESSAGE), Instant::now())?;
        let mut plan = plan(program, None)?;
        plan.limits.cpu_time = Some(Nanos::from_millis(10));
        let end = slot.run(&plan, RunIo::captured(sandbox::Input::Empty))?.result.end;
        ensure!(end == RunEnd::Exited(0), "a short run ended with {end}");
    }
    Ok(())
}

fn plan(program: &Path, message: Option<u32>) -> Result<RunPlan> {
    let argv = std::iter::once(format!("{PROGRAM}/program")).chain(message.map(|count| count.to_string()));
    let mut plan = RunPlan::new(argv.collect());
    plan.seccomp = SeccompClass::Native;
    // The kernel counts for each CPU.
    plan.cpus = Some("0".parse::<CpuSet>()?);
    plan.mounts.push(Mount { source: program.to_owned(), target: PROGRAM.to_owned(), writable: false });
    Ok(plan)
}

fn once(slot: &mut Slot, program: &Path, message: Option<u32>, begin: Instant) -> Result<RunOutput> {
    let plan = plan(program, message)?;
    let start = Instant::now();
    let ran = slot.run(&plan, RunIo::captured(sandbox::Input::Empty))?;
    let around = start.elapsed();
    let text = String::from_utf8(ran.stdout)?;
    let mut values: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for line in text.lines() {
        let (name, value) = line.split_once(' ').context("a line without a value")?;
        values.entry(name.to_owned()).or_default().push(value.parse().context(line.to_owned())?);
    }
    Ok(RunOutput { values, around, since: begin.elapsed(), wall_time: ran.result.usage.wall_time })
}

/// All files that were made before the run are equally old for it.
fn files(runs: &[RunOutput]) -> Result<()> {
    for run in runs {
        for name in ["accessed", "modified"] {
            let times = run.values.get(name).context("no times")?;
            ensure!(times.iter().all(|time| *time == FILE_TIME), "{name}: {times:?}");
        }
        let most = i64::try_from((run.around + TICK_MAX).as_nanos())?;
        let ages = run.values.get("changed-ago").context("no times")?;
        ensure!(ages.iter().all(|age| *age < most), "{ages:?} ns old in a run of {most} ns");
    }
    Ok(())
}

/// The clocks that count from the machine's start begin anew, at random; and the run's time is measured all the same.
fn clocks(runs: &[RunOutput]) -> Result<()> {
    for run in runs {
        let measured = Duration::from_nanos(run.wall_time.0);
        ensure!(measured >= TICK_MAX && measured < run.around, "{measured:?} of {:?}", run.around);
    }
    if !Path::new("/proc/self/ns/time").exists() {
        test_support::count("run-after-run-clocks", "a kernel with time namespaces");
        return Ok(());
    }
    for pair in runs.windows(2) {
        for (name, unit) in [("monotonic", 1_000_000_000), ("boot", 1_000_000_000), ("uptime", 1)] {
            let step = pair[1].one(name)?.abs_diff(pair[0].one(name)?) / unit;
            // By chance once in half a million runs.
            ensure!(step > (pair[1].since.as_secs() + 10), "{name} goes on from run to run");
        }
    }
    Ok(())
}

/// Counters of the kernel are moved on by different steps, and by larger ones after a run that used
/// many.
fn numbers(usual: &[RunOutput], messages: &[RunOutput]) -> Result<()> {
    let steps = |runs: &[RunOutput], first: &str, last: &str| {
        runs.windows(2).map(|pair| Ok(pair[1].one(first)? - pair[0].one(last)?)).collect::<Result<Vec<i64>>>()
    };
    let spread = |steps: &[i64]| steps.iter().max().zip(steps.iter().min()).map_or(0, |(max, min)| max - min);
    for (first, last) in [("pipes", "last-pipe"), ("memory-files", "last-memory-file")] {
        let between = steps(usual, first, last)?;
        ensure!(spread(&between) > 8, "{first} moves by {between:?}");
        let between = steps(messages, first, last)?;
        ensure!(spread(&between) > i64::from(MESSAGE) / 4, "{first} moves by {between:?} after a message");
    }
    if usual.iter().all(|run| run.values.contains_key("session")) {
        let between = steps(usual, "session", "session")?;
        ensure!(spread(&between) > 0, "sessions are counted by {between:?}");
    }
    Ok(())
}
