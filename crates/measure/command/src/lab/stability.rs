//! `tauto lab stability`: the same submission again and again near its limit.

use super::stage::{Stage, chosen, go_on, interrupted, out_folder, progress, spread};
use crate::arguments::StabilityArguments;
use documents::{LabJudgement, LabRun, LabStabilityReport, LabStabilitySide, LabStabilityVersion};
use host_command::wire::{machine_identity, named};
use labs::stability::{
    Arm, By, Decision, Judged, Series, Setting, Side, VersionSide, outcome, run as judge_all, versions,
};
use labs::{NEIGHBOURS, Size};
use model::Nanos;
use plot::{StripPlot, StripRow, Unit};
use ruling::RuleNumbers;
use std::process::ExitCode;
use terminal::failure::input;
use terminal::numbers::percent;
use terminal::{Report, Table};

/// Judgements of each arm.
const JUDGEMENTS: u32 = 100;
/// The same for `--quick`.
const JUDGEMENTS_QUICK: u32 = 5;
/// The program's time in per cent of the limit.
const NEEDS_PERCENT: [u32; 2] = [97, 103];
/// One run, as a comparison.
const PLAIN: &str = "plain";

pub fn run(arguments: &StabilityArguments, json: bool) -> anyhow::Result<ExitCode> {
    let mut programs = chosen(std::slice::from_ref(&arguments.program))?;
    programs.extend(NEIGHBOURS.iter().filter(|other| other.name != arguments.program));
    let folder = out_folder(arguments.lab.out.as_deref(), "stability")?;
    let usual = if arguments.lab.quick { JUDGEMENTS_QUICK } else { JUDGEMENTS };
    let judgements = arguments.judgements.unwrap_or(usual);
    // This must happen while the process has one thread.
    sandbox::enter_private_mounts()?;
    let mut stage = Stage::open(Size::Usual, &arguments.lab.lease, &programs)?;
    let mut loads = stage.start_loads(arguments.load)?;
    let Stage { interrupt, testbed, workshop, warnings } = stage;
    let Some(program) = workshop.ready.iter().find(|ready| ready.program.name == arguments.program) else {
        let why = workshop.left_out.first().map(|(name, why)| format!("{name} is left out: {why}"));
        return Err(input(why.unwrap_or_else(|| "the program cannot be made".to_owned())));
    };
    let is_neighbour = |name: &str| NEIGHBOURS.iter().any(|other| other.name == name);
    let neighbours: Vec<_> =
        workshop.ready.iter().filter(|ready| is_neighbour(ready.program.name)).cloned().collect();
    let mut report = LabStabilityReport {
        machine: machine_identity(&system::Machine::here().identity()),
        cpus: testbed.cpus().to_string(),
        load: loads.words(),
        neighbours: neighbours.iter().map(|ready| ready.program.name.to_owned()).collect(),
        program: program.program.name.to_owned(),
        argument: program.argument,
        judgements_wanted: judgements,
        complete: false,
        rule_version: RuleNumbers::CURRENT.version,
        calibrated_ns: 0,
        reference_ns: 0,
        first_half_ns: 0,
        second_half_ns: 0,
        drift: 0.0,
        void: None,
        sides: Vec::new(),
        versions: Vec::new(),
        references: Vec::new(),
        warnings,
    };
    let progress = progress(1);
    let mut last = 0;
    let setting = Setting { program, neighbours: &neighbours, judgements, needs_percent: NEEDS_PERCENT };
    let mut series = judge_all(&setting, testbed, &mut loads, &mut |done, all| {
        go_on(&interrupt)?;
        progress.expect(all as u64);
        progress.say(if done == 0 { "calibrating" } else { "judging" });
        (last..done).for_each(|_| progress.step());
        last = done;
        Ok(())
    });
    drop(progress);
    let stopped = series.error.take().map(|error| interrupted(&interrupt, error));
    if !add(&mut report, &series) {
        return Err(stopped.unwrap_or_else(|| anyhow::anyhow!("there is no run to report")));
    }
    let is_wrong = report.sides.iter().any(|side| side.by != PLAIN && side.flips + side.undecided > 0);
    let is_stopped = stopped.is_some();
    let code = report_of(&report).deliver(&folder, &report, json, stopped)?;
    Ok(if is_stopped { code } else { ExitCode::from(u8::from(is_wrong || report.void.is_some())) })
}

/// Adds the judgements; returns `false` if there are too few for any result.
fn add(report: &mut LabStabilityReport, series: &Series) -> bool {
    let references: Vec<Nanos> = series.references.iter().map(|run| run.usage.cpu_time).collect();
    let Some(outcome) = outcome(&references, &series.judged, series.calibrated) else { return false };
    report.sides = outcome.sides.iter().filter_map(|one| side(one, series, outcome.reference)).collect();
    report.versions = versions(&series.judged, outcome.reference).into_iter().map(version).collect();
    let wanted = u64::from(report.judgements_wanted);
    report.complete = report.sides.len() == 6 && report.sides.iter().all(|side| side.judgements == wanted);
    report.calibrated_ns = series.calibrated.0;
    report.reference_ns = outcome.reference.0;
    report.first_half_ns = outcome.first_half.0;
    report.second_half_ns = outcome.second_half.0;
    report.drift = outcome.drift;
    report.void = outcome.void;
    report.references = series.references.iter().map(LabRun::from).collect();
    true
}

fn version(side: VersionSide) -> LabStabilityVersion {
    let VersionSide { version, needs_percent, judgements, wrong, undecided, runs } = side;
    LabStabilityVersion {
        rule_version: version,
        needs_percent,
        judgements: judgements as u64,
        wrong: wrong as u64,
        undecided: undecided as u64,
        runs: runs as u64,
    }
}

fn side(side: &Side, series: &Series, reference: Nanos) -> Option<LabStabilitySide> {
    let Arm { by, needs_percent } = side.arm;
    let of = || series.judged.iter().filter(|judged| judged.arm == side.arm);
    let limit = of().next()?.limit;
    let by = match by {
        By::Alone => "alone",
        By::Among => "among",
        By::Plain => PLAIN,
    };
    Some(LabStabilitySide {
        by: by.to_owned(),
        needs_percent,
        needs_percent_measured: reference.0 as f64 / limit.0.max(1) as f64 * 100.0,
        limit_ns: limit.0,
        judgements: side.judgements as u64,
        flips: side.flips as u64,
        undecided: side.undecided as u64,
        extra_runs: side.extra_runs as u64,
        spread: spread(&side.times),
        each: of().map(judgement).collect(),
    })
}

fn judgement(judged: &Judged) -> LabJudgement {
    let (reported, why) = match &judged.decision {
        Decision::Within => ("within", None),
        Decision::Over => ("over", None),
        Decision::Undecided(why) => ("undecided", Some(why.clone())),
    };
    LabJudgement { outcome: reported.to_owned(), why, runs: judged.runs.iter().map(LabRun::from).collect() }
}

const COLUMNS: [&str; 8] = [
    "judged",
    "needs of limit",
    "measured",
    "judgements",
    "wrong",
    "undecided",
    "runs each",
    "lowest times spread",
];

fn name(side: &LabStabilitySide) -> &'static str {
    match side.by.as_str() {
        "alone" => "by the judge, alone",
        "among" => "by the judge, among neighbours",
        _ => "by one run, anywhere",
    }
}

fn report_of(document: &LabStabilityReport) -> Report {
    let mut report = Report::new("Does the same submission get the same verdict?");
    report.paragraph(
        "One program is judged again and again under load, with its limit set so that it needs a little less than the limit, \
         and a little more. A verdict that is not the one to be expected is wrong.",
    );
    if let Some(why) = &document.void {
        report.sentences(vec![format!("This series is void: {why}.")]);
    }
    let row = |side: &LabStabilitySide| {
        let runs = 1.0 + side.extra_runs as f64 / side.judgements.max(1) as f64;
        vec![
            name(side).to_owned(),
            format!("{} %", side.needs_percent),
            format!("{:.2} %", side.needs_percent_measured),
            side.judgements.to_string(),
            side.flips.to_string(),
            side.undecided.to_string(),
            format!("{runs:.2}"),
            side.spread.as_ref().map_or_else(|| "-".to_owned(), |spread| percent(spread.share)),
        ]
    };
    report.section("Verdicts near the limit");
    report.table("", Table::of(&COLUMNS, document.sides.iter().map(row)));
    let row = |side: &LabStabilityVersion| {
        let share = |count: u64| format!("{:.2} %", count as f64 * 100.0 / side.judgements.max(1) as f64);
        vec![
            format!("{} %", side.needs_percent),
            side.rule_version.to_string(),
            share(side.wrong),
            share(side.undecided),
            format!("{:.2}", side.runs as f64 / side.judgements.max(1) as f64),
        ]
    };
    report.section("Versions of the rule, on judgements drawn from these runs");
    report.table(
        "",
        Table::of(
            &["needs of limit", "rule", "wrong", "undecided", "runs each"],
            document.versions.iter().map(row),
        ),
    );
    report.figure("stability", strips(document), "Each dot is the lowest time of a judgement.");
    let machine = crate::bench::machine_words(&document.machine);
    let mut sentences = vec![
        format!(
            "100 %: {}, the lowest of {} reference runs ({} in the first half, {} in the second, {} apart)",
            Nanos(document.reference_ns),
            document.references.len(),
            Nanos(document.first_half_ns),
            Nanos(document.second_half_ns),
            percent(document.drift)
        ),
        format!(
            "program: {} {}, on {}; neighbours: {}{}",
            document.program,
            document.argument,
            named(&document.cpus),
            document.neighbours.join(", "),
            if document.complete { "" } else { "; not all judgements that were wanted were made" }
        ),
        format!("load: {}; rule: version {}", document.load, document.rule_version),
    ];
    sentences.extend(document.warnings.iter().map(|warning| format!("warning: {warning}")));
    report.sentences(sentences);
    report.details(vec![machine]);
    report
}

/// Times relative to the reference, in per cent.
const PERCENT: &[Unit] = &[Unit { name: "% of the lowest reference", size: 1.0 }];

/// Draws the lowest time of each judgement.
fn strips(report: &LabStabilityReport) -> String {
    let part = |ns: u64| ns as f64 / report.reference_ns.max(1) as f64 * 100.0;
    let row = |side: &LabStabilitySide| {
        let lowest = |judgement: &LabJudgement| judgement.runs.iter().map(|run| run.cpu_time_ns).min();
        let expected = if side.needs_percent <= 100 { "within" } else { "over" };
        let odd = side.each.iter().enumerate().filter(|(_, judgement)| judgement.outcome != expected);
        StripRow {
            label: format!(
                "{}, {} %: {} wrong, limit at {:.2}",
                name(side),
                side.needs_percent,
                side.flips,
                part(side.limit_ns)
            ),
            odd: odd.map(|(at, judgement)| (at, judgement.outcome.clone())).collect(),
            median: side.spread.as_ref().map(|spread| part(spread.median_ns)),
            median_range: None,
            values: side.each.iter().filter_map(lowest).map(part).collect(),
        }
    };
    let references = StripRow {
        label: "reference runs, by the judge, alone".to_owned(),
        values: report.references.iter().map(|run| part(run.cpu_time_ns)).collect(),
        odd: Vec::new(),
        median: None,
        median_range: None,
    };
    StripPlot {
        title: "The lowest CPU time of each judgement".to_owned(),
        quantity: "CPU time".to_owned(),
        units: PERCENT,
        dot: "the lowest time of a judgement",
        diamond: "one with another verdict than expected",
        rows: report.sides.iter().map(row).chain([references]).collect(),
    }
    .draw()
}
