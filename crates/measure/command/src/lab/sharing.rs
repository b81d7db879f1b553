//! `tauto lab sharing`: the effect on times if others are judged on the same place, or at the same time.

use super::stage::{Stage, chosen, go_on, interrupted, out_folder, progress};
use crate::arguments::SharingArguments;
use documents::{LabRun, LabSharingCost, LabSharingProgram, LabSharingReport};
use host_command::wire::{machine_identity, named};
use labs::sharing::{Condition, Cost, RUNS, Rounds, Setting, costs, run as judge_all};
use labs::{NEIGHBOURS, Ready, Size};
use model::{Nanos, counted};
use plot::{StripPlot, StripRow, Unit};
use std::process::ExitCode;
use terminal::failure::input;
use terminal::numbers::percent;
use terminal::{Report, Table};

/// How often each program is judged under each condition.
const ROUNDS: u32 = 20;
/// The same for `--quick`.
const ROUNDS_QUICK: u32 = 2;

pub fn run(arguments: &SharingArguments, json: bool) -> anyhow::Result<ExitCode> {
    let mut programs = chosen(&arguments.programs)?;
    let count = programs.len();
    programs.extend(
        NEIGHBOURS
            .iter()
            .filter(|other| programs.iter().all(|one| one.name != other.name))
            .copied()
            .collect::<Vec<_>>(),
    );
    let folder = out_folder(arguments.lab.out.as_deref(), "sharing")?;
    let usual = if arguments.lab.quick { ROUNDS_QUICK } else { ROUNDS };
    let rounds = arguments.rounds.unwrap_or(usual);
    // This must happen while the process has one thread.
    sandbox::enter_private_mounts()?;
    let Stage { interrupt, testbed, workshop, warnings } =
        Stage::open(Size::Usual, &arguments.lab.lease, &programs)?;
    let measured = |ready: &&Ready| programs[..count].iter().any(|one| one.name == ready.program.name);
    let subjects: Vec<_> = workshop.ready.iter().filter(measured).cloned().collect();
    let is_neighbour = |ready: &&Ready| NEIGHBOURS.iter().any(|one| one.name == ready.program.name);
    let neighbours: Vec<_> = workshop.ready.iter().filter(is_neighbour).cloned().collect();
    if subjects.is_empty() || neighbours.is_empty() {
        return Err(input(warnings.join("; ")));
    }
    let cores = testbed.allowed_cores();
    let setting =
        Setting { programs: &subjects, neighbours: &neighbours, conditions: Condition::of(cores), rounds };
    let cpus = testbed.cpus().to_string();
    let steps = rounds as usize * setting.conditions.len() * subjects.len();
    let progress = progress(steps as u64);
    let mut last = String::new();
    let (done, error) = judge_all(&setting, testbed, &mut |what| {
        go_on(&interrupt)?;
        if last != what {
            (!last.is_empty()).then(|| progress.step());
            progress.say(what);
            what.clone_into(&mut last);
        }
        Ok(())
    });
    drop(progress);
    let stopped = error.map(|error| interrupted(&interrupt, error));
    if done.is_empty() {
        return Err(stopped.unwrap_or_else(|| anyhow::anyhow!("there is no run to report")));
    }
    let report = LabSharingReport {
        machine: machine_identity(&system::Machine::here().identity()),
        cpus,
        rounds_wanted: rounds,
        complete: stopped.is_none(),
        runs_each: RUNS,
        neighbours: neighbours.iter().map(|ready| ready.program.name.to_owned()).collect(),
        programs: subjects
            .iter()
            .enumerate()
            .map(|(at, ready)| program((at, ready), &setting, &done))
            .collect(),
        warnings,
    };
    report_of(&report).deliver(&folder, &report, json, stopped)
}

fn program((at, ready): (usize, &Ready), setting: &Setting<'_>, done: &Rounds) -> LabSharingProgram {
    let cost = |cost: Cost| {
        let judgements = done.get(&(at, cost.condition)).into_iter().flatten();
        let interval = cost.ratio.as_ref().and_then(|ratio| ratio.interval);
        let mut lowest = cost.lowest.clone();
        lowest.sort();
        LabSharingCost {
            condition: cost.condition.to_string(),
            lowest_median_ns: lowest.get(lowest.len() / 2).map_or(0, |time| time.0),
            ratio: cost.ratio.map(|ratio| ratio.ratio),
            ratio_low: interval.map(|interval| interval.low),
            ratio_high: interval.map(|interval| interval.high),
            run_spread: cost.run_spread,
            judgements: judgements.map(|runs| runs.iter().map(LabRun::from).collect()).collect(),
        }
    };
    LabSharingProgram {
        name: ready.program.name.to_owned(),
        what: ready.program.what.to_owned(),
        argument: ready.argument,
        costs: costs(at, &setting.conditions, done).into_iter().map(cost).collect(),
    }
}

fn report_of(document: &LabSharingReport) -> Report {
    let mut report =
        Report::new("What sharing costs: other submissions on the same place, and on neighbouring places");
    report.paragraph(&format!(
        "Each program is judged again and again, {} runs each time, the lowest of which counts: alone, while neighbours are \
         judged on the same place, and while other places are timed as well. Conditions take turns, and times are compared \
         round by round.",
        document.runs_each
    ));
    let header = ["program, condition", "lowest", "times alone", "95 % interval", "single runs spread"];
    let rows = document.programs.iter().flat_map(|program| {
        program.costs.iter().map(move |cost| {
            let interval = cost.ratio_low.zip(cost.ratio_high);
            let dash = || "-".to_owned();
            vec![
                format!("{}, {}", program.name, cost.condition),
                Nanos(cost.lowest_median_ns).to_string(),
                cost.ratio.map_or_else(dash, |ratio| format!("{ratio:.4}")),
                interval.map_or_else(dash, |(low, high)| format!("{low:.4} - {high:.4}")),
                percent(cost.run_spread),
            ]
        })
    });
    report.section("Lowest of five, and how single runs spread");
    report.table("", Table::of(&header, rows));
    report.figure(
        "sharing",
        ratios(document),
        "Each dot is a round: its lowest time as a multiple of the same round's alone.",
    );
    let mut sentences = vec![format!(
        "{} on {}; neighbours: {}{}",
        counted(document.rounds_wanted, "round"),
        named(&document.cpus),
        document.neighbours.join(", "),
        if document.complete { "" } else { "; ended before its time" }
    )];
    sentences.extend(document.warnings.iter().map(|warning| format!("warning: {warning}")));
    report.sentences(sentences);
    report.details(vec![crate::bench::machine_words(&document.machine)]);
    report
}

const TIMES: &[Unit] = &[Unit { name: "times alone", size: 1.0 }];

/// Draws each round's ratio.
fn ratios(report: &LabSharingReport) -> String {
    let lowest = |cost: &LabSharingCost| -> Vec<f64> {
        let lowest = |runs: &Vec<LabRun>| runs.iter().map(|run| run.cpu_time_ns).min();
        cost.judgements.iter().filter_map(lowest).map(|ns| ns as f64).collect()
    };
    let row = |(program, cost): (&LabSharingProgram, &LabSharingCost)| {
        let alone = program.costs.first().map(&lowest).unwrap_or_default();
        StripRow {
            label: format!("{}, {}", program.name, cost.condition),
            values: lowest(cost).iter().zip(alone).map(|(own, alone)| own / alone).collect(),
            odd: Vec::new(),
            median: cost.ratio,
            median_range: cost.ratio_low.zip(cost.ratio_high),
        }
    };
    let compared =
        report.programs.iter().flat_map(|one| one.costs.iter().skip(1).map(move |cost| (one, cost)));
    StripPlot {
        title: "Lowest CPU time as a multiple of that alone".to_owned(),
        quantity: "CPU time".to_owned(),
        units: TIMES,
        dot: "a round",
        diamond: StripPlot::APART,
        rows: compared.map(row).collect(),
    }
    .draw()
}
