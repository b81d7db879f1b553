//! `tauto lab clock`: the same programs by CPU time and by counted instructions, and how well counts predict times.

use super::stage::{Stage, chosen, go_on, interrupted, out_folder, progress, spread};
use crate::arguments::{ClockLabArguments, LoadOn};
use documents::{LabClockProgram, LabClockReport};
use host_command::arguments::ClockName;
use host_command::wire::{machine_identity, named};
use labs::clock::{Arm, Runs, run as run_all};
use labs::{Ready, Size};
use model::{InstructionCount, Nanos, counted};
use plot::{StripPlot, StripRow, Unit};
use std::process::ExitCode;
use terminal::numbers::percent;
use terminal::{Report, Table};

const ROUNDS: u32 = 10;
const ROUNDS_QUICK: u32 = 2;
/// Fewer say nothing about an order.
const ORDERED_MIN: usize = 3;

pub fn run(arguments: &ClockLabArguments, json: bool) -> anyhow::Result<ExitCode> {
    let programs = chosen(&arguments.programs)?;
    let counter = host_command::counter(ClockName::Instructions, arguments.counter)?
        .ok_or_else(|| anyhow::anyhow!("instructions have a counter"))?;
    let folder = out_folder(arguments.lab.out.as_deref(), "clock")?;
    let (size, usual) = if arguments.lab.quick { (Size::Quick, ROUNDS_QUICK) } else { (Size::Usual, ROUNDS) };
    let rounds = arguments.rounds.unwrap_or(usual);
    // This must happen while the process has one thread.
    sandbox::enter_private_mounts()?;
    let mut stage = Stage::open(size, &arguments.lab.lease, &programs)?;
    let mut loads = stage.start_loads(LoadOn::Everywhere)?;
    let Stage { interrupt, mut testbed, workshop, warnings } = stage;
    let ready = &workshop.ready;
    let progress = progress(u64::from(rounds) * (Arm::ALL.len() * ready.len()) as u64);
    let (runs, error) = run_all(ready, &counter, rounds, &mut testbed, &mut loads, &mut |name| {
        go_on(&interrupt)?;
        progress.say(name);
        progress.step();
        Ok(())
    });
    drop(progress);
    let stopped = error.map(|error| interrupted(&interrupt, error));
    let mut programs: Vec<LabClockProgram> =
        ready.iter().enumerate().filter_map(|(at, ready)| program(at, ready, &runs)).collect();
    if programs.is_empty() {
        let nothing = || anyhow::anyhow!("no program ran in each way: {}", warnings.join("; "));
        return Err(stopped.unwrap_or_else(nothing));
    }
    let usual = predict(&mut programs);
    let report = LabClockReport {
        machine: machine_identity(&system::Machine::here().identity()),
        cpus: testbed.cpus().to_string(),
        counter: counter.to_string(),
        load: loads.words(),
        rounds_wanted: rounds,
        complete: stopped.is_none(),
        usual_ns_per_instruction: usual,
        rank_correlation: (programs.len() >= ORDERED_MIN).then(|| order(&programs)),
        programs,
        warnings,
    };
    report_of(&report).deliver(&folder, &report, json, stopped)
}

/// Describes a program's runs; `None` if it did not run in each way.
fn program(at: usize, ready: &Ready, runs: &Runs) -> Option<LabClockProgram> {
    let of = |arm| runs.get(&(at, arm)).into_iter().flatten();
    let times = |arm| of(arm).map(|run| run.usage.cpu_time).collect::<Vec<_>>();
    let (calm, loaded) = (times(Arm::Calm), times(Arm::Loaded));
    let counts = of(Arm::Counted).filter_map(|run| run.usage.instructions.known());
    let instructions: Vec<u64> = counts.map(|count| count.0).collect();
    let (lowest, highest) = (*instructions.iter().min()?, *instructions.iter().max()?);
    let ns = |times: &[Nanos]| times.iter().map(|time| time.0).collect();
    let calm_spread = spread(&calm)?;
    Some(LabClockProgram {
        name: ready.program.name.to_owned(),
        what: ready.program.what.to_owned(),
        argument: ready.argument,
        calm_ns: ns(&calm),
        loaded_ns: ns(&loaded),
        loaded: spread(&loaded)?,
        count_spread: (highest - lowest) as f64 / lowest.max(1) as f64,
        ns_per_instruction: calm_spread.median_ns as f64 / median(&instructions).max(1.0),
        // Known once all programs are.
        times_predicted: 1.0,
        calm: calm_spread,
        instructions,
    })
}

/// Says of each program how its time compares with what its count predicts; returns the usual time of an instruction.
fn predict(programs: &mut [LabClockProgram]) -> f64 {
    let mut each: Vec<f64> = programs.iter().map(|program| program.ns_per_instruction).collect();
    let usual = stats::median_of(&mut each);
    for program in programs {
        program.times_predicted = program.ns_per_instruction / usual;
    }
    usual
}

/// Returns how well counts put programs into the order of their times.
fn order(programs: &[LabClockProgram]) -> f64 {
    let counts: Vec<f64> = programs.iter().map(|program| median(&program.instructions)).collect();
    let times: Vec<f64> = programs.iter().map(|program| program.calm.median_ns as f64).collect();
    stats::rank_correlation(&counts, &times)
}

fn median(counts: &[u64]) -> f64 {
    let mut counts: Vec<f64> = counts.iter().map(|count| *count as f64).collect();
    stats::median_of(&mut counts)
}

/// Returns the highest time less the lowest, as a share of the lowest, as counts have it.
fn range(times_ns: &[u64]) -> f64 {
    let (low, high) = (times_ns.iter().min().unwrap_or(&0), times_ns.iter().max().unwrap_or(&0));
    (high - low) as f64 / (*low).max(1) as f64
}

fn report_of(document: &LabClockReport) -> Report {
    let mut report = Report::new("What counting makes of times");
    report.paragraph(
        "Each program runs in three ways in turns: by CPU time on a core of its own with nothing on the others, by CPU time \
         while all CPUs are busy, and by counted instructions while all CPUs are busy. A range is the highest value less \
         the lowest, divided by the lowest.",
    );
    let row = |program: &LabClockProgram| {
        let exact = if program.count_spread == 0.0 { "0".to_owned() } else { small(program.count_spread) };
        vec![
            program.name.clone(),
            Nanos(program.calm.median_ns).to_string(),
            percent(range(&program.calm_ns)),
            Nanos(program.loaded.median_ns).to_string(),
            percent(range(&program.loaded_ns)),
            InstructionCount(median(&program.instructions) as u64).to_string(),
            exact,
        ]
    };
    let header = ["program", "calm", "range", "all CPUs busy", "range", "instructions, busy", "range"];
    report.section("The same program again and again");
    report.table("", Table::of(&header, document.programs.iter().map(row)));
    report.figure(
        "ranges",
        ranges(document),
        "Each dot is a run, in per cent of the lowest of its program in that way.",
    );
    let row = |program: &LabClockProgram| {
        vec![
            format!("{}: {}", program.name, program.what),
            format!("{:.3} ns", program.ns_per_instruction),
            format!("{:.2}", program.times_predicted),
        ]
    };
    report.section("How well a count predicts a time");
    report.table(
        "",
        Table::of(
            &["program", "an instruction takes", "times what is predicted"],
            document.programs.iter().map(row),
        ),
    );
    report.figure(
        "prediction",
        predictions(document),
        "Each dot is a run by CPU time on a calm core, divided by the program's count.",
    );
    let mut sentences = vec![format!(
        "an instruction usually takes {:.3} ns here: the median of the programs{}",
        document.usual_ns_per_instruction,
        document.rank_correlation.map_or_else(String::new, |rank| {
            format!("; counts and times have a rank correlation of {rank:.3}")
        })
    )];
    sentences.push(format!(
        "{} on {}; counter: {}; load: {}{}",
        counted(document.rounds_wanted, "round"),
        named(&document.cpus),
        document.counter,
        document.load,
        if document.complete { "" } else { "; ended before its time" }
    ));
    sentences.extend(document.warnings.iter().map(|warning| format!("warning: {warning}")));
    report.sentences(sentences);
    report.details(vec![crate::bench::machine_words(&document.machine)]);
    report
}

/// Writes a share that is so small that a usual percentage would be 0.
fn small(share: f64) -> String {
    if share < 1e-4 { format!("{:.1e} %", share * 100.0) } else { percent(share) }
}

const PERCENT: &[Unit] = &[Unit { name: "% of the lowest", size: 1.0 }];
const PER_INSTRUCTION: &[Unit] = &[Unit { name: "ns", size: 1.0 }];

/// Draws each program's runs in each way.
fn ranges(report: &LabClockReport) -> String {
    let rows = report.programs.iter().flat_map(|program| {
        [
            ("calm", &program.calm_ns),
            ("busy", &program.loaded_ns),
            ("busy, instructions", &program.instructions),
        ]
        .map(|(how, values)| {
            let lowest = values.iter().min().copied().unwrap_or(1).max(1) as f64;
            StripRow {
                label: format!("{}, {how}", program.name),
                values: values.iter().map(|value| *value as f64 / lowest * 100.0).collect(),
                odd: Vec::new(),
                median: Some(median(values) / lowest * 100.0),
                median_range: None,
            }
        })
    });
    StripPlot {
        title: "Runs of the same program".to_owned(),
        quantity: "CPU time or instructions".to_owned(),
        units: PERCENT,
        dot: "a run",
        diamond: StripPlot::APART,
        rows: rows.collect(),
    }
    .draw()
}

/// Draws how long an instruction of each program takes.
fn predictions(report: &LabClockReport) -> String {
    let row = |program: &LabClockProgram| {
        let count = median(&program.instructions).max(1.0);
        StripRow {
            label: program.name.clone(),
            values: program.calm_ns.iter().map(|ns| *ns as f64 / count).collect(),
            odd: Vec::new(),
            median: Some(program.ns_per_instruction),
            median_range: None,
        }
    };
    StripPlot {
        title: "CPU time of an instruction".to_owned(),
        quantity: "CPU time".to_owned(),
        units: PER_INSTRUCTION,
        dot: "a run",
        diamond: StripPlot::APART,
        rows: report.programs.iter().map(row).collect(),
    }
    .draw()
}
