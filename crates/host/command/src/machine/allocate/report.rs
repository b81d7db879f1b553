//! The result as a document and in words.

use super::map::map;
use super::state::State;
use super::{Answer, Grant};
use crate::wire::named;
use allocator::defragment::{Plan, Proof};
use allocator::{NoFit, ShareError, Standing, Why};
use documents::{AllocationReport, BlockerReport, Granted, LeaseReport, MovePlan, MoveStep, Refused};
use model::{Bytes, counted};
use terminal::{Align, Cell, Colour, Style, Table, prose};

pub fn report(state: &State, answer: &Answer) -> AllocationReport {
    let leases = &state.leases;
    let usable = leases.machine().cores().filter(|(_, standing)| *standing == Standing::Usable).count();
    AllocationReport {
        machine: state.name.clone(),
        usable_cores: usable as u32,
        free_cores: leases.free_cores(),
        granted: answer.granted.as_ref().map(|grant| granted(grant, answer.takes_housekeeping)),
        refused: match (&answer.refused, &answer.no_share) {
            (Some(no_fit), _) => Some(refused(no_fit)),
            (None, Some(error)) => Some(refused_share(error)),
            (None, None) => None,
        },
        plan: answer.plan.as_ref().map(plan),
        plan_refused: answer.no_plan.as_ref().map(ToString::to_string),
        leases: leases
            .iter()
            .map(|lease| LeaseReport {
                id: lease.id.to_string(),
                cpus: lease.cpus.to_string(),
                idle_cpus: lease.idle.to_string(),
                numa_nodes: lease.memory_nodes.clone(),
                pinned: lease.pinned,
            })
            .collect(),
        warnings: state.warnings.clone(),
    }
}

fn granted(grant: &Grant, takes_housekeeping: bool) -> Granted {
    let mut granted = match grant {
        Grant::Own(placement) => Granted {
            cpus: placement.cpus.to_string(),
            idle_cpus: placement.idle.to_string(),
            numa_nodes: placement.memory_nodes.clone(),
            part: Some(placement.explanation.part.clone()),
            span: Some(placement.explanation.span.id().to_owned()),
            shared_set: None,
            reasons: placement.explanation.sentences(),
        },
        Grant::Shared { set, lease, shared, name } => Granted {
            cpus: lease.cpus.to_string(),
            idle_cpus: lease.idle.to_string(),
            numa_nodes: lease.memory_nodes.clone(),
            part: None,
            span: None,
            shared_set: Some(set.to_string()),
            reasons: vec![format!(
                "It shares the {} CPUs of '{set}' with {}, and has {:.2} of them by its weight when all want \
                 more than there is; {} CPUs may still be promised.",
                shared.cpus,
                counted(shared.holders.len() - 1, "other"),
                shared.worst_share_thousandths(name).unwrap_or(0) as f64 / 1000.0,
                shared.left()
            )],
        },
    };
    if takes_housekeeping {
        granted.reasons.push(
            "It takes the core that is kept for everything else, since nothing is left without it: a run there warns of \
             that."
                .to_owned(),
        );
    }
    granted
}

fn refused(no_fit: &NoFit) -> Refused {
    let reason = match no_fit.why {
        Why::NoSuchKind => "no_such_kind",
        Why::NoSuchNumaNode(_) => "no_such_numa_node",
        Why::NoSuchSpan => "no_such_span",
        Why::TooLarge => "too_large",
        Why::Taken => "taken",
        Why::Scattered => "scattered",
        Why::TooManyNeighbours => "too_many_neighbours",
    };
    Refused {
        reason: reason.to_owned(),
        message: no_fit.to_string(),
        remedy: no_fit.remedy(),
        cores_needed: no_fit.cores_needed,
        cores_free: no_fit.cores_free,
        cpus_that_fit: no_fit.cpus_that_fit,
        blockers: no_fit
            .blockers
            .iter()
            .map(|blocker| BlockerReport {
                id: blocker.id.to_string(),
                cores: blocker.cores,
                pinned: blocker.pinned,
            })
            .collect(),
    }
}

fn refused_share(error: &ShareError) -> Refused {
    let left = match error {
        ShareError::Full { left, .. } => *left,
        _ => 0,
    };
    Refused {
        reason: "shared_set_full".to_owned(),
        message: error.to_string(),
        remedy: match left {
            0 => "wait until another holder ends, or raise promise_percent".to_owned(),
            left => {
                format!("request at most {left}, wait until another holder ends, or raise promise_percent")
            }
        },
        cores_needed: 0,
        cores_free: 0,
        cpus_that_fit: left,
        blockers: Vec::new(),
    }
}

fn plan(plan: &Plan) -> MovePlan {
    MovePlan {
        moves: plan
            .moves
            .iter()
            .map(|made| MoveStep {
                lease: made.lease.to_string(),
                from_cpus: made.from.to_string(),
                to_cpus: made.to.to_string(),
                to_idle_cpus: made.to_idle.to_string(),
                distance: made.distance.id().to_owned(),
                memory_left_bytes: made.memory_left.0,
                price: made.price,
            })
            .collect(),
        price: plan.price,
        best: plan.proof == Proof::Best,
        moves_min: match plan.proof {
            Proof::Best => plan.moves.len() as u32,
            Proof::AtLeast(moves) => moves,
        },
    }
}

pub fn render(state: &State, answer: &Answer, report: &AllocationReport, colour: Colour) -> String {
    let mut text = format!(
        "{}: {} of {} usable cores are free, {}\n\n",
        report.machine,
        report.free_cores,
        report.usable_cores,
        counted(report.leases.len(), "lease")
    );
    if let Some(refused) = &report.refused {
        let style = if report.granted.is_some() { Style::Caution } else { Style::Bad };
        let now = if answer.plan.is_some() { "does not fit as things are" } else { "does not fit" };
        text.push_str(&prose("", 2, &format!("{}: {}.", colour.paint(style, now), refused.message)));
        text.push_str(&prose("  ", 4, &format!("To fix it: {}.", refused.remedy)));
    }
    if let Some(why) = &report.plan_refused {
        text.push_str(&prose("", 2, &format!("{}: {why}.", colour.paint(Style::Bad, "no plan"))));
    }
    if let Some(plan) = &report.plan {
        text.push_str(&render_plan(plan, colour));
    }
    if let Some(granted) = &report.granted {
        text.push_str(&render_granted(granted, answer.plan.is_some(), colour));
    }
    let (leases, chosen) = match (&answer.plan, &answer.granted) {
        (Some(plan), Some(Grant::Own(placement))) => (&plan.after, Some(placement.as_ref())),
        (Some(plan), _) => (&plan.after, None),
        (None, Some(Grant::Own(placement))) => (&state.leases, Some(placement.as_ref())),
        (None, _) => (&state.leases, None),
    };
    text.push('\n');
    text.push_str(&map(leases, chosen));
    for warning in &report.warnings {
        text.push_str(&prose("warning: ", 2, warning));
    }
    text
}

fn render_granted(granted: &Granted, after_moves: bool, colour: Colour) -> String {
    let when = if after_moves { "granted after the moves" } else { "granted" };
    let mut text = format!("{}: {}", colour.paint(Style::Good, when), named(&granted.cpus));
    if !granted.idle_cpus.is_empty() {
        text.push_str(&format!(", with {} idle", granted.idle_cpus));
    }
    let nodes: Vec<String> = granted.numa_nodes.iter().map(ToString::to_string).collect();
    if !nodes.is_empty() {
        text.push_str(&format!(", memory of NUMA node {}", nodes.join(" and ")));
    }
    text.push('\n');
    for reason in &granted.reasons {
        text.push_str(&prose("  ", 4, reason));
    }
    text
}

fn render_plan(plan: &MovePlan, colour: Colour) -> String {
    if plan.moves.is_empty() {
        return "No lease needs to move.\n".to_owned();
    }
    let mut table = Table::new(&[
        ("move", Align::Right),
        ("lease", Align::Left),
        ("from", Align::Left),
        ("to", Align::Left),
        ("how far", Align::Left),
        ("memory left", Align::Right),
        ("price", Align::Right),
    ]);
    for (at, step) in plan.moves.iter().enumerate() {
        table.row([
            (at + 1).to_string().into(),
            step.lease.as_str().into(),
            step.from_cpus.as_str().into(),
            step.to_cpus.as_str().into(),
            Cell::from(step.distance.replace('_', " ")),
            Bytes(step.memory_left_bytes).to_string().into(),
            step.price.to_string().into(),
        ]);
    }
    let proof = match (plan.best, plan.moves_min) {
        (true, _) => "no plan has fewer moves, nor one with as many a lower price".to_owned(),
        (false, 0) => "each move brings a lease closer together".to_owned(),
        (false, least) => format!("no plan has fewer than {least}"),
    };
    format!(
        "{}\n{} for {}; {proof}.\n",
        table.render(colour),
        counted(plan.moves.len(), "move"),
        counted(plan.price, "point")
    )
}
