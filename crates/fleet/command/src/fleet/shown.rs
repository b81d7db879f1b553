//! What `tauto fleet` shows.

use super::meaning::meant;
use documents::contest::Time;
use documents::{FleetEvent, FleetNode, FleetPool, FleetReport};
use operator::View;
use pools::{JudgeNode, JudgePool, NodeState, Service};
use terminal::{Align, Cell, Report, Style, Table};

/// The last warnings of a status.
const WARNINGS: usize = 5;

/// Returns pools and machines.
pub async fn fleet(view: &View) -> anyhow::Result<FleetReport> {
    let pools = view.pools().await.map_err(meant)?;
    let nodes = view.nodes().await.map_err(meant)?;
    Ok(FleetReport {
        namespace: view.namespace.clone(),
        pools: pools.iter().map(pool).collect(),
        nodes: nodes.iter().map(node).collect(),
        events: Vec::new(),
    })
}

fn pool(pool: &JudgePool) -> FleetPool {
    let status = pool.status.clone().unwrap_or_default();
    let service = match pool.spec.service {
        Service::Strict => "strict",
        Service::Fast => "fast",
    };
    let reason = match pool.status {
        Some(_) => status.reason,
        None => "no operator has looked at it: is 'tauto fleet operator' running?".to_owned(),
    };
    FleetPool {
        name: pool.metadata.name.clone().unwrap_or_default(),
        hardware: pool.spec.hardware.clone(),
        service: service.to_owned(),
        ready: status.ready,
        wanted: status.wanted,
        min: pool.spec.size.min,
        max: pool.spec.size.max,
        calibrated: status.calibrated,
        out: status.out,
        waiting: status.waiting,
        judging: status.judging,
        verdict_p99: status.verdict_p99,
        reason,
    }
}

fn node(node: &JudgeNode) -> FleetNode {
    let status = node.status.clone().unwrap_or_default();
    let calibration = status.calibration;
    FleetNode {
        name: node.metadata.name.clone().unwrap_or_default(),
        pool: node.spec.pool.clone(),
        state: status.state.word().to_owned(),
        jobs: status.jobs,
        reference: calibration.as_ref().map(|shown| shown.reference.clone()),
        lost: calibration.map(|shown| shown.lost),
        reason: status.reason,
    }
}

pub fn events(events: Vec<operator::FleetEvent>) -> Vec<FleetEvent> {
    let shown = |event: operator::FleetEvent| FleetEvent {
        time: Time(event.at_unix_ms),
        is_warning: event.is_warning,
        about: event.about,
        reason: event.reason,
        note: event.note,
    };
    events.into_iter().map(shown).collect()
}

/// The order of `top`.
pub fn busiest_first(report: &mut FleetReport) {
    report.nodes.sort_by(|one, other| other.jobs.cmp(&one.jobs).then_with(|| one.name.cmp(&other.name)));
}

pub fn status(fleet: &FleetReport) -> Report {
    let mut report = pools(fleet);
    let not_ready: Vec<&FleetNode> = fleet.nodes.iter().filter(|node| node.state != "Ready").collect();
    if not_ready.is_empty() && !fleet.nodes.is_empty() {
        report.line(&format!("all {} machines are ready", fleet.nodes.len()));
    } else if !not_ready.is_empty() {
        report.table("not ready", node_table(&not_ready));
    }
    let warnings: Vec<&FleetEvent> = fleet.events.iter().filter(|event| event.is_warning).collect();
    if !warnings.is_empty() {
        let last = &warnings[warnings.len().saturating_sub(WARNINGS)..];
        report.table("last warnings", event_table(last));
    }
    report
}

pub fn pools(fleet: &FleetReport) -> Report {
    let mut report = Report::default();
    if fleet.pools.is_empty() {
        report.line(&format!("namespace {} has no pool; docs/kubernetes.md shows one", fleet.namespace));
        return report;
    }
    let columns = [
        ("pool", Align::Left),
        ("ready", Align::Right),
        ("limits", Align::Right),
        ("calibrated", Align::Right),
        ("out", Align::Right),
        ("queue", Align::Right),
        ("judging", Align::Right),
        ("verdict p99", Align::Right),
        ("reason", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for pool in &fleet.pools {
        let ready = format!("{} of {}", pool.ready, pool.wanted);
        let count = |count: Option<u64>| count.map_or("-".to_owned(), |count| count.to_string());
        table.row([
            pool.name.as_str().into(),
            if pool.ready < pool.wanted { Cell::styled(Style::Bad, ready) } else { ready.into() },
            format!("{} to {}", pool.min, pool.max).into(),
            pool.calibrated.to_string().into(),
            pool.out.to_string().into(),
            count(pool.waiting).into(),
            count(pool.judging).into(),
            pool.verdict_p99.as_deref().unwrap_or("-").into(),
            pool.reason.as_str().into(),
        ]);
    }
    report.table("", table);
    report
}

pub fn nodes(fleet: &FleetReport) -> Report {
    let mut report = Report::default();
    match fleet.nodes.is_empty() {
        true => report.line(&format!("namespace {} has no machines that judge", fleet.namespace)),
        false => report.table("", node_table(&fleet.nodes.iter().collect::<Vec<_>>())),
    }
    report
}

pub fn top(fleet: &FleetReport) -> Report {
    let mut report = pools(fleet);
    if !fleet.nodes.is_empty() {
        report.table("", node_table(&fleet.nodes.iter().collect::<Vec<_>>()));
    }
    report
}

fn node_table(nodes: &[&FleetNode]) -> Table {
    let columns = [
        ("machine", Align::Left),
        ("pool", Align::Left),
        ("state", Align::Left),
        ("jobs", Align::Right),
        ("reference", Align::Right),
        ("lost", Align::Right),
        ("reason", Align::Left),
    ];
    let mut table = Table::new(&columns);
    for node in nodes {
        let is_bad =
            [NodeState::Out, NodeState::Lost, NodeState::Away].iter().any(|bad| bad.word() == node.state);
        table.row([
            node.name.as_str().into(),
            node.pool.as_str().into(),
            if is_bad { Cell::styled(Style::Bad, node.state.as_str()) } else { node.state.as_str().into() },
            node.jobs.to_string().into(),
            node.reference.as_deref().unwrap_or("-").into(),
            node.lost.as_deref().unwrap_or("-").into(),
            node.reason.as_str().into(),
        ]);
    }
    table
}

pub fn happened(fleet: &FleetReport) -> Report {
    let mut report = Report::default();
    match fleet.events.is_empty() {
        true => report.line("nothing happened in the last hour, for which a cluster keeps events"),
        false => report.table("", event_table(&fleet.events.iter().collect::<Vec<_>>())),
    }
    report
}

fn event_table(events: &[&FleetEvent]) -> Table {
    let columns =
        [("time", Align::Left), ("about", Align::Left), ("what", Align::Left), ("why", Align::Left)];
    let mut table = Table::new(&columns);
    for event in events {
        let what = event.reason.as_str();
        table.row([
            event.time.to_string().into(),
            event.about.as_str().into(),
            if event.is_warning { Cell::styled(Style::Bad, what) } else { what.into() },
            event.note.as_str().into(),
        ]);
    }
    table
}
