//! A prediction as text, picture and document.

use super::{Answer, Prediction};
use noise::closed::{Doubt, Regime, crossover_nodes, doubts};
use noise::model::{Ends, Phases, Reported, Stencil, Window};
use noise::{Occurrence, Source};
use plot::{Axis, LinePlot, LineSeries, Unit};
use terminal::numbers::percent;
use terminal::{Align, Report, Table};

const STENCILS: &[(Stencil, &str)] =
    &[(Stencil::Line, "1d"), (Stencil::Square4, "2d"), (Stencil::Square8, "2d8"), (Stencil::Cube6, "3d")];

/// Makes the text of what is known at once: the formulas' answer.
pub(super) fn formulas(prediction: &Prediction, answers: &[Answer]) -> Report {
    let scenario = &prediction.scenario;
    let mut report = Report::default();
    let mut lines: Vec<String> = prediction.from.iter().cloned().collect();
    if let Some(preset) = prediction.preset {
        lines.push(format!("{} ({}); {}", preset.title, preset.place, preset.remark));
    }
    let sources: Vec<String> = scenario.sources.iter().map(describe).collect();
    lines.push(format!(
        "T_C {}, {} of noise by {}",
        time(scenario.compute_ns),
        percent(scenario.share()),
        sources.join(", ")
    ));
    if let Some(most) = answers.iter().max_by_key(|answer| answer.nodes) {
        report.statement(&format!("By formulas, {}.", conclusion(prediction, most)));
    }
    report.sentences(lines);
    let over = format!("over {}", prediction.reference);
    let mut table = Table::new(&[
        ("nodes", Align::Right),
        ("formula", Align::Right),
        ("extra", Align::Right),
        (&over, Align::Right),
        ("", Align::Left),
    ]);
    for Answer { nodes, closed, closed_difference_ns, .. } in answers {
        let mark = if closed.is_checked { "" } else { " ?" };
        table.row(vec![
            nodes.to_string().into(),
            time(closed.iteration_ns).into(),
            percent(closed.iteration_ns / closed.quiet_ns - 1.0).into(),
            time(*closed_difference_ns).into(),
            format!("{}{mark}", regime(closed.regime)).into(),
        ]);
    }
    report.table("", table);
    let is_there = |of: Regime| answers.iter().any(|answer| answer.closed.regime == of);
    let legend: Vec<&str> = LEGEND.iter().filter(|(of, _)| is_there(*of)).map(|(_, words)| *words).collect();
    let mut notes: Vec<String> = legend.into_iter().map(str::to_owned).collect();
    let mut why: Vec<&str> = Vec::new();
    for answer in answers {
        for doubt in doubts(scenario, answer.nodes, prediction.plan.reported).into_iter().map(doubt) {
            if !why.contains(&doubt) {
                why.push(doubt);
            }
        }
    }
    if !why.is_empty() {
        notes.push(format!("? not checked by simulation: {} (docs/noise-model.md)", why.join("; ")));
    }
    report.sentences(notes);
    report
}

/// What each of the formulas means.
const LEGEND: [(Regime, &str); 4] = [
    (Regime::Linear, "linear: every detour anywhere delays all nodes"),
    (Regime::Crossover, "crossover: from linear to plateau"),
    (Regime::Plateau, "plateau: only the detours on the worst path count, so more nodes add little"),
    (Regime::Synchronised, "synchronised: noise comes everywhere at the same time, and no node waits"),
];

/// Says in a sentence what noise does to the most nodes.
fn conclusion(prediction: &Prediction, most: &Answer) -> String {
    let closed = &most.closed;
    let extra_ns = closed.iteration_ns - closed.quiet_ns;
    let nodes = if most.nodes == 1 { "1 node".to_owned() } else { format!("{} nodes", most.nodes) };
    let levels = format!("{:.0} nodes", crossover_nodes(&prediction.scenario));
    let beyond = match closed.regime {
        Regime::OneNode => String::new(),
        Regime::Linear => format!("; more nodes add as much each, until it levels off near {levels}"),
        Regime::Crossover => format!("; it levels off near {levels}"),
        Regime::Plateau => format!("; it levels off near {levels}, beyond which more nodes add little"),
        Regime::Synchronised => ", as on any number".to_owned(),
    };
    format!(
        "noise makes an iteration on {nodes} {} longer, by {}{beyond}",
        percent(extra_ns / closed.quiet_ns),
        time(extra_ns)
    )
}

pub(super) fn simulated(prediction: &Prediction, answers: &[Answer]) -> Report {
    let mut report = Report::default();
    let over = format!("over {}", prediction.reference);
    let mut table = Table::new(&[
        ("nodes", Align::Right),
        ("simulated", Align::Right),
        ("extra", Align::Right),
        (&over, Align::Right),
        ("+-", Align::Right),
        ("replicas", Align::Right),
        ("formula", Align::Right),
    ]);
    let points: Vec<_> =
        answers.iter().filter_map(|answer| Some((&answer.closed, answer.simulated.as_ref()?))).collect();
    for (closed, point) in &points {
        let half = point.difference.half_ns;
        table.row(vec![
            point.nodes.to_string().into(),
            time(point.iteration.mean_ns).into(),
            percent(point.iteration.mean_ns / closed.quiet_ns - 1.0).into(),
            time(point.difference.mean_ns).into(),
            if half.is_finite() { time(half).into() } else { "?".into() },
            format!("{}{}", point.replicas, if point.is_precise { " " } else { "*" }).into(),
            format!("{:+.1} %", (closed.iteration_ns / point.iteration.mean_ns - 1.0) * 100.0).into(),
        ]);
    }
    if points.is_empty() {
        return report;
    }
    report.table("", table);
    let mut notes = vec![format!(
        "+-: half of the {:.0} % interval of the difference; formula: by how much it is off an iteration's time",
        prediction.plan.stop.confidence * 100.0
    )];
    let reported = prediction.plan.reported;
    let seen = points
        .iter()
        .map(|(_, point)| noise::simulate::seen_nodes(&prediction.scenario, point.nodes, reported));
    if let Some((seen, _)) = seen.zip(&points).find(|(seen, (_, point))| *seen < point.nodes) {
        notes.push(format!(
            "from {seen} nodes on it is the same: within {} iterations nothing farther reaches the last node",
            prediction.scenario.iterations
        ));
    }
    let vague = points.iter().map(|(_, point)| *point).filter(|point| !point.is_precise);
    let wants: Vec<String> = vague
        .map(|point| match point.replicas_wanted {
            Some(wanted) => format!("{} nodes about {wanted}", point.nodes),
            None => format!("{} nodes more", point.nodes),
        })
        .collect();
    if !wants.is_empty() {
        notes.push(format!(
            "* less well known than to {} % of it, which wants more replicas than --work and --replicas allow: {}",
            prediction.plan.stop.precision * 100.0,
            wants.join(", ")
        ));
    }
    report.sentences(notes);
    report
}

fn doubt(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::SeveralSources => {
            "how more than two sources, or two that strike together, add up was not compared"
        }
        Doubt::OneNode => "detours of periodic sources meet each other, or their own, on every node",
        Doubt::Rate => "a source strikes rarer or more often than those that were compared",
        Doubt::Length => "detours are shorter or longer than those that were compared",
        Doubt::Periods => "the noise repeats its pattern so often that the worst place shows",
        Doubt::Maximum => "they are for the mean over all nodes, and the latest is later",
        Doubt::Iterations => "they are for 1000 iterations or more, all of them counted",
        Doubt::Window => "they are for --window own-finish",
        Doubt::Message => "messages take longer compared with T_C than was checked",
    }
}

fn describe(source: &Source) -> String {
    match source.occurrence {
        Occurrence::Periodic { frequency_hz } => {
            format!("{} Hz x {}", frequency(frequency_hz), time(source.length_ns))
        }
        Occurrence::Random { rate_hz } => {
            format!("random {} Hz x {}", frequency(rate_hz), time(source.length_ns))
        }
    }
}

/// To a thousandth, without zeros behind.
fn frequency(hz: f64) -> String {
    (if hz < 0.001 { hz } else { (hz * 1000.0).round() / 1000.0 }).to_string()
}

/// Five digits that matter, in the unit that fits.
fn time(ns: f64) -> String {
    let unit = Unit::fitting(Unit::TIME_NS, ns);
    let value = ns / unit.size;
    let decimals = if value.abs() >= 100.0 { 2 } else { 3 };
    format!("{value:.decimals$} {}", unit.name)
}

fn regime(regime: Regime) -> &'static str {
    match regime {
        Regime::OneNode => "one-node",
        Regime::Linear => "linear",
        Regime::Crossover => "crossover",
        Regime::Plateau => "plateau",
        Regime::Synchronised => "synchronised",
    }
}

/// Draws the difference over the number of nodes.
pub(super) fn draw(prediction: &Prediction, answers: &[Answer]) -> String {
    let place = |nodes: u64| (nodes as f64).log10();
    let curve = |label: &str, value: &dyn Fn(&Answer) -> Option<f64>| LineSeries {
        label: label.to_owned(),
        points: answers
            .iter()
            .filter_map(|answer| Some((place(answer.nodes), value(answer)?.max(0.0))))
            .collect(),
    };
    let mut x = Axis::new("nodes", Unit::COUNT);
    let powers = answers.iter().map(|answer| place(answer.nodes).ceil() as u32).max().unwrap_or(1).max(1);
    x.ticks = (0..=powers).map(|power| (f64::from(power), 10_u64.pow(power).to_string())).collect();
    let mut series = vec![curve("formula", &|answer| Some(answer.closed_difference_ns))];
    let simulated = curve("simulated", &|answer| Some(answer.simulated.as_ref()?.difference.mean_ns));
    if !simulated.points.is_empty() {
        series.push(simulated);
    }
    LinePlot {
        title: format!("An iteration's time over that of {} nodes", prediction.reference),
        x,
        y: Axis::new("added time", Unit::TIME_NS),
        series,
    }
    .draw()
}

pub(super) fn document(
    prediction: &Prediction,
    answers: &[Answer],
    interrupted: bool,
) -> documents::NoisePredictReport {
    let scenario = &prediction.scenario;
    let stencil =
        STENCILS.iter().find(|(stencil, _)| *stencil == scenario.stencil).map_or("", |(_, name)| name);
    documents::NoisePredictReport {
        model: documents::NoiseModel {
            compute_ns: scenario.compute_ns,
            message_ns: scenario.message_ns,
            sources: scenario.sources.iter().map(source).collect(),
            stencil: stencil.to_owned(),
            ends: match scenario.ends {
                Ends::Open => "open",
                Ends::Periodic => "periodic",
            }
            .to_owned(),
            window: match scenario.window {
                Window::OwnFinish => "own-finish",
                Window::Computing => "computing",
                Window::Lengthened => "lengthened",
            }
            .to_owned(),
            phases: match scenario.phases {
                Phases::OneOffset => "one-offset",
                Phases::Own => "own",
                Phases::Common => "common",
            }
            .to_owned(),
            reported: match prediction.plan.reported {
                Reported::Edge => "edge",
                Reported::Maximum => "maximum",
                Reported::Mean => "mean",
            }
            .to_owned(),
            iterations: scenario.iterations,
            warm_up: scenario.warm_up,
            reference_nodes: prediction.reference,
            share: scenario.share(),
            crossover_nodes: crossover_nodes(scenario),
        },
        profile: prediction.from.clone(),
        preset: prediction.preset.map(|preset| preset.name.to_owned()),
        seed: prediction.plan.seed,
        instructions: prediction.plan.instructions.name().to_owned(),
        points: answers.iter().map(|answer| point(prediction, answer)).collect(),
        interrupted,
    }
}

fn source(source: &Source) -> documents::NoiseModelSource {
    documents::NoiseModelSource {
        occurrence: match source.occurrence {
            Occurrence::Periodic { .. } => "periodic",
            Occurrence::Random { .. } => "random",
        }
        .to_owned(),
        frequency_hz: source.frequency_hz(),
        length_ns: source.length_ns,
    }
}

fn point(prediction: &Prediction, answer: &Answer) -> documents::NoisePoint {
    let lattice = prediction.scenario.stencil.lattice(answer.nodes);
    let closed = &answer.closed;
    let finite = |value: f64| value.is_finite().then_some(value);
    documents::NoisePoint {
        nodes: answer.nodes,
        lattice: [lattice.x, lattice.y, lattice.z],
        quiet_ns: closed.quiet_ns,
        closed: documents::NoiseClosedForm {
            iteration_ns: closed.iteration_ns,
            extra_ns: closed.iteration_ns - closed.quiet_ns,
            difference_ns: answer.closed_difference_ns,
            regime: regime(closed.regime).to_owned(),
            checked: closed.is_checked,
        },
        simulated: answer.simulated.as_ref().map(|point| documents::NoiseSimulated {
            iteration_ns: point.iteration.mean_ns,
            iteration_half_ns: finite(point.iteration.half_ns),
            extra_ns: point.iteration.mean_ns - closed.quiet_ns,
            difference_ns: point.difference.mean_ns,
            difference_half_ns: finite(point.difference.half_ns),
            replicas: point.replicas as u64,
            precise: point.is_precise,
            replicas_wanted: point.replicas_wanted,
            node_iterations: point.units,
        }),
    }
}
