//! `tauto machine audit`: which tasks run on CPUs, for how long, and how to move them.

use super::audit_tables;
use crate::arguments::AuditArguments;
use crate::here::{allowed_cpus, stay_on};
use anyhow::Context;
use audit::{Auditor, KnownTasks};
use model::{Audit, Bytes, CpuSet, Limits, Nanos, Reading, RunEnd, RunResult};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fd::AsFd;
use sandbox::{
    Input, Mount, Output, PROGRAM, Role, RootView, RunIo, RunPlan, SandboxError, SeccompClass, Slot,
    SlotOptions,
};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use system::Roots;
use terminal::failure::{input, input_with_hint};
use terminal::interrupt::Interrupt;
use terminal::print_result;

const SECONDS: u32 = 5;

/// Audits and prints; the exit code is 1 if a program was given and its exit code was not 0.
pub fn run(arguments: &AuditArguments, json: bool) -> anyhow::Result<ExitCode> {
    let allowed = allowed_cpus()?;
    let cpus = arguments.cpus.clone().unwrap_or_else(|| allowed.clone());
    check_cpus(&cpus, &allowed, !arguments.command.is_empty())?;
    let interrupt = Interrupt::listen()?;
    let roots = Roots::host();
    let mut auditor = if arguments.estimate {
        Auditor::by_counters(&roots, &cpus, "an estimate was requested")
    } else {
        Auditor::open(&roots, &cpus)
    };
    let (audit, ran) = if arguments.command.is_empty() {
        (watch(&mut auditor, &roots, &interrupt, arguments.seconds.unwrap_or(SECONDS))?, None)
    } else {
        let (audit, ran) = watch_program(&mut auditor, &roots, &interrupt, arguments, &allowed)?;
        (audit, Some(ran))
    };
    let audit = match audit {
        Reading::Known(audit) => audit,
        Reading::Unavailable(why) => anyhow::bail!("what ran is unknown: {why}"),
    };
    let document = documents::AuditReport {
        argv: arguments.command.clone(),
        end: ran.as_ref().map(|ran| ran.end.into()),
        status: ran.as_ref().map(|ran| ran.end.into()),
        usage: ran.as_ref().map(|ran| (&ran.usage).into()),
        audit: (&audit).into(),
    };
    print_result(&document, json, |_| audit_tables::report_of(&audit, ran.as_ref()))?;
    interrupt.check()?;
    Ok(ExitCode::from(u8::from(ran.is_some_and(|ran| ran.end != RunEnd::Exited(0)))))
}

fn check_cpus(cpus: &CpuSet, allowed: &CpuSet, with_program: bool) -> anyhow::Result<()> {
    if with_program && !cpus.is_subset(allowed) {
        return Err(input(format!(
            "--cpu-list {cpus} is not within what is allowed here, {}, so no program can run there",
            allowed.named()
        )));
    }
    // Other CPUs can watch an isolated CPU, but not an offline one.
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    match online.parse::<CpuSet>() {
        Ok(online) if !online.is_empty() && !cpus.is_subset(&online) => Err(input_with_hint(
            format!("--cpu-list {cpus} names CPUs that are not online"),
            format!("those online are {online}"),
        )),
        _ => Ok(()),
    }
}

fn watch(
    auditor: &mut Auditor,
    roots: &Roots,
    interrupt: &Interrupt,
    seconds: u32,
) -> anyhow::Result<Reading<Audit>> {
    let known = KnownTasks::of_this_process(roots, Vec::new());
    let stop = interrupt.stop();
    auditor.begin(&known);
    let until = Instant::now() + Duration::from_secs(seconds.into());
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).context("cannot wait as long")?;
        match rustix::event::poll(
            &mut [PollFd::from_borrowed_fd(stop.as_fd(), PollFlags::IN)],
            Some(&timeout),
        ) {
            Err(rustix::io::Errno::INTR) => {}
            // On an interrupt, print the audit so far.
            Ok(_) => return Ok(auditor.end(&known)),
            Err(error) => return Err(error).context("cannot wait"),
        }
    }
}

fn watch_program(
    auditor: &mut Auditor,
    roots: &Roots,
    interrupt: &Interrupt,
    arguments: &AuditArguments,
    allowed: &CpuSet,
) -> anyhow::Result<(Reading<Audit>, RunResult)> {
    let mut slot = Slot::open(SlotOptions {
        stop: Some(interrupt.stop()),
        roles: vec![Role::Contestant],
        ..SlotOptions::new(RootView::Host { extra: Vec::new() })
    })?;
    if let Some(cpus) = &arguments.cpus {
        let others = allowed.difference(cpus);
        if !others.is_empty() {
            stay_on(&others)?;
        }
    }
    let here = std::env::current_dir().context("cannot determine the current folder")?;
    let mut plan = RunPlan::new(arguments.command.clone());
    plan.working_directory = PROGRAM.to_owned();
    plan.mounts.push(Mount { source: here, target: PROGRAM.to_owned(), writable: false });
    plan.seccomp = SeccompClass::Runtime;
    plan.cpus.clone_from(&arguments.cpus);
    plan.limits = Limits {
        wall_time: arguments.seconds.map(|seconds| Nanos::from_millis(u64::from(seconds) * 1_000)),
        // Output that is passed on is not kept, so it needs no limit.
        output: Some(Bytes(u64::MAX)),
        ..Limits::unlimited()
    };
    let stderr = || {
        let stderr = rustix::stdio::stderr();
        stderr.try_clone_to_owned().context("cannot pass a descriptor on to the program")
    };
    let io = RunIo {
        stdin: Input::Empty,
        stdout: Output::Forward(stderr()?),
        stderr: Output::Forward(stderr()?),
        end_when: None,
    };
    let mut known = KnownTasks::of_this_process(roots, vec![slot.launcher()]);
    auditor.begin(&known);
    let ran = slot.run(&plan, io);
    // Because of leftovers of an earlier run, the slot may have started another launcher.
    known.launchers.push(slot.launcher());
    let audit = auditor.end(&known);
    match ran {
        Ok(ran) => Ok((audit, ran.result)),
        Err(error @ SandboxError::Interrupted) => {
            interrupt.check()?;
            Err(error.into())
        }
        Err(error) => Err(error.into()),
    }
}
