//! What an audit costs the program that is audited, and us.

use crate::comparisons::auditing::Round;
use allocator::Request;
use audit::{Auditor, KnownTasks};
use cpus::{Registry, allowed_cpus, stay_on};
use model::{Bytes, Limits, Nanos, Reading, RunEnd};
use sandbox::{Input, Mount, PROGRAM, RootView, RunIo, RunPlan, Slot, SlotOptions};
use std::num::NonZeroU32;
use std::time::Instant;
use system::Roots;

/// Runs the program by turns without an audit, with one that is ready, and with one that records.
pub fn rounds(count: u32, command: &[String]) -> anyhow::Result<Vec<Round>> {
    sandbox::enter_private_mounts()?;
    let allowed = allowed_cpus()?;
    let lease = Registry::here()?.take(&Request::timed(NonZeroU32::MIN))?;
    let cpus = lease.cpus().clone();
    let helpers = allowed.difference(&cpus);
    let mut slot = Slot::open(SlotOptions::new(RootView::Host { extra: Vec::new() }))?;
    if !helpers.is_empty() {
        stay_on(&helpers)?;
    }
    let mut plan = RunPlan::new(command.to_vec());
    plan.cpus = Some(cpus.clone());
    plan.limits = Limits { output: Some(Bytes::from_mib(1)), ..Limits::unlimited() };
    plan.mounts.push(Mount { source: std::env::current_dir()?, target: PROGRAM.to_owned(), writable: false });
    let roots = Roots::host();
    let mut results = Vec::new();
    for round in 0..=count {
        let mut run = || -> anyhow::Result<u64> {
            let result = slot.run(&plan, RunIo::captured(Input::Empty))?.result;
            anyhow::ensure!(result.end == RunEnd::Exited(0), "the program ended with {}", result.end);
            Ok(result.usage.cpu_time.0)
        };
        let without_ns = run()?;
        let (mut auditor, open_ns) = timed(|| Auditor::open(&roots, &cpus));
        let ready_ns = run()?;
        let known = KnownTasks::of_this_process(&roots, Vec::new());
        let ((), begin_ns) = timed(|| auditor.begin(&known));
        let recorded_ns = run()?;
        let (audit, end_ns) = timed(|| auditor.end(&known));
        let ((), close_ns) = timed(|| drop(auditor));
        let lost_events = match audit {
            Reading::Known(audit) => audit.lost_events,
            Reading::Unavailable(why) => anyhow::bail!("what ran is unknown: {why}"),
        };
        // The first round warms up.
        if round > 0 {
            results.push(Round {
                without_ns,
                ready_ns,
                recorded_ns,
                open_ns,
                begin_ns,
                end_ns,
                close_ns,
                lost_events,
            });
        }
    }
    Ok(results)
}

fn timed<T>(action: impl FnOnce() -> T) -> (T, u64) {
    let begin = Instant::now();
    let result = action();
    (result, Nanos::from(begin.elapsed()).0)
}
