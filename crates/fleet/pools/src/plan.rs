//! What to do from what is.

mod action;
mod calibration;
mod condition;
mod machine;
mod memory;
mod node;
mod size;

pub use action::{About, Action, Tone};
pub use memory::Memory;

use crate::names::owner;
use crate::{
    FINALIZER, HARDWARE_LABEL, JudgeNode, JudgeNodeSpec, JudgeNodeStatus, JudgePool, JudgePoolStatus,
    NodeState, PoolIsolation, QueueSeen, Seen, Service, Settings, TIMING_TAINT, pod_hash, template_hash,
};
use condition::condition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;
use machine::{free_machines, why_none};
use node::Around;
use size::{Load, seconds};
use std::collections::{BTreeMap, BTreeSet};

/// A node with the decision about it.
struct Decided {
    name: String,
    state: NodeState,
    status: JudgeNodeStatus,
    jobs: u32,
}

/// Returns what to do from what is. `now` is written into conditions, for people; no decision depends on it.
pub fn plan(seen: &Seen, memory: &mut Memory, settings: &Settings, now: Timestamp) -> Vec<Action> {
    let mut actions = Vec::new();
    let pods: BTreeMap<&str, Vec<_>> = seen.pods.iter().fold(BTreeMap::new(), |mut by_node, pod| {
        by_node.entry(pod.judge_node.as_str()).or_insert_with(Vec::new).push(pod);
        by_node
    });
    let known: BTreeSet<String> = seen.nodes.iter().map(|node| node.name_any()).collect();
    memory.since.retain(|name, _| known.contains(name));
    memory.written.retain(|name, _| known.contains(name));
    let pools: BTreeSet<String> = seen.pools.iter().map(|pool| pool.name_any()).collect();
    memory.loads.retain(|name, _| pools.contains(name));
    for pool in &seen.pools {
        let of_pool: Vec<&JudgeNode> =
            seen.nodes.iter().filter(|node| node.spec.pool == pool.name_any()).collect();
        plan_pool(pool, &of_pool, &pods, seen, memory, settings, now, &mut actions);
    }
    // Those of a pool that is gone: its owner references delete them, and they are drained like others.
    for node in seen.nodes.iter().filter(|node| !pools.contains(&node.spec.pool)) {
        let around = Around::of(node, None, &pods, seen, memory, None, false);
        let status = node::decide(&around, settings, now, &mut actions);
        memory.note(&node.name_any(), status.state, seen.at_ms);
        if node.metadata.deletion_timestamp.is_none() {
            actions.push(Action::DeleteNode(node.name_any()));
        }
    }
    for action in &actions {
        if let Action::NodeStatus { node, .. } = action {
            memory.written.insert(node.clone(), seen.at_ms);
        }
    }
    // An operator does so much a round: what only shows comes last.
    actions.sort_by_key(|action| {
        matches!(action, Action::NodeStatus { .. } | Action::PoolStatus { .. } | Action::Tell { .. })
    });
    actions
}

#[allow(clippy::too_many_arguments, reason = "what is, and what is remembered, of one pool")]
fn plan_pool(
    pool: &JudgePool,
    nodes: &[&JudgeNode],
    pods: &BTreeMap<&str, Vec<&crate::PodSeen>>,
    seen: &Seen,
    memory: &mut Memory,
    settings: &Settings,
    now: Timestamp,
    actions: &mut Vec<Action>,
) {
    let name = pool.name_any();
    let expected = calibration::expected_reference(nodes, seen, &name);
    let template = template_hash(pool, settings);
    // Without the contest server it is not known who judges.
    let change = match &seen.server {
        Some(_) => change(nodes, pods, &template),
        None => Change::default(),
    };
    let mut decided: Vec<Decided> = Vec::new();
    for node in nodes {
        let may_roll = change.next.as_deref() == Some(&node.name_any());
        let around = Around::of(node, Some((pool, &template)), pods, seen, memory, expected, may_roll);
        let status = node::decide(&around, settings, now, actions);
        memory.note(&node.name_any(), status.state, seen.at_ms);
        let is_deleted = node.metadata.deletion_timestamp.is_some();
        let state = if is_deleted { NodeState::Draining } else { status.state };
        decided.push(Decided { name: node.name_any(), state, jobs: status.jobs, status });
    }
    let queue = seen.server.as_ref().map(|server| server.queues.get(&name).copied().unwrap_or_default());
    let failed = decided.iter().find(|one| is_out_with(Some(&one.status), &template));
    let stopped_by = failed.filter(|_| change.is_going_on).map(|one| one.name.clone());
    let counted = decided.iter().filter(|one| one.state.counts()).count() as u32;
    let load = memory.loads.entry(name.clone()).or_insert_with(|| Load::new(&pool.spec));
    let wanted = load.wanted(&pool.spec, queue, counted, seen.at_ms);
    let mut why = wanted.why;
    let mut is_short = None;
    if pool.metadata.deletion_timestamp.is_none() {
        if counted < wanted.judgehosts {
            let missing = wanted.judgehosts - counted;
            // What does not work on one machine is not tried on all others, too.
            let free = if stopped_by.is_some() { Vec::new() } else { free_machines(pool, seen) };
            for (machine, _) in free.iter().take(missing as usize) {
                actions.push(Action::MakeNode(Box::new(new_node(pool, machine))));
                actions.push(tell_pool(&name, Tone::Normal, "MachineAdded", format!("{machine}: {why}")));
            }
            let lacking = missing.saturating_sub(free.len() as u32);
            if lacking > 0 {
                is_short = Some(match &stopped_by {
                    Some(machine) => stopped(machine),
                    None => why_none(pool, seen, lacking),
                });
            }
        }
        if counted > wanted.judgehosts {
            for node in victims(&decided, counted - wanted.judgehosts) {
                actions.push(Action::DeleteNode(node.to_owned()));
                actions.push(tell_pool(&name, Tone::Normal, "MachineRemoved", format!("{node}: {why}")));
            }
        }
    }
    let ready = decided.iter().filter(|one| one.state == NodeState::Ready).count() as u32;
    if let Some(reason) = &is_short {
        why.clone_from(reason);
    } else if ready < wanted.judgehosts
        && let Some(one) = decided.iter().find(|one| one.state.counts() && one.state != NodeState::Ready)
    {
        why = format!("{} is {}: {}", one.name, one.status.state.word(), one.status.reason);
    }
    let status = JudgePoolStatus {
        observed_generation: pool.metadata.generation,
        wanted: wanted.judgehosts,
        size: counted,
        ready,
        summary: format!("{ready}/{}", wanted.judgehosts),
        calibrated: decided.iter().filter(|one| is_calibrated(&one.status)).count() as u32,
        out: decided.iter().filter(|one| one.state == NodeState::Out).count() as u32,
        waiting: queue.map(|queue| queue.waiting),
        judging: queue.map(|queue| queue.judging),
        verdict_p99: queue.and_then(|queue| queue.verdict_p99_ms).map(seconds),
        reason: why,
        conditions: pool_conditions(pool, ready, wanted.judgehosts, is_short, queue, seen, now),
    };
    if pool.status.as_ref() != Some(&status) {
        tell_changes(pool, &status, actions);
        actions.push(Action::PoolStatus { pool: name, status: Box::new(status) });
    }
}

fn stopped(machine: &str) -> String {
    format!("the change to its present image and settings stopped, since {machine} was taken out with them")
}

fn is_calibrated(status: &JudgeNodeStatus) -> bool {
    status.conditions.iter().any(|one| one.type_ == "Calibrated" && one.status == "True")
}

/// A pool's change to another image or other settings.
#[derive(Default)]
struct Change {
    /// The one judgehost that may be replaced now.
    next: Option<String>,
    /// Whether some judge with what was before.
    is_going_on: bool,
}

/// Decides about a pool's change: one judgehost after the other, and only while all others that count are ready. A machine
/// that was taken out with what is new stops it: another image or `calibrate` lets it go on.
fn change(nodes: &[&JudgeNode], pods: &BTreeMap<&str, Vec<&crate::PodSeen>>, template: &str) -> Change {
    let is_old = |node: &JudgeNode| {
        let hash = pod_hash(template, node);
        pods.get(node.name_any().as_str()).is_some_and(|pods| pods.iter().any(|pod| pod.hash != hash))
    };
    let state = |node: &JudgeNode| node.status.as_ref().map_or(NodeState::Pending, |status| status.state);
    // One that is being replaced, or does not judge anyway, goes on first.
    let mut old: Vec<&&JudgeNode> = nodes.iter().filter(|node| is_old(node)).collect();
    old.sort_by_key(|node| (state(node) == NodeState::Ready, node.name_any()));
    let Some(first) = old.first() else { return Change::default() };
    let is_there = |node: &JudgeNode| node.metadata.deletion_timestamp.is_none();
    let has_failed = nodes.iter().any(|node| is_there(node) && is_out_with(node.status.as_ref(), template));
    // Those that were out before hold up no change.
    let is_settled = |node: &JudgeNode| {
        matches!(state(node), NodeState::Ready | NodeState::Drained | NodeState::Out | NodeState::Lost)
    };
    let mut others = nodes.iter().filter(|node| node.name_any() != first.name_any() && is_there(node));
    let may_go_on = match state(first) {
        NodeState::Ready => !has_failed && others.all(|node| is_settled(node)),
        // It may be back at once, as when a server takes over: not while another one is on its way.
        NodeState::Away => others.all(|node| is_settled(node) || state(node) == NodeState::Away),
        _ => true,
    };
    Change { next: may_go_on.then(|| first.name_any()), is_going_on: true }
}

/// Returns whether a machine is out, and was taken out with this image and these settings.
fn is_out_with(status: Option<&JudgeNodeStatus>, template: &str) -> bool {
    status
        .is_some_and(|status| status.state == NodeState::Out && status.out_with.as_deref() == Some(template))
}

/// Returns the judgehosts that a pool loses: first those that do not judge, then those with the least work.
fn victims(decided: &[Decided], count: u32) -> Vec<&str> {
    let mut counted: Vec<&Decided> = decided.iter().filter(|one| one.state.counts()).collect();
    counted.sort_by_key(|one| (one.state == NodeState::Ready, one.jobs, std::cmp::Reverse(one.name.clone())));
    counted.into_iter().take(count as usize).map(|one| one.name.as_str()).collect()
}

fn new_node(pool: &JudgePool, machine: &str) -> JudgeNode {
    let mut node =
        JudgeNode::new(machine, JudgeNodeSpec { pool: pool.name_any(), drain: false, calibrate: 0 });
    node.metadata.namespace = pool.namespace();
    node.metadata.finalizers = Some(vec![FINALIZER.to_owned()]);
    node.metadata.owner_references = Some(vec![owner(pool)]);
    node.metadata.labels = Some(BTreeMap::from([(crate::POOL_LABEL.to_owned(), pool.name_any())]));
    node
}

fn pool_conditions(
    pool: &JudgePool,
    ready: u32,
    wanted: u32,
    is_short: Option<String>,
    queue: Option<QueueSeen>,
    seen: &Seen,
    now: Timestamp,
) -> Vec<Condition> {
    let before = pool.status.as_ref().map_or(&[][..], |status| &status.conditions);
    let generation = pool.metadata.generation;
    let of = |kind, is_true, reason: &str, message| {
        condition(before, kind, is_true, reason, message, generation, now)
    };
    let mut conditions = vec![
        match ready >= wanted {
            true => of("Ready", Some(true), "AllReady", format!("{ready} judgehosts judge")),
            false => of("Ready", Some(false), "TooFew", format!("{ready} of {wanted} judgehosts judge")),
        },
        match is_short {
            None => of("Machines", Some(true), "Enough", "there are machines for all that are wanted".to_owned()),
            Some(why) => of("Machines", Some(false), "TooFew", why),
        },
        match queue {
            Some(_) => of("Server", Some(true), "Answers", "the contest server answers".to_owned()),
            None => of("Server", Some(false), "Silent", "the contest server does not answer: the pool keeps its size, and no machine is let in or out".to_owned()),
        },
    ];
    // A timing machine without the taint gets other pods, which take time from programs.
    let open = seen.machines.iter().find(|(_, machine)| {
        machine.labels.get(HARDWARE_LABEL) == Some(&pool.spec.hardware)
            && !machine.taints.iter().any(|key| key == TIMING_TAINT)
    });
    let is_strict = pool.spec.service == Service::Strict || pool.spec.isolation == PoolIsolation::Microvm;
    conditions.push(match open {
        Some((name, _)) if is_strict => of(
            "Apart",
            Some(false),
            "Untainted",
            format!("other pods may run on {name}: kubectl taint node {name} {TIMING_TAINT}=:NoSchedule"),
        ),
        _ => of("Apart", Some(true), "Tainted", "other pods are kept off the pool's machines".to_owned()),
    });
    conditions
}

fn tell_pool(pool: &str, tone: Tone, reason: &'static str, note: String) -> Action {
    Action::Tell { about: About::Pool(pool.to_owned()), tone, reason, note }
}

/// Writes an event for each condition that has changed its status.
fn tell_changes(pool: &JudgePool, status: &JudgePoolStatus, actions: &mut Vec<Action>) {
    let before = pool.status.as_ref().map_or(&[][..], |status| &status.conditions);
    for condition in &status.conditions {
        let was = before.iter().find(|one| one.type_ == condition.type_).map(|one| one.status.as_str());
        let reason = match (condition.type_.as_str(), condition.status.as_str()) {
            _ if was == Some(&condition.status) => continue,
            ("Machines", "False") => "TooFewMachines",
            ("Machines", _) if was.is_some() => "EnoughMachines",
            ("Server", "False") => "ServerSilent",
            ("Server", _) if was.is_some() => "ServerAnswers",
            ("Apart", "False") => "MachineUntainted",
            ("Ready", "True") => "PoolReady",
            _ => continue,
        };
        let tone = if condition.status == "True" { Tone::Normal } else { Tone::Warning };
        actions.push(tell_pool(&pool.name_any(), tone, reason, condition.message.clone()));
    }
}
