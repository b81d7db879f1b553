//! `tauto internal`: what this program needs of itself, and benchmarks need of this very binary.

use crate::arguments::{InternalCommand, ServerArguments};
use crate::machine_use::{allowed_cpus, stay_on};
use crate::output::print;
use anyhow::Context;
use machine::Registry;
use model::{Bytes, CpuSet, Evidence, Limits, Nanos};
use probe::{CounterReader, Roots};
use sandbox::{Input, RootView, RunIo, RunPlan, SeccompClass, Slot, SlotOptions};
use sched::Request;
use std::num::NonZeroU32;
use std::process::ExitCode;
use std::time::Instant;

/// Does it.
///
/// # Errors
/// When we fail.
pub fn run(what: &InternalCommand) -> anyhow::Result<ExitCode> {
    let times_ns = match what {
        InternalCommand::WarmRuns(repeats) => warm_runs(repeats.count)?,
        InternalCommand::SlotOpens(repeats) => slot_opens(repeats.count)?,
        InternalCommand::FilterInstalls(repeats) => filter_installs(repeats.count)?,
        InternalCommand::EvidenceReads(repeats) => evidence_reads(repeats.count)?,
        InternalCommand::TimeRound { quick, rounds, load_everywhere, runexec } => {
            return crate::lab_command::time_round(*quick, *rounds, *load_everywhere, runexec.as_deref());
        }
        InternalCommand::Load { kind, cpus, floating, folder, parent } => {
            let (questions, answers) = (std::io::stdin().lock(), std::io::stdout().lock());
            lab::load::worker::serve(*kind, cpus, *floating, folder, *parent, questions, answers)
                .with_context(|| format!("the {kind} load cannot go on"))?;
            return Ok(ExitCode::SUCCESS);
        }
        InternalCommand::Tied { parent, command } => {
            return Err(lab::exchange::become_tied(*parent, command))
                .with_context(|| format!("cannot become {command:?}"));
        }
        InternalCommand::Server(server) => {
            lab::labs::throttling::server::serve(workload(server), server.steps_per_ms, server.parent)
                .context("the server cannot go on")?;
            return Ok(ExitCode::SUCCESS);
        }
        InternalCommand::Peer(peer) => {
            let plan = lab::labs::affinity::peer::Peer {
                port: peer.port,
                cpus: peer.cpus.clone(),
                interval: Nanos(peer.interval_ns),
                intervals: peer.intervals,
            };
            lab::labs::affinity::peer::run(&plan, peer.parent).context("sender or receiver cannot go on")?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    let text = serde_json::to_string(&times_ns).context("cannot make a list of times")?;
    print(&format!("{text}\n"))?;
    Ok(ExitCode::SUCCESS)
}

fn workload(server: &ServerArguments) -> lab::labs::throttling::Workload {
    lab::labs::throttling::Workload {
        seed: server.seed,
        time: Nanos(server.time_ns),
        bursts_per_second: server.bursts_per_second,
        requests_per_burst: server.requests_per_burst,
        request: Nanos(server.request_ns),
        parts: server.parts,
        threads: server.threads,
        chores: Nanos(server.chores_ns),
        chores_every: Nanos(server.chores_every_ns),
        chore_threads: server.chore_threads,
    }
}

/// Runs `/bin/true` with the limits of a judged program; gives the wall time of each run but the first.
fn warm_runs(count: u32) -> anyhow::Result<Vec<u64>> {
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
    let mut plan = RunPlan::new(vec!["/bin/true".to_owned()]);
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
    let mut times_ns = Vec::with_capacity(count as usize);
    for round in 0..=count {
        let begin = Instant::now();
        slot.run(&plan, RunIo::captured(Input::Empty))?;
        if round > 0 {
            times_ns.push(Nanos::from(begin.elapsed()).0);
        }
    }
    Ok(times_ns)
}

/// Opens a slot as judging does; gives the time until each but the first stood ready.
fn slot_opens(count: u32) -> anyhow::Result<Vec<u64>> {
    sandbox::enter_private_mounts()?;
    let open = || {
        let begin = Instant::now();
        let slot = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
        let time = Nanos::from(begin.elapsed());
        drop(slot);
        Ok(time.0)
    };
    (0..=count).map(|_| open()).skip(1).collect()
}

/// Installs the filter that most programs run under; gives the time of each but the first.
fn filter_installs(count: u32) -> anyhow::Result<Vec<u64>> {
    let install = || sandbox::time_filter(SeccompClass::Runtime).context("cannot install the filter");
    (0..=count).map(|_| install().map(|time| time.0)).skip(1).collect()
}

/// Reads all evidence of a CPU twice and compares, as around each run; gives the time of each but the first.
fn evidence_reads(count: u32) -> anyhow::Result<Vec<u64>> {
    let cpus: CpuSet = allowed_cpus()?.iter().next_back().into_iter().collect();
    let mut counters = CounterReader::open(&Roots::host(), &cpus);
    let mut times_ns = Vec::with_capacity(count as usize);
    for round in 0..=count {
        let begin = Instant::now();
        let before = counters.read();
        let after = counters.read();
        let mut evidence = Evidence { frequency: counters.frequency(), ..Evidence::default() };
        after.since(&before).fill(&mut evidence, Nanos::ZERO, Nanos::ZERO);
        std::hint::black_box(&evidence);
        if round > 0 {
            times_ns.push(Nanos::from(begin.elapsed()).0);
        }
    }
    Ok(times_ns)
}
