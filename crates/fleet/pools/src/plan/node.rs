//! What to do about one machine.

use super::action::{About, Action, Tone};
use super::calibration::{self, Judged};
use super::condition::condition;
use super::machine::objection;
use super::memory::Memory;
use crate::names::{host_name, owner};
use crate::{
    Calibration, HostSeen, HostState, JudgeNode, JudgeNodeStatus, JudgePool, Machine, NodeState, PodSeen,
    Seen, Settings, judgehost_pod, pod_hash,
};
use k8s_openapi::jiff::Timestamp;
use kube::ResourceExt;
use std::collections::BTreeMap;

/// A Kubernetes node may be away for a moment, as when its kubelet is restarted.
const LOST_AFTER_MS: u64 = 15_000;
/// How often the number of a machine's jobs is written.
const JOBS_EVERY_MS: u64 = 10_000;
/// A container that failed so often does not start by trying again.
const RESTARTS_MAX: u32 = 5;

/// A machine, and all that its decision depends on.
pub struct Around<'a> {
    node: &'a JudgeNode,
    /// Its pool, and the hash of what that one's pods are made from.
    pool: Option<(&'a JudgePool, &'a str)>,
    machine: Option<&'a Machine>,
    pods: &'a [&'a PodSeen],
    host_name: String,
    host: Option<&'a HostSeen>,
    is_server_up: bool,
    /// The state in which it was, and how long.
    state: NodeState,
    for_ms: u64,
    /// What the reference program takes on the pool's other machines.
    expected: Option<u64>,
    may_roll: bool,
    /// How long ago its status was written; `None` if that is not known.
    written_ms: Option<u64>,
}

impl<'a> Around<'a> {
    #[allow(clippy::too_many_arguments, reason = "what is, of one machine")]
    pub fn of(
        node: &'a JudgeNode,
        pool: Option<(&'a JudgePool, &'a str)>,
        pods: &'a BTreeMap<&str, Vec<&'a PodSeen>>,
        seen: &'a Seen,
        memory: &Memory,
        expected: Option<u64>,
        may_roll: bool,
    ) -> Self {
        let name = node.name_any();
        let host_name = host_name(&name);
        let state = node.status.as_ref().map_or(NodeState::Pending, |status| status.state);
        let since =
            memory.since.get(&name).filter(|(of, _)| *of == state).map_or(seen.at_ms, |(_, since)| *since);
        Self {
            node,
            pool,
            machine: seen.machines.get(&name),
            pods: pods.get(name.as_str()).map_or(&[], Vec::as_slice),
            host: seen.server.as_ref().and_then(|server| server.hosts.get(&host_name)),
            host_name,
            is_server_up: seen.server.is_some(),
            state,
            for_ms: seen.at_ms.saturating_sub(since),
            expected,
            may_roll,
            written_ms: memory.written.get(&name).map(|at_ms| seen.at_ms.saturating_sub(*at_ms)),
        }
    }

    fn name(&self) -> String {
        self.node.name_any()
    }

    fn drain_ms(&self) -> u64 {
        let policy = self.pool.map(|(pool, _)| pool.spec.policy.clone()).unwrap_or_default();
        u64::from(policy.drain_seconds) * 1000
    }

    /// Returns why it was taken out, if it still is.
    fn out(&self) -> Option<&str> {
        let status = self.node.status.as_ref()?;
        let is_out = status.out_at_calibrate.is_some_and(|at| self.node.spec.calibrate <= at);
        is_out.then_some(status.reason.as_str())
    }

    /// Returns whether a status has to be written: how many jobs there are changes all the time, and is shown later.
    fn must_write(&self, status: &JudgeNodeStatus) -> bool {
        let Some(old) = &self.node.status else { return true };
        let is_due = self.written_ms.is_none_or(|ago_ms| ago_ms >= JOBS_EVERY_MS);
        let comparable = JudgeNodeStatus { jobs: old.jobs, ..status.clone() };
        *old != comparable || is_due && old.jobs != status.jobs
    }

    fn is_machine_away(&self) -> bool {
        self.machine.is_none_or(|machine| !machine.is_ready)
    }
}

/// What is decided: a state and why, and what its calibration showed if that was judged now.
struct Verdict {
    state: NodeState,
    reason: String,
    calibration: Option<(bool, Calibration)>,
    is_out_now: bool,
}

fn verdict(state: NodeState, reason: impl Into<String>) -> Verdict {
    Verdict { state, reason: reason.into(), calibration: None, is_out_now: false }
}

/// Decides about a machine, and returns its new status.
pub fn decide(
    around: &Around<'_>,
    settings: &Settings,
    now: Timestamp,
    actions: &mut Vec<Action>,
) -> JudgeNodeStatus {
    let decided = if around.node.metadata.deletion_timestamp.is_some() {
        leave(around, actions)
    } else {
        stay(around, settings, actions)
    };
    let status = status(around, &decided, now);
    if around.must_write(&status) {
        tell_change(around, &status, actions);
        actions.push(Action::NodeStatus { node: around.name(), status: Box::new(status.clone()) });
    }
    status
}

/// A machine that was deleted: ends its work, then goes.
fn leave(around: &Around<'_>, actions: &mut Vec<Action>) -> Verdict {
    let reason = "it leaves its pool";
    match drained(around, reason, actions) {
        Some(wait) => verdict(NodeState::Draining, wait),
        None => {
            if around.host.is_some() {
                actions.push(Action::RemoveHost(around.host_name.clone()));
            }
            actions.push(Action::ReleaseNode(around.name()));
            verdict(NodeState::Drained, reason)
        }
    }
}

/// Lets a judgehost end its work and then its pod; returns what it waits for, if anything.
fn drained(around: &Around<'_>, reason: &str, actions: &mut Vec<Action>) -> Option<String> {
    let is_late = around.state == NodeState::Draining && around.for_ms >= around.drain_ms();
    if let Some(host) = around.host {
        let is_at_work = matches!(host.state, HostState::Enabled | HostState::Waiting);
        if is_at_work && !is_late {
            actions.push(set_host(around, HostState::Draining, reason));
        }
        if host.jobs > 0 && !is_late && !around.is_machine_away() && host.state != HostState::Away {
            return Some(format!("{reason}; it judges {} more", host.jobs));
        }
        if is_late && host.state != HostState::Disabled {
            // Its work goes to others at once, instead of when its leases end.
            actions.push(set_host(
                around,
                HostState::Disabled,
                &format!("{reason}; its time for that is over"),
            ));
        }
    } else if !around.is_server_up && !is_late && around.pods.iter().any(|pod| pod.is_running) {
        return Some(format!("{reason}; the contest server does not say whether it has work"));
    }
    if around.pods.is_empty() {
        return None;
    }
    end_pods(around, actions);
    Some(format!("{reason}; its pod ends"))
}

fn end_pods(around: &Around<'_>, actions: &mut Vec<Action>) {
    for pod in around.pods {
        // The kubelet of a machine that is gone confirms no end: the API server is asked to forget the pod.
        let is_forsaken = around.machine.is_none();
        if !pod.is_ending || is_forsaken {
            actions.push(Action::DeletePod { name: pod.name.clone(), at_once: is_forsaken });
        }
    }
}

fn set_host(around: &Around<'_>, state: HostState, reason: &str) -> Action {
    Action::SetHost { host: around.host_name.clone(), state, reason: reason.to_owned() }
}

/// A machine that is to judge.
fn stay(around: &Around<'_>, settings: &Settings, actions: &mut Vec<Action>) -> Verdict {
    let Some(machine) = around.machine else {
        actions.push(Action::DeleteNode(around.name()));
        return verdict(NodeState::Lost, "its Kubernetes node is gone");
    };
    if let Some(why) = around.out() {
        return stay_out(around, why.to_owned(), actions);
    }
    if !machine.is_ready {
        let was_lost = around.state == NodeState::Lost;
        if was_lost || around.for_ms >= LOST_AFTER_MS && around.state == NodeState::Away {
            return verdict(NodeState::Lost, "its Kubernetes node is not ready");
        }
        return verdict(NodeState::Away, "its Kubernetes node is not ready");
    }
    let asked = around.node.spec.drain.then_some("it was asked to drain");
    let cordoned = machine.is_cordoned.then_some("its Kubernetes node is cordoned");
    if let Some(why) = asked.or(cordoned) {
        return match drained(around, why, actions) {
            Some(wait) => verdict(NodeState::Draining, wait),
            None => verdict(NodeState::Drained, why),
        };
    }
    // Without a pool there is nothing to make a pod from; such a node is deleted.
    let Some((pool, template)) = around.pool else { return verdict(NodeState::Draining, "its pool is gone") };
    let hash = pod_hash(template, around.node);
    let Some(pod) = around.pods.iter().find(|pod| pod.hash == hash) else {
        return replace(around, pool, settings, actions);
    };
    if around.pods.len() > 1 {
        // An older one ends; both would want the same cores.
        let older = around.pods.iter().filter(|other| other.hash != hash && !other.is_ending);
        actions.extend(older.map(|other| Action::DeletePod { name: other.name.clone(), at_once: false }));
    }
    if pod.is_ending || pod.has_ended {
        if pod.has_ended && !pod.is_ending {
            actions.push(Action::DeletePod { name: pod.name.clone(), at_once: false });
        }
        return verdict(NodeState::Pending, "its last pod ends");
    }
    judgehost(around, pool, pod, actions)
}

/// A machine without a pod of its pool's present settings.
fn replace(around: &Around<'_>, pool: &JudgePool, settings: &Settings, actions: &mut Vec<Action>) -> Verdict {
    if around.pods.is_empty() {
        if let Some(why) = around.machine.and_then(|machine| objection(pool, machine)) {
            return verdict(NodeState::Pending, format!("its Kubernetes node cannot judge: {why}"));
        }
        // What the server knows of an earlier pod's judgehost says nothing about the next one's.
        if let Some(host) = around.host {
            if host.jobs > 0 && host.state != HostState::Disabled {
                actions.push(set_host(around, HostState::Disabled, "its pod is gone"));
            } else {
                actions.push(Action::RemoveHost(around.host_name.clone()));
            }
            return verdict(NodeState::Pending, "the contest server forgets its last judgehost");
        }
        let pod = judgehost_pod(pool, around.node, &around.host_name, vec![owner(around.node)], settings);
        actions.push(Action::MakePod(Box::new(pod)));
        return verdict(NodeState::Pending, "its pod is made");
    }
    if !around.may_roll {
        let why = "it has an earlier image or settings, and waits for its turn to change";
        return match around.host {
            Some(host) if host.state == HostState::Enabled => verdict(NodeState::Ready, why),
            Some(host) if host.state == HostState::Away => verdict(NodeState::Away, why),
            None if !around.is_server_up => verdict(around.state, why),
            _ => verdict(NodeState::Pending, why),
        };
    }
    let why = "its pool has another image or other settings";
    match drained(around, why, actions) {
        Some(wait) => verdict(NodeState::Draining, wait),
        None => verdict(NodeState::Pending, why),
    }
}

/// A machine with a pod that is as it should be.
fn judgehost(around: &Around<'_>, pool: &JudgePool, pod: &PodSeen, actions: &mut Vec<Action>) -> Verdict {
    let budget = &pool.spec.calibration;
    let limit_ms = u64::from(budget.timeout_seconds) * 1000;
    let because = |text: String| match &pod.problem {
        Some(problem) => format!("{text}: {problem}"),
        None => text,
    };
    let is_late = |state: NodeState| around.state == state && around.for_ms >= limit_ms;
    if !pod.is_running {
        return match is_late(NodeState::Pending) || pod.restarts >= RESTARTS_MAX {
            true => put_out(
                around,
                because(format!("its pod did not start within {} s", budget.timeout_seconds)),
                actions,
            ),
            false => verdict(NodeState::Pending, because("its pod starts".to_owned())),
        };
    }
    let Some(host) = around.host else {
        if !around.is_server_up {
            return verdict(around.state.max(NodeState::Starting), "the contest server does not answer");
        }
        return match is_late(NodeState::Starting) {
            true => put_out(
                around,
                because(format!("its judgehost did not register within {} s", budget.timeout_seconds)),
                actions,
            ),
            false => verdict(NodeState::Starting, because("its judgehost starts".to_owned())),
        };
    };
    match host.state {
        HostState::Waiting => match calibration::judge(host, budget, around.expected) {
            Judged::NotYet(why) if is_late(NodeState::Calibrating) => put_out(
                around,
                format!("its calibration did not end within {} s: {why}", budget.timeout_seconds),
                actions,
            ),
            Judged::NotYet(why) => verdict(NodeState::Calibrating, why),
            Judged::Failed(why, shown) => {
                let out = put_out(around, why, actions);
                Verdict { calibration: Some((false, shown)), ..out }
            }
            Judged::Passed(shown) => {
                actions.push(set_host(around, HostState::Enabled, ""));
                Verdict { calibration: Some((true, shown)), ..verdict(NodeState::Ready, "it judges") }
            }
        },
        HostState::Enabled => verdict(NodeState::Ready, "it judges"),
        HostState::Disabled => put_out(around, host.reason.clone(), actions),
        HostState::Draining => {
            verdict(NodeState::Draining, format!("the contest server drains it: {}", host.reason))
        }
        HostState::Away => match around.state {
            NodeState::Pending | NodeState::Starting if !is_late(NodeState::Starting) => {
                verdict(NodeState::Starting, because("its judgehost starts".to_owned()))
            }
            NodeState::Pending | NodeState::Starting => put_out(
                around,
                because(format!("its judgehost did not register within {} s", budget.timeout_seconds)),
                actions,
            ),
            _ => verdict(NodeState::Away, because("the contest server does not hear of it".to_owned())),
        },
    }
}

/// Takes a machine out: another one takes its place, and it stays out until it is calibrated again.
fn put_out(around: &Around<'_>, why: String, actions: &mut Vec<Action>) -> Verdict {
    Verdict { is_out_now: true, ..stay_out(around, why, actions) }
}

fn stay_out(around: &Around<'_>, why: String, actions: &mut Vec<Action>) -> Verdict {
    if let Some(host) = around.host
        && !matches!(host.state, HostState::Disabled | HostState::Away)
    {
        actions.push(set_host(around, HostState::Disabled, &why));
    }
    end_pods(around, actions);
    verdict(NodeState::Out, why)
}

fn status(around: &Around<'_>, decided: &Verdict, now: Timestamp) -> JudgeNodeStatus {
    let before = around.node.status.clone().unwrap_or_default();
    let generation = around.node.metadata.generation;
    let of = |kind, is_true, reason: &str, message: &str| {
        condition(&before.conditions, kind, is_true, reason, message.to_owned(), generation, now)
    };
    let ready = of("Ready", Some(decided.state == NodeState::Ready), decided.state.word(), &decided.reason);
    let was_calibrated = before.conditions.iter().find(|one| one.type_ == "Calibrated");
    let calibrated = match (&decided.calibration, decided.state) {
        (Some((true, _)), _) => {
            of("Calibrated", Some(true), "Passed", "it is like its pool's other machines")
        }
        (Some((false, _)), _) => of("Calibrated", Some(false), "Failed", &decided.reason),
        // A pod that is made anew measures anew.
        (None, NodeState::Pending | NodeState::Starting | NodeState::Calibrating) => {
            of("Calibrated", None, "NotYet", &decided.reason)
        }
        (None, _) => match was_calibrated {
            Some(one) if decided.state != NodeState::Out || !decided.is_out_now => one.clone(),
            Some(_) => of("Calibrated", Some(false), "TakenOut", &decided.reason),
            None => of("Calibrated", None, "NotYet", &decided.reason),
        },
    };
    let out_at_calibrate = match decided.state {
        NodeState::Out if decided.is_out_now => Some(around.node.spec.calibrate),
        NodeState::Out => before.out_at_calibrate,
        _ => None,
    };
    let out_with = match decided.state {
        NodeState::Out if decided.is_out_now => around.pool.map(|(_, template)| template.to_owned()),
        NodeState::Out => before.out_with,
        _ => None,
    };
    JudgeNodeStatus {
        state: decided.state,
        reason: decided.reason.clone(),
        judgehost: around.host_name.clone(),
        jobs: around.host.map_or(0, |host| host.jobs),
        out_at_calibrate,
        out_with,
        calibration: decided.calibration.as_ref().map(|(_, shown)| shown.clone()).or(before.calibration),
        conditions: vec![ready, calibrated],
    }
}

/// Writes an event for what people want to know.
fn tell_change(around: &Around<'_>, status: &JudgeNodeStatus, actions: &mut Vec<Action>) {
    if around.state == status.state && around.node.status.is_some() {
        return;
    }
    let (tone, reason) = match status.state {
        NodeState::Ready => (Tone::Normal, "Admitted"),
        NodeState::Out => (Tone::Warning, "TakenOut"),
        NodeState::Draining => (Tone::Normal, "Draining"),
        NodeState::Drained => (Tone::Normal, "Drained"),
        NodeState::Lost => (Tone::Warning, "Lost"),
        NodeState::Away => (Tone::Warning, "Away"),
        NodeState::Pending | NodeState::Starting | NodeState::Calibrating => return,
    };
    let about = About::Node(around.name());
    actions.push(Action::Tell { about, tone, reason, note: status.reason.clone() });
}
