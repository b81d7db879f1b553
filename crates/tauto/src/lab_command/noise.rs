//! `tauto lab noise`: the figures of the article on system noise, from our own measurement and model.

mod figures;
mod report;

use super::setting::{Amount, Setting};
use crate::arguments::NoiseLabArguments;
use lab::exchange::{ExchangeError, Mpi, Outcome, Phases, Plan, Program};
use lab::labs::noise::{FIGURES, Figure, mean_iteration};
use model::{Bytes, CpuId, Nanos, Reading};
use noise::sources::decompose;
use noise::{NodeLoad, Profile, QuantumSummary};
use probe::Roots;
use probe::noise::{NoiseError, Priority};
use std::process::ExitCode;

/// For `--quick`, by default, and for `--full`: blocks of each arm over MPI, and how long each CPU is watched.
const AMOUNTS: [Amount; 3] = [
    Amount { rounds: 4, time: Nanos::from_millis(2_000) },
    Amount { rounds: 40, time: Nanos::from_millis(10_000) },
    Amount { rounds: 200, time: Nanos::from_millis(30_000) },
];
/// The article's T_C in figure 2; of figure 1 it does not say it.
const CALL: Nanos = Nanos::from_micros(155);
/// The article's message.
const MESSAGE: Bytes = Bytes(1024);
/// The article's number of iterations in the model; a block here is as long.
const BLOCK: u32 = lab::labs::noise::ITERATIONS;
/// The part of a call, in thousandths, that neighbours need where the rest overlaps with messages.
const BOUNDARY_PERMILLE: u32 = 100;
/// The article's longest interrupt takes 580 us; what takes longer is another program.
const INTERRUPT_MAX: Nanos = Nanos::from_millis(1);
const REPLICAS: u32 = 64;
const REPLICAS_QUICK: u32 = 8;
const SEED: u64 = 1;

/// What was measured.
struct Measured {
    one: Profile,
    all: Profile,
    injected: Vec<(u32, Outcome)>,
    not_injected: Option<String>,
}

/// Does it.
///
/// # Errors
/// When it cannot be done.
pub fn run(arguments: &NoiseLabArguments, json: bool) -> anyhow::Result<ExitCode> {
    let setting = Setting::prepare("noise", &arguments.lab, AMOUNTS)?;
    setting.progress.expect(2 + FIGURES.len() as u64 * 2);
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
    let story = report::story(&document, &measured);
    setting.tell(&story, &api::to_json(&document), json, None)
}

/// Calls of the counting function and a look for detours, on each CPU.
fn measure(setting: &Setting, load: NodeLoad) -> anyhow::Result<Profile> {
    setting.progress.say(match load {
        NodeLoad::OneCpu => "calls and detours, one CPU after the other",
        NodeLoad::AllCpus => "calls and detours, all CPUs at once",
    });
    let plan = probe::noise::Plan {
        cpus: setting.cpus.clone(),
        load,
        looking: setting.amount.time,
        quantum: CALL,
        calls: (setting.amount.time.0 / CALL.0) as u32,
        priority: Priority::Usual,
        events: false,
    };
    let stop = || setting.interrupt.check().is_err();
    let profile = probe::noise::measure(&Roots::host(), &plan, &|_| (), &stop).map_err(|error| {
        match (&error, setting.interrupt.check()) {
            (NoiseError::Asked, Err(interrupted)) => interrupted.into(),
            _ => anyhow::Error::from(error).context("cannot measure the noise"),
        }
    })?;
    setting.progress.step();
    Ok(profile)
}

/// Two processes that exchange messages, with the noise of each figure injected.
fn over_mpi(setting: &Setting) -> anyhow::Result<Vec<(u32, Outcome)>> {
    // The lowest CPUs serve most interrupts.
    let cpus: Vec<CpuId> = setting.cpus.iter().rev().take(2).collect();
    if cpus.len() < 2 {
        anyhow::bail!("it takes two CPUs, and this process may use one");
    }
    let program = Program::compile(Mpi::find(&crate::machine_use::command_folders(), std::env::vars_os())?)?;
    let mut outcomes = Vec::new();
    for figure in FIGURES {
        setting.progress.say(format!("two processes over MPI with the noise of figure {}", figure.number));
        let plan = plan(&figure, cpus.clone(), setting.amount.rounds);
        let run = program.run(&plan, &|| setting.interrupt.check().is_err(), || ())?;
        outcomes.push((figure.number, Outcome::of(&plan, &run, None)));
        setting.progress.step();
    }
    Ok(outcomes)
}

fn plan(figure: &Figure, cpus: Vec<CpuId>, rounds: u32) -> Plan {
    let injection = |source| lab::exchange::Injection { source, ranks: None };
    Plan {
        cpus,
        target: Nanos::from_micros(figure.call_us),
        steps: None,
        message: MESSAGE,
        rounds,
        iterations: BLOCK,
        boundary_permille: BOUNDARY_PERMILLE,
        injections: figure.noise().into_iter().map(injection).collect(),
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

fn compute(figure: &Figure, replicas: u32, setting: &Setting) -> anyhow::Result<api::LabNoiseFigure> {
    let (sources, call_ns) = (figure.noise(), figure.call_us as f64 * 1e3);
    let mut curves = Vec::new();
    for curve in figure.curves {
        let mut points = Vec::new();
        for nodes in curve.nodes {
            setting.interrupt.check()?;
            let mean = mean_iteration(curve.shape, *nodes, call_ns, &sources, replicas, SEED);
            points.push(api::LabNoisePoint {
                nodes: *nodes,
                iteration_ns: mean.mean_ns,
                error_ns: mean.error_ns,
            });
        }
        curves.push(api::LabNoiseCurve { shape: curve.shape.id().to_owned(), points });
    }
    let source = |source: &noise::Source| api::ExchangeInjection {
        frequency_hz: source.frequency_hz(),
        length_ns: source.length_ns,
        ranks: None,
    };
    Ok(api::LabNoiseFigure {
        number: figure.number,
        call_ns: figure.call_us * 1000,
        sources: sources.iter().map(source).collect(),
        origin: figure.origin.to_owned(),
        replicas,
        curves,
    })
}

/// Names a load as documents do.
fn load(profile: &Profile) -> &'static str {
    match profile.load {
        NodeLoad::OneCpu => "one_cpu",
        NodeLoad::AllCpus => "all_cpus",
    }
}

/// Describes the calls on each CPU.
fn calls(profile: &Profile) -> Vec<api::LabNoiseCalls> {
    let each = profile.cpus.iter().filter_map(|cpu| {
        let Reading::Known(trace) = &cpu.quanta else { return None };
        let summary = QuantumSummary::of(trace, profile.rate)?;
        Some(api::LabNoiseCalls {
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
fn sources(profile: &Profile) -> Vec<api::LabNoiseSource> {
    let mut sources = Vec::new();
    for cpu in &profile.cpus {
        let Reading::Known(trace) = &cpu.gaps else { continue };
        let found = decompose(trace, profile.rate);
        // What rides on another source, or is the kernel's scheduler at work for others, is none of its own.
        let own = found
            .periodic
            .iter()
            .filter(|source| source.rides_on.is_none() && source.lengths.mean_ns < INTERRUPT_MAX.0 as f64);
        sources.extend(own.map(|source| api::LabNoiseSource {
            cpu: cpu.cpu.0,
            load: load(profile).to_owned(),
            frequency_hz: source.frequency_hz,
            length_ns: source.lengths.mean_ns,
            share: source.share,
        }));
    }
    sources
}

/// Says which CPUs a profile has no trace of.
fn missing(profile: &Profile) -> Vec<String> {
    let absent = profile.cpus.iter().filter_map(|cpu| match (&cpu.quanta, &cpu.gaps) {
        (Reading::Unavailable(why), _) | (_, Reading::Unavailable(why)) => {
            Some(format!("CPU {} could not be measured: {why}", cpu.cpu))
        }
        _ => None,
    });
    absent.collect()
}
