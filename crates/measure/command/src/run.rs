//! `tauto run`: any command under limits, its input and output passed through.
//!
//! The wall time of whole commands is compared with other sandboxes, so nothing is read or started here that this run
//! does not need.

mod place;
pub mod plan;
mod pump;
pub mod report;
mod shown;

use crate::arguments::RunArguments;
use anyhow::Context;
use audit::{Auditor, KnownTasks};
use cpus::{QuietCpus, Registry};
use host_command::baseline::usual_here;
use host_command::here::{allowed_cpus, stay_on};
use host_command::machine::audit_tables;
use judging_command::image::root_view;
use model::{Audit, Bytes, CpuSet, Reading, RunEnd, RunResult};
use place::Place;
use rustix::fd::{AsFd, OwnedFd};
use sandbox::{
    CLOCK_CPUS_MAX, Counter, Counting, InitProcess, Input, Output, Ran, Role, RunIo, RunPlan, SandboxError,
    SlotOptions,
};
use std::io::IsTerminal;
use std::num::NonZeroU32;
use std::process::ExitCode;
use std::sync::Arc;
use system::{CounterReader, Roots};
use terminal::failure::{Failure, input};
use terminal::interrupt::Interrupt;
use terminal::{Colour, Standard, print};
use timing::{Choice, Exclusive, TimedCpus};

/// Runs the command and reports the result, or why it could not be run.
pub fn run(arguments: &RunArguments, init: Option<InitProcess>, json: bool) -> ExitCode {
    let failure = match attempt(arguments, init, json) {
        Ok(exit_code) => return exit_code,
        Err(error) => Failure::of(&error),
    };
    if failure.is_quiet() {
        return failure.exit_code();
    }
    // Standard output belongs to the program; an error is written where the report would be.
    let document = json.then(|| documents::to_json(&failure.report()));
    let reported = match (document, &arguments.output) {
        (Some(document), None) => report::deliver(&document, None),
        (document, file) => {
            let words = report::deliver(&failure.words(), None);
            document.map_or(Ok(()), |document| report::deliver(&document, file.as_deref())).and(words)
        }
    };
    // If even the error cannot be written, only the exit code reports it.
    let _ = reported;
    failure.exit_code()
}

fn attempt(arguments: &RunArguments, init: Option<InitProcess>, json: bool) -> anyhow::Result<ExitCode> {
    if arguments.output.is_none() {
        Standard::error().check()?;
    }
    let (mut plan, mut warnings) = plan::make(&arguments.sandbox, &arguments.command)?;
    plan::count(&mut plan, arguments)?;
    if arguments.dry_run {
        let mut text = format!("{plan}\n");
        if let Some(count) = leased_count(arguments) {
            text.push_str(&format!("lease    {count} CPUs, which ones shows when it runs\n"));
        }
        print(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    plan::enter_mounts(&arguments.sandbox)?;
    let allowed = allowed_cpus()?;
    if let Some(cpus) = plan.cpus.as_ref().filter(|cpus| !cpus.is_subset(&allowed)) {
        return Err(input(format!(
            "the CPU list {cpus} is not within what is allowed here, {}",
            allowed.named()
        )));
    }
    let interrupt = Interrupt::listen()?;
    if matches!(plan.counter, Some(Counter::Hardware(_))) && plan.cpus.is_none() {
        // It counts on named CPUs, and not on any number of them.
        plan.cpus = Some(allowed.iter().take(CLOCK_CPUS_MAX).collect());
    }
    let taken = match leased_count(arguments) {
        Some(count) => Some(take(arguments, count, &interrupt)?),
        None => None,
    };
    plan.counting = Counting::Hardware;
    if let Some(taken) = &taken {
        plan.cpus = Some(taken.cpus().clone());
        warnings.extend(taken.warnings().iter().cloned());
    }
    let isolated = taken.as_ref().filter(|_| arguments.isolate);
    let quiet = match isolated {
        Some(taken) => isolate(taken, &mut warnings)?,
        None => None,
    };
    let seen = arguments.sandbox.root.open(&interrupt)?;
    let root = root_view(seen.as_ref());
    let own = if isolated.is_some() { Exclusive::CpusAndMemory } else { Exclusive::Nothing };
    let options = SlotOptions {
        root,
        stop: Some(interrupt.stop()),
        roles: vec![Role::Contestant],
        cpus: taken.as_ref().map(|taken| taken.slot_cpus(own)).unwrap_or_default(),
    };
    let machines = plan::machines(&plan, seen.as_ref())?;
    let place = Place::open(options, init, machines)?;
    let user = place.user(Role::Contestant);
    plan::check_start(&plan, user)?;
    warnings.extend(plan::unwritable_mounts(&plan, user));
    warnings.extend(place.warning());
    let auditor = isolated.map(|taken| Auditor::open(&Roots::host(), &taken.whole_cores()));
    let (ran, audit) =
        execute(place, &plan, &allowed, auditor).map_err(|error| match error.downcast_ref() {
            Some(SandboxError::Interrupted) => interrupt.check().map_or_else(Into::into, |()| error),
            _ => error,
        })?;
    let is_shared = taken.as_ref().is_some_and(TimedCpus::is_shared);
    // Restore what was moved for the run before the CPUs are released.
    drop(quiet);
    drop(taken);
    let text = if json {
        let report = documents::RunReport::new(plan.argv.clone(), &plan.limits, &ran.result, warnings);
        documents::to_json(&documents::RunReport {
            audit: audit.as_ref().map(Into::into),
            shared_cpus: is_shared,
            ..report
        })
    } else {
        let audit = audit.as_ref().map(|audit| audit_tables::under_a_report(audit, Colour::Off));
        report::text(&plan.limits, &ran.result, is_shared, &warnings) + &audit.unwrap_or_default()
    };
    report::deliver(&text, arguments.output.as_deref())?;
    Ok(ExitCode::from(u8::from(ran.result.end != RunEnd::Exited(0))))
}

/// Returns how many CPUs to lease.
fn leased_count(arguments: &RunArguments) -> Option<NonZeroU32> {
    arguments.sandbox.cpus.or(arguments.isolate.then_some(NonZeroU32::MIN))
}

/// Leases CPUs for the run.
fn take(arguments: &RunArguments, count: NonZeroU32, interrupt: &Interrupt) -> anyhow::Result<TimedCpus> {
    let if_taken = arguments.lease.if_taken(interrupt);
    let taken = TimedCpus::take(Arc::new(Registry::here()?), &Choice::Leased(count), &if_taken);
    interrupt.check()?;
    Ok(taken?)
}

/// Keeps this process and the kernel's own work off the run's CPUs, the latter as long as the returned value exists.
fn isolate(taken: &TimedCpus, warnings: &mut Vec<String>) -> anyhow::Result<Option<QuietCpus>> {
    let helpers = taken.helpers();
    warnings.extend(helpers.warning().map(str::to_owned));
    stay_on(helpers.cpus())?;
    let quiet = taken.keep_quiet();
    warnings.extend(quiet.iter().flat_map(|quiet| quiet.warnings().iter().cloned()));
    Ok(quiet)
}

/// Runs the plan.
fn execute(
    place: Place,
    plan: &RunPlan,
    allowed: &CpuSet,
    mut auditor: Option<Auditor>,
) -> anyhow::Result<(Ran, Option<Audit>)> {
    let mut plan = plan.clone();
    // Output that is passed on is not kept, so it needs no default limit.
    plan.limits.output = plan.limits.output.or(Some(Bytes(u64::MAX)));
    let stdin = own(rustix::stdio::stdin())?;
    // The program could type into a terminal, and write to a named pipe's other users.
    let (stdin, pump) = match stdin.is_terminal() || sandbox::is_named_pipe(&stdin)? {
        true => pump::pump(stdin)?,
        false => (stdin, None),
    };
    let io = RunIo {
        stdin: Input::Descriptor(stdin),
        stdout: Output::Forward(own(rustix::stdio::stdout())?),
        stderr: Output::Forward(own(rustix::stdio::stderr())?),
        end_when: reader_gone()?,
    };
    let bound = plan.cpus.is_some();
    let cpus = plan.cpus.as_ref().unwrap_or(allowed);
    let mut counters = CounterReader::open(&Roots::host(), cpus);
    let known = KnownTasks {
        inits: vec![place.process()],
        ..KnownTasks::of_this_process(&Roots::host(), Vec::new())
    };
    if let Some(auditor) = &mut auditor {
        auditor.begin(&known);
    }
    let prepared = place.prepare(&plan, io)?;
    let before = counters.read();
    let mut ran = prepared.run(&plan)?;
    let after = counters.read();
    let audit = auditor.and_then(|mut auditor| auditor.end(&known).into_known());
    drop(pump);
    let RunResult { evidence, usage, .. } = &mut ran.result;
    let used = evidence.machine.as_ref().map_or(usage.cpu_time, |machine| machine.cpu_time);
    after.since(&before).fill(evidence, used, usage.wall_time);
    if !bound {
        evidence.cpus = allowed.clone();
        // Others may use CPUs that this run left idle.
        evidence.others_cpu_time = Reading::unavailable("the run was not bound to CPUs; see --cpus");
    }
    ran.result.compare_with(&usual_here(cpus));
    Ok((ran, audit))
}

/// Returns the descriptor that shows when the reader of standard output is gone, as in `tauto run -- yes | head`.
///
/// A pipe without a reader polls as an error, which counts as readable here; one with a reader never has anything to
/// read at this end.
fn reader_gone() -> anyhow::Result<Option<Arc<OwnedFd>>> {
    let stdout = rustix::stdio::stdout();
    let kind = rustix::fs::fstat(stdout).context("cannot look at standard output")?.st_mode;
    let is_pipe = rustix::fs::FileType::from_raw_mode(kind) == rustix::fs::FileType::Fifo;
    Ok(if is_pipe { Some(Arc::new(own(stdout)?)) } else { None })
}

fn own(descriptor: impl AsFd) -> anyhow::Result<OwnedFd> {
    descriptor.as_fd().try_clone_to_owned().context("cannot pass a descriptor on to the program")
}
