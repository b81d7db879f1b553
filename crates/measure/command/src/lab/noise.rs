//! `tauto lab noise`: the figures of the article on system noise, from measurements on this machine and from the model.

mod figures;
mod report;

use super::setting::{Amount, Setting};
use crate::arguments::NoiseLabArguments;
use anyhow::Context;
use documents::ExchangeSize;
use labs::exchange::{ExchangeError, Mpi, Phases, Plan, Program};
use labs::noise::{Curve, FIGURES, Figure};
use model::{Bytes, CpuId, Nanos, Reading};
use noise::closed::closed_form;
use noise::model::{Reported, Stencil};
use noise::simd::Instructions;
use noise::simulate::{Estimate, Reference, StopRule, simulate};
use noise::sources::decompose;
use noise::{NodeLoad, Profile, QuantumSummary};
use noise_probe::{NoiseError, Priority};
use std::process::ExitCode;
use system::Roots;

/// For `--quick`, by default, and for `--full`: blocks of each arm over MPI, and how long each CPU is probed.
const AMOUNTS: [Amount; 3] = [
    Amount { rounds: 4, time: Nanos::from_millis(2_000) },
    Amount { rounds: 20, time: Nanos::from_millis(10_000) },
    Amount { rounds: 200, time: Nanos::from_millis(30_000) },
];
/// The article's T_C in figure 2; for figure 1 it does not state it.
const CALL: Nanos = Nanos::from_micros(155);
/// The article's message size.
const MESSAGE: Bytes = Bytes(1024);
/// The article's number of iterations in the model; a block here has as many.
const BLOCK: u32 = 1000;
/// More processes take longer without showing anything new.
const RANKS_MAX: usize = 4;
/// The part of a call, in thousandths, that neighbours need if the rest overlaps with messages.
const BOUNDARY_PERMILLE: u32 = 100;
/// How often MPI is called meanwhile; otherwise Open MPI's messages would make no progress.
const TESTS: u32 = 4;
/// The article's longest interrupt takes 580 us; anything longer is another program.
const INTERRUPT_MAX: Nanos = Nanos::from_millis(1);
/// The number of nodes with which the article compares.
const REFERENCE: u64 = 3;
/// Where a difference is almost zero, a hundred-thousandth of T_C is precise enough.
const FLOOR: f64 = 1e-5;
/// Enough for one per cent of every difference that is not almost zero, and for `--quick`.
const REPLICAS: usize = 4000;
const REPLICAS_QUICK: usize = 32;
const SEED: u64 = 1;

/// The measurements.
struct Measured {
    one: Profile,
    all: Profile,
    injected: Vec<Injected>,
    not_injected: Option<String>,
}

/// The effect of a figure's noise on this many processes.
struct Injected {
    figure: u32,
    outcome: ExchangeSize,
}

pub fn run(arguments: &NoiseLabArguments, json: bool) -> anyhow::Result<ExitCode> {
    let setting = Setting::prepare("noise", &arguments.lab, AMOUNTS)?;
    let sizes = sizes(&setting).count() as u64;
    setting.progress.expect(2 + FIGURES.len() as u64 * (1 + sizes));
    let one = measure(&setting, NodeLoad::OneCpu)?;
    let all = measure(&setting, NodeLoad::AllCpus)?;
    let (injected, not_injected) = match over_mpi(&setting) {
        Ok(injected) => (injected, None),
        Err(error) => {
            setting.interrupt.check()?;
            (Vec::new(), Some(why_not(&error)))
        }
    };
    let replicas = if arguments.lab.quick { REPLICAS_QUICK } else { REPLICAS };
    let figures = FIGURES
        .iter()
        .map(|figure| {
            setting.progress.say(format!("the model of figure {}", figure.number));
            let computed = compute(figure, replicas, &setting);
            setting.progress.step();
            computed
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let measured = Measured { one, all, injected, not_injected };
    let document = report::document(&setting, &measured, figures);
    let report = report::report(&document, &measured);
    setting.deliver(&report, &document, json, None)
}

/// Calls of the counting function and a probe for detours, on each CPU.
fn measure(setting: &Setting, load: NodeLoad) -> anyhow::Result<Profile> {
    setting.progress.say(match load {
        NodeLoad::OneCpu => "calls and detours, one CPU after the other",
        NodeLoad::AllCpus => "calls and detours, all CPUs at once",
    });
    let plan = noise_probe::Plan {
        cpus: setting.cpus.clone(),
        load,
        looking: setting.amount.time,
        quantum: CALL,
        calls: (setting.amount.time.0 / CALL.0) as u32,
        priority: Priority::Normal,
        events: false,
    };
    let stop = || setting.interrupt.check().is_err();
    let profile = noise_probe::measure(&Roots::host(), &plan, &|_| (), &stop).map_err(|error| {
        match (&error, setting.interrupt.check()) {
            (NoiseError::Asked, Err(interrupted)) => interrupted.into(),
            _ => anyhow::Error::from(error).context("cannot measure the noise"),
        }
    })?;
    setting.progress.step();
    Ok(profile)
}

/// From two processes up to as many as there are CPUs for.
fn sizes(setting: &Setting) -> impl Iterator<Item = usize> {
    2..=setting.cpus.len().min(RANKS_MAX)
}

/// Processes that exchange messages, with the noise of each figure injected.
fn over_mpi(setting: &Setting) -> anyhow::Result<Vec<Injected>> {
    if sizes(setting).next().is_none() {
        anyhow::bail!("it takes two CPUs, and this process may use one");
    }
    let program = Program::compile(Mpi::find(&host_command::here::command_folders(), std::env::vars_os())?)?;
    let mut all = Vec::new();
    for figure in FIGURES {
        for size in sizes(setting) {
            setting
                .progress
                .say(format!("{size} processes over MPI with the noise of figure {}", figure.number));
            // The lowest CPUs serve most interrupts.
            let cpus: Vec<CpuId> = setting.cpus.iter().rev().take(size).collect();
            let plan = plan(&figure, cpus, setting.amount.rounds);
            let run = program.run(&plan, &|| setting.interrupt.check().is_err(), || ())?;
            all.push(Injected { figure: figure.number, outcome: labs::exchange::outcome(&plan, &run, None) });
            setting.progress.step();
        }
    }
    Ok(all)
}

fn plan(figure: &Figure, cpus: Vec<CpuId>, rounds: u32) -> Plan {
    let injection = |source| labs::exchange::Injection { source, ranks: None };
    Plan {
        cpus,
        target: Nanos(call_ns(figure)),
        steps: None,
        message: MESSAGE,
        rounds,
        iterations: BLOCK,
        boundary_permille: BOUNDARY_PERMILLE,
        tests: TESTS,
        injections: figure.preset().sources().into_iter().map(injection).collect(),
        phases: Phases::Own,
        seed: SEED,
    }
}

fn why_not(error: &anyhow::Error) -> String {
    match error.downcast_ref::<ExchangeError>() {
        Some(ExchangeError::Missing(name)) => {
            format!("{name} is not installed here: apt-get install openmpi-bin libopenmpi-dev")
        }
        _ => format!("{error:#}"),
    }
}

/// T_C of a figure.
fn call_ns(figure: &Figure) -> u64 {
    (figure.preset().compute_us * 1e3) as u64
}

fn compute(figure: &Figure, replicas: usize, setting: &Setting) -> anyhow::Result<documents::LabNoiseFigure> {
    let curves = figure
        .curves
        .iter()
        .map(|curve| {
            let points = curve.nodes.iter().map(|nodes| point(figure, curve, *nodes, replicas, setting));
            let points = points.collect::<anyhow::Result<Vec<_>>>()?;
            Ok(documents::LabNoiseCurve { shape: shape(curve.stencil).to_owned(), points })
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let preset = figure.preset();
    let source = |source: noise::Source| documents::ExchangeInjection {
        frequency_hz: source.frequency_hz(),
        length_ns: source.length_ns,
        ranks: None,
    };
    Ok(documents::LabNoiseFigure {
        number: figure.number,
        call_ns: call_ns(figure),
        sources: preset.sources().into_iter().map(source).collect(),
        origin: format!("{}; {}", preset.place, preset.remark),
        preset: preset.name.to_owned(),
        curves,
    })
}

/// Simulates a point of a curve, and computes it with formulas.
fn point(
    figure: &Figure,
    curve: &Curve,
    nodes: u32,
    replicas: usize,
    setting: &Setting,
) -> anyhow::Result<documents::LabNoisePoint> {
    let scenario = figure.scenario(curve);
    let plan = noise::simulate::Plan {
        reported: Reported::Edge,
        seed: SEED,
        stop: StopRule {
            replicas_max: replicas,
            floor_ns: scenario.compute_ns * FLOOR,
            ..StopRule::default()
        },
        instructions: Instructions::best(),
    };
    let go_on = |_| setting.interrupt.check().is_ok();
    let simulated = simulate(&scenario, nodes.into(), &mut Reference::new(REFERENCE), &plan, go_on)?;
    setting.interrupt.check()?;
    let simulated = simulated.context("the simulation ended before it began")?;
    let closed_ns = |nodes| closed_form(&scenario, nodes, plan.reported).iteration_ns;
    let Estimate { mean_ns: over_three_ns, half_ns: over_three_half_ns } = simulated.difference;
    Ok(documents::LabNoisePoint {
        nodes,
        iteration_ns: simulated.iteration.mean_ns,
        half_ns: simulated.iteration.half_ns,
        over_three_ns,
        over_three_half_ns,
        replicas: simulated.replicas as u32,
        closed_ns: closed_ns(nodes.into()),
        closed_over_three_ns: closed_ns(nodes.into()) - closed_ns(REFERENCE),
    })
}

/// Returns the name of a stencil in documents.
fn shape(stencil: Stencil) -> &'static str {
    if stencil == Stencil::Line { "line" } else { "square" }
}

/// Returns the name of a load in documents.
fn load(profile: &Profile) -> &'static str {
    match profile.load {
        NodeLoad::OneCpu => "one_cpu",
        NodeLoad::AllCpus => "all_cpus",
    }
}

/// Describes the calls on each CPU.
fn calls(profile: &Profile) -> Vec<documents::LabNoiseCalls> {
    let each = profile.cpus.iter().filter_map(|cpu| {
        let Reading::Known(trace) = &cpu.quanta else { return None };
        let summary = QuantumSummary::of(trace, profile.rate)?;
        Some(documents::LabNoiseCalls {
            cpu: cpu.cpu.0,
            load: load(profile).to_owned(),
            call_wanted_ns: summary.target.0,
            calls: summary.calls,
            median_ns: summary.lengths.p50_ns,
            max_ns: summary.lengths.max_ns,
            first_quarter_ratio: summary.warm_up.map(|warm_up| warm_up.slower),
        })
    });
    each.collect()
}

/// Describes the periodic sources on each CPU.
fn sources(profile: &Profile) -> Vec<documents::LabNoiseSource> {
    let mut sources = Vec::new();
    for cpu in &profile.cpus {
        let Reading::Known(trace) = &cpu.gaps else { continue };
        let found = decompose(trace, profile.rate);
        // A source that rides on another one, or is the scheduler's work for other tasks, does not count.
        let own = found
            .periodic
            .iter()
            .filter(|source| source.rides_on.is_none() && source.lengths.mean_ns < INTERRUPT_MAX.0 as f64);
        sources.extend(own.map(|source| documents::LabNoiseSource {
            cpu: cpu.cpu.0,
            load: load(profile).to_owned(),
            frequency_hz: source.frequency_hz,
            length_ns: source.lengths.mean_ns,
            share: source.share,
        }));
    }
    sources
}

/// Returns the CPUs for which a profile has no trace.
fn missing(profile: &Profile) -> Vec<String> {
    let absent = profile.cpus.iter().filter_map(|cpu| match (&cpu.quanta, &cpu.gaps) {
        (Reading::Unavailable(why), _) | (_, Reading::Unavailable(why)) => {
            Some(format!("CPU {} could not be measured: {why}", cpu.cpu))
        }
        _ => None,
    });
    absent.collect()
}
