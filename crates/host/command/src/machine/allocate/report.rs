//! The result as a document and in words.

use super::map::map;
use super::state::State;
use super::{Answer, Grant};
use crate::wire::named;
use allocator::defragment::{Plan, Proof};
use allocator::{NoFit, ShareError, Standing, Why};
use documents::{AllocationReport, BlockerReport, Granted, LeaseReport, MovePlan, MoveStep, Refused};
use model::{Bytes, counted};
use terminal::{Align, Cell, Report, Style, Table};

pub fn document(state: &State, answer: &Answer) -> AllocationReport {
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

/// Makes the report, from the document and what it does not have.
pub fn report_of(state: &State, answer: &Answer, document: &AllocationReport) -> Report {
    let mut report = Report::default();
    report.line(&format!(
        "{}: {} of {} usable cores are free, {}",
        document.machine,
        document.free_cores,
        document.usable_cores,
        counted(document.leases.len(), "lease")
    ));
    let mut refusals = Vec::new();
    if let Some(refused) = &document.refused {
        let style = if document.granted.is_some() { Style::Caution } else { Style::Bad };
        let now = if answer.plan.is_some() { "does not fit as things are" } else { "does not fit" };
        refusals.push(vec![Cell::styled(style, now), format!(": {}.", refused.message).into()]);
        refusals.push(vec![format!("To fix it: {}.", refused.remedy).into()]);
    }
    if let Some(why) = &document.plan_refused {
        refusals.push(vec![Cell::styled(Style::Bad, "no plan"), format!(": {why}.").into()]);
    }
    report.lines(refusals);
    if let Some(plan) = &document.plan {
        add_plan(&mut report, plan);
    }
    if let Some(granted) = &document.granted {
        report.lines(vec![grant(granted, answer.plan.is_some())]);
        report.sentences(granted.reasons.clone());
    }
    let leases = answer.plan.as_ref().map_or(&state.leases, |plan| &plan.after);
    let chosen = match &answer.granted {
        Some(Grant::Own(placement)) => Some(placement.as_ref()),
        _ => None,
    };
    report.code(&map(leases, chosen));
    report.cautions(document.warnings.iter().map(|warning| format!("warning: {warning}")).collect());
    report
}

fn grant(granted: &Granted, after_moves: bool) -> Vec<Cell> {
    let when = if after_moves { "granted after the moves" } else { "granted" };
    let mut text = format!(": {}", named(&granted.cpus));
    if !granted.idle_cpus.is_empty() {
        text.push_str(&format!(", with {} idle", granted.idle_cpus));
    }
    let nodes: Vec<String> = granted.numa_nodes.iter().map(ToString::to_string).collect();
    if !nodes.is_empty() {
        let ending = if nodes.len() == 1 { "" } else { "s" };
        text.push_str(&format!(", memory of NUMA node{ending} {}", nodes.join(" and ")));
    }
    vec![Cell::styled(Style::Good, when), text.into()]
}

fn add_plan(report: &mut Report, plan: &MovePlan) {
    if plan.moves.is_empty() {
        report.line("No lease needs to move.");
        return;
    }
    let columns = [
        ("move", Align::Right),
        ("lease", Align::Left),
        ("from", Align::Left),
        ("to", Align::Left),
        ("how far", Align::Left),
        ("memory left", Align::Right),
        ("price", Align::Right),
    ];
    let row = |(at, step): (usize, &MoveStep)| {
        [
            (at + 1).to_string(),
            step.lease.clone(),
            step.from_cpus.clone(),
            step.to_cpus.clone(),
            step.distance.replace('_', " "),
            Bytes(step.memory_left_bytes).to_string(),
            step.price.to_string(),
        ]
    };
    report.table("", Table::from_rows(&columns, plan.moves.iter().enumerate().map(row)));
    let proof = match (plan.best, plan.moves_min) {
        (true, _) => "no plan has fewer moves, nor one with as many a lower price".to_owned(),
        (false, 0) => "each move brings a lease closer together".to_owned(),
        (false, least) => format!("no plan has fewer than {least}"),
    };
    report.line(&format!(
        "{} for {}; {proof}.",
        counted(plan.moves.len(), "move"),
        counted(plan.price, "point")
    ));
}
