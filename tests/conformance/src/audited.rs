//! An audited run: the kernel's events must distinguish the program from everything else.

use crate::case::Case;
use crate::table::Row;
use anyhow::{Context, Result};
use audit::{Auditor, KnownTasks};
use model::{Audit, AuditMethod, CpuId, CpuSet, Reading, RunnerKind, Verdict};
use sandbox::{Mount, PROGRAM, RunIo, RunPlan, Slot, input_in_memory};
use std::path::Path;
use system::Roots;

/// Runs a case's program once more, audited on a dedicated CPU.
pub fn row(slot: &mut Slot, case: &Case, folder: &Path) -> Result<Row> {
    let cpu = last_allowed_cpu()?;
    let cpus: CpuSet = [cpu].into_iter().collect();
    let mut plan = RunPlan::new(vec![format!("{PROGRAM}/program")]);
    plan.cpus = Some(cpus.clone());
    plan.limits.memory = case.limits().memory;
    plan.limits.processes = case.limits().processes;
    plan.mounts.push(Mount { source: folder.join(&case.name), target: PROGRAM.to_owned(), writable: false });
    let input = input_in_memory(&case.input())?;
    let roots = Roots::host();
    let mut auditor = Auditor::open(&roots, &cpus);
    let known = KnownTasks::of_this_process(&roots, vec![slot.launcher()]);
    auditor.begin(&known);
    slot.run(&plan, RunIo::captured(input.open()?))?;
    let complaint = match auditor.end(&known) {
        Reading::Known(audit) => complaint(&audit, cpu),
        Reading::Unavailable(why) => Some(why),
    };
    let got = if complaint.is_none() { Verdict::Accepted } else { Verdict::JudgingError };
    let mut row = Row::new(case, got, complaint);
    row.name = format!("audit of {}", case.name);
    Ok(row)
}

fn complaint(audit: &Audit, cpu: CpuId) -> Option<String> {
    let main = audit.threads.iter().find(|thread| thread.name == "program");
    let interrupted = audit.findings.iter().any(|found| found.kind == RunnerKind::Interrupt);
    let what = match (&audit.method, &audit.shares) {
        (AuditMethod::Estimate { why }, _) => format!("there are no events: {why}"),
        (_, Reading::Unavailable(why)) => format!("it is not known how the time was divided: {why}"),
        (_, Reading::Known(shares)) if shares.sum() != audit.interval => "times do not add up".to_owned(),
        _ if main.is_none() => "the program's thread was not seen".to_owned(),
        _ if main.is_some_and(|main| !main.cpu_times.contains_key(&cpu)) => "it ran elsewhere".to_owned(),
        _ if !interrupted => "no interrupt was seen".to_owned(),
        _ => return None,
    };
    Some(format!("{what}\n{audit:#?}"))
}

fn last_allowed_cpu() -> Result<CpuId> {
    let mask = rustix::thread::sched_getaffinity(None).context("cannot read which CPUs are allowed")?;
    let last = (0..rustix::thread::CpuSet::MAX_CPU).rev().find(|cpu| mask.is_set(*cpu));
    last.map(|cpu| CpuId(cpu as u32)).context("no CPU is allowed")
}
