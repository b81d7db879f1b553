//! What a run in a sandbox costs, part by part; each returns the wall time of every repetition but the first, in ns.

use allocator::Request;
use anyhow::{Context, ensure};
use cpus::{Registry, allowed_cpus, stay_on};
use model::{Bytes, CpuSet, Evidence, Limits, Nanos, RunEnd};
use sandbox::{Counting, Input, RootView, RunIo, RunPlan, SeccompClass, Slot, SlotOptions};
use std::num::NonZeroU32;
use std::time::Instant;
use system::{CounterReader, Roots};

fn times(count: u32, mut once: impl FnMut() -> anyhow::Result<Nanos>) -> anyhow::Result<Vec<u64>> {
    (0..=count).map(|_| once().map(|time| time.0)).skip(1).collect()
}

/// Two processes that take turns on one CPU.
const PIPE: [&str; 3] = ["/bin/sh", "-c", "head -c 16000000 /dev/zero | tail -c 1 > /dev/null"];

/// Runs a program with the limits of a judged one.
pub fn warm_runs(count: u32, counting: Counting, piped: bool) -> anyhow::Result<Vec<u64>> {
    let command = if piped { &PIPE[..] } else { &["/bin/true"] };
    sandbox::enter_private_mounts()?;
    let allowed = allowed_cpus()?;
    let lease = Registry::here()?.take(&Request::timed(NonZeroU32::MIN));
    let cpus = match &lease {
        Ok(lease) => lease.cpus().clone(),
        // As judging does where others hold all CPUs.
        Err(_) => allowed.iter().next_back().into_iter().collect(),
    };
    let helpers = allowed.difference(&cpus);
    let mut slot = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
    if !helpers.is_empty() {
        stay_on(&helpers)?;
    }
    let mut plan = RunPlan::new(command.iter().copied().map(str::to_owned).collect());
    plan.counting = counting;
    plan.cpus = Some(cpus);
    plan.limits = Limits {
        cpu_time: Some(Nanos::from_millis(2_000)),
        wall_time: Some(Nanos::from_millis(4_000)),
        memory: Some(Bytes::from_mib(256)),
        processes: Some(64),
        output: Some(Bytes::from_mib(8)),
        open_files: Some(1024),
        ..Limits::unlimited()
    };
    times(count, || {
        let begin = Instant::now();
        let ran = slot.run(&plan, RunIo::captured(Input::Empty))?;
        let time = begin.elapsed();
        ensure!(ran.result.end == RunEnd::Exited(0), "{command:?}: {}", ran.result.end);
        Ok(time.into())
    })
}

/// Opens a slot as judging does, until it stands ready.
pub fn slot_opens(count: u32) -> anyhow::Result<Vec<u64>> {
    sandbox::enter_private_mounts()?;
    times(count, || {
        let begin = Instant::now();
        let slot = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
        let time = begin.elapsed();
        drop(slot);
        Ok(time.into())
    })
}

/// Installs the filter that most programs run under.
pub fn filter_installs(count: u32) -> anyhow::Result<Vec<u64>> {
    times(count, || sandbox::time_filter(SeccompClass::Runtime).context("cannot install the filter"))
}

/// Reads all evidence of a CPU twice and compares, as around each run.
pub fn evidence_reads(count: u32) -> anyhow::Result<Vec<u64>> {
    let cpus: CpuSet = allowed_cpus()?.iter().next_back().into_iter().collect();
    let mut counters = CounterReader::open(&Roots::host(), &cpus);
    times(count, || {
        let begin = Instant::now();
        let before = counters.read();
        let after = counters.read();
        let mut evidence = Evidence { frequency: counters.frequency(), ..Evidence::default() };
        after.since(&before).fill(&mut evidence, Nanos::ZERO, Nanos::ZERO);
        std::hint::black_box(&evidence);
        Ok(begin.elapsed().into())
    })
}
