//! `tauto noise exchange`: the neighbour-exchange benchmark over MPI.

use super::exchange_tables;
use crate::arguments::ExchangeArguments;
use cpus::Registry;
use documents::{ExchangeSize, NoiseExchangeReport, Unavailable};
use host_command::here::{allowed_cpus, busy, command_folders, stay_on};
use host_command::wire::machine_identity;
use labs::exchange::{Costs, ExchangeError, Mpi, Phases, Plan, Program, Run, costs_of, outcome, warm_up};
use model::CpuSet;
use std::num::NonZeroU32;
use std::process::ExitCode;
use std::sync::Arc;
use terminal::failure::input;
use terminal::interrupt::Interrupt;
use terminal::{Progress, print_result};
use timing::{Choice, IfTaken, TimedCpus};

/// The numbers of ranks by which the article explains all others.
const SMALL_SIZES: [u32; 3] = [1, 2, 3];

/// Measures and prints.
pub fn run(arguments: &ExchangeArguments, json: bool) -> anyhow::Result<ExitCode> {
    check(arguments)?;
    let interrupt = Interrupt::listen()?;
    let progress = Progress::on_stderr(true);
    let (report, stopped) = measure(arguments, &interrupt, &progress)?;
    drop(progress);
    print_result(&report, json, exchange_tables::report_of)?;
    stopped.map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Measures every size; gives what there is, and why it is not all where we were asked to stop.
fn measure(
    arguments: &ExchangeArguments,
    interrupt: &Interrupt,
    progress: &Progress,
) -> anyhow::Result<(NoiseExchangeReport, Option<anyhow::Error>)> {
    let mpi = Mpi::find(&command_folders(), std::env::vars_os())?;
    let allowed = allowed_cpus()?;
    let registry = match &arguments.leases {
        None => Registry::here()?,
        Some(folder) => Registry::here_in(folder)?,
    };
    let taken = take(arguments, registry, &allowed, &arguments.lease.if_taken(interrupt));
    interrupt.check()?;
    let cpus = taken?;
    let helpers = cpus.helpers();
    let mut warnings = cpus.warnings().to_vec();
    warnings.extend(helpers.warning().map(str::to_owned));
    if let Some(folder) = &arguments.leases {
        let folder = folder.display();
        warnings.push(format!(
            "leases are in {folder}: other tauto processes do not see them, so these times are not valid"
        ));
    }
    stay_on(helpers.cpus())?;
    warnings.extend(busy(0.5));
    let program = Program::compile(mpi)?;
    let mut sizes: Vec<u32> = SMALL_SIZES.into_iter().filter(|size| *size < arguments.ranks).collect();
    // The largest first: it finds how many steps a call has, and the warm-up is that of a machine at rest.
    sizes.push(arguments.ranks);
    sizes.reverse();
    let plans: Vec<Plan> = sizes.iter().map(|size| plan(arguments, cpus.cpus(), *size)).collect();
    progress.expect(plans.iter().map(Plan::blocks).sum());
    let mut runs: Vec<(Plan, Run)> = Vec::new();
    let mut stopped = None;
    for mut plan in plans {
        plan.steps = runs.first().map(|(_, run)| run.steps);
        progress.say(format!("{} ranks", plan.ranks()));
        match program.run(&plan, &|| interrupt.check().is_err(), || progress.step()) {
            Ok(run) => runs.push((plan, run)),
            Err(ExchangeError::Stopped) if !runs.is_empty() => {
                stopped = interrupt.check().err().map(Into::into);
                break;
            }
            Err(error) => return Err(interrupt.check().map_or_else(Into::into, |()| error.into())),
        }
    }
    Ok((report(arguments, &mut runs, warnings, stopped.is_none()), stopped))
}

fn check(arguments: &ExchangeArguments) -> anyhow::Result<()> {
    let taken = |rank: u32| -> f64 {
        let on_rank = arguments.inject.iter().filter(|injection| injection.0.is_on(rank));
        on_rank.map(|injection| injection.0.source.share()).sum()
    };
    if let Some(rank) = (0..arguments.ranks).find(|rank| taken(*rank) >= 0.9) {
        return Err(input(format!(
            "--inject takes {:.0} % of all time of rank {rank}, which leaves too little for work; 90 % is the most",
            taken(rank) * 100.0
        )));
    }
    let named = arguments.inject.iter().filter_map(|injection| injection.0.ranks.as_ref()?.last());
    if let Some(rank) = named.into_iter().find(|rank| **rank >= arguments.ranks) {
        return Err(input(format!(
            "--inject names rank {rank}, and ranks are from 0 to {}; raise --np",
            arguments.ranks - 1
        )));
    }
    if arguments.inject.len() > labs::exchange::SOURCES_MAX {
        return Err(input(format!("--inject is given more than {} times", labs::exchange::SOURCES_MAX)));
    }
    Ok(())
}

/// Leases a CPU for each rank, or all cores if there are fewer.
fn take(
    arguments: &ExchangeArguments,
    registry: Registry,
    allowed: &CpuSet,
    if_taken: &IfTaken,
) -> anyhow::Result<TimedCpus> {
    let choice = match &arguments.cpus {
        Some(cpus) if !cpus.is_subset(allowed) => {
            return Err(input(format!(
                "--cpu-list {cpus} is not within what is allowed here, {}",
                allowed.named()
            )));
        }
        Some(cpus) => Choice::Named(cpus.clone()),
        None => {
            let cores = registry.topology().cores.iter().filter(|core| core.cpus.is_subset(allowed)).count();
            Choice::Leased(NonZeroU32::new(arguments.ranks.min(cores as u32)).unwrap_or(NonZeroU32::MIN))
        }
    };
    Ok(TimedCpus::take(Arc::new(registry), &choice, if_taken)?)
}

fn plan(arguments: &ExchangeArguments, cpus: &CpuSet, ranks: u32) -> Plan {
    let block = arguments.block.min(arguments.iterations);
    Plan {
        // The lowest CPUs serve most interrupts, so they come last.
        cpus: cpus.iter().rev().collect::<Vec<_>>().into_iter().cycle().take(ranks as usize).collect(),
        target: arguments.call,
        steps: None,
        message: arguments.message,
        rounds: arguments.iterations.div_ceil(block),
        iterations: block,
        boundary_permille: arguments.boundary * 10,
        tests: arguments.tests,
        injections: arguments.inject.iter().map(|injection| injection.0.clone()).collect(),
        phases: arguments.phases.into(),
        seed: arguments.seed,
    }
}

fn report(
    arguments: &ExchangeArguments,
    runs: &mut [(Plan, Run)],
    mut warnings: Vec<String>,
    complete: bool,
) -> NoiseExchangeReport {
    let first = runs.first().map(|(plan, run)| (plan.clone(), run.clone()));
    runs.sort_by_key(|(plan, _)| plan.ranks());
    let mut sizes: Vec<ExchangeSize> = Vec::new();
    let mut costs = None;
    for (plan, run) in runs.iter() {
        let outcome = outcome(plan, run, costs.filter(|_| plan.shares_cpus()));
        if !plan.shares_cpus() {
            costs = costs_of(&outcome).map(|costs| for_many(costs, plan.ranks()));
        }
        sizes.push(outcome);
    }
    warnings.extend(what_to_know(&sizes));
    let mut unavailable = Unavailable::new();
    let (plan, run) = first.unwrap_or_else(|| (plan(arguments, &CpuSet::new(), 0), Run::default()));
    let warm_up = warm_up(&run);
    if warm_up.is_none() {
        unavailable.insert("warm_up".to_owned(), "the MPI program did not report it".to_owned());
    }
    NoiseExchangeReport {
        machine: machine_identity(&system::Machine::here().identity()),
        library: run.library.clone(),
        call_wanted_ns: plan.target.0,
        call_steps: run.steps,
        message_bytes: plan.message.0,
        iterations: u64::from(plan.rounds) * u64::from(plan.iterations),
        block_iterations: plan.iterations,
        boundary_part: f64::from(plan.boundary_permille) / 1000.0,
        tests: plan.tests,
        injections: plan.injections.iter().map(injection).collect(),
        phases: if plan.phases == Phases::Own { "own" } else { "common" }.to_owned(),
        seed: plan.seed,
        clock_ns: run.clock_ns,
        warm_up,
        sizes,
        complete,
        warnings,
        unavailable,
    }
}

/// From three ranks on, those in the middle exchange with two neighbours: the article's T_C + 2 T^S.
fn for_many(costs: Costs, ranks: u32) -> Costs {
    Costs { exchange_ns: costs.exchange_ns * if ranks == 2 { 2.0 } else { 1.0 }, ..costs }
}

fn what_to_know(sizes: &[ExchangeSize]) -> Vec<String> {
    let mut warnings = Vec::new();
    let shared: Vec<String> =
        sizes.iter().filter(|size| size.cpus_shared).map(|size| size.ranks.to_string()).collect();
    if !shared.is_empty() {
        warnings.push(format!(
            "with {} ranks some share a CPU: their times are those of the scheduler, not of the model, and what noise adds is \
             computed only",
            shared.join(" and ")
        ));
    }
    for size in sizes.iter().filter(|size| size.blocks_moved > 0) {
        warnings.push(format!(
            "with {} ranks one was on another CPU than its own at the end of {} blocks: the kernel does not honour the pinning",
            size.ranks, size.blocks_moved
        ));
    }
    warnings
}

fn injection(injection: &labs::exchange::Injection) -> documents::ExchangeInjection {
    documents::ExchangeInjection {
        frequency_hz: injection.source.frequency_hz(),
        length_ns: injection.source.length_ns,
        ranks: injection.ranks.as_ref().map(|ranks| ranks.iter().copied().collect()),
    }
}
