//! Makes the audit from the sums: names tasks, groups them, and sorts them.

use super::advice::advice;
use super::ownership::{Owner, Ownership};
use super::tally::{InterruptionName, Stints, Tally, TaskTally};
use model::{Audit, AuditMethod, CpuSet, Finding, Nanos, Reading, RunnerKind, ThreadUse};
use std::collections::BTreeMap;

/// A longer table would not be read; its last line is the sum of the rest.
pub const FINDINGS_MAX: usize = 200;
/// For a run with more threads only the first ones are reported.
pub const THREADS_MAX: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name, if no event contained it.
    pub name: String,
    pub process: u32,
    pub of_kernel: bool,
    /// Its control group, if that is not the root.
    pub control_group: Option<String>,
}

/// The watched CPUs, and the CPUs to which things could be moved.
#[derive(Clone, Copy, Debug)]
pub struct WatchedCpus<'c> {
    pub here: &'c CpuSet,
    pub elsewhere: &'c CpuSet,
    pub can_be_tickless: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    kind: RunnerKind,
    name: String,
    number: Option<u32>,
    control_group: Option<String>,
    made_by: Option<String>,
}

#[derive(Default)]
struct Group {
    stints: Stints,
    processes: Vec<u32>,
    tasks: u64,
}

pub fn report(
    tally: &Tally,
    ownership: &Ownership,
    place: WatchedCpus<'_>,
    interval: Nanos,
    identify: impl Fn(u32) -> Option<Identity>,
) -> Audit {
    let mut groups: BTreeMap<Key, Group> = BTreeMap::new();
    let mut threads = Vec::new();
    for (&task, tallied) in &tally.tasks {
        let owner = ownership.of(task);
        let identity = if owner == Owner::Run { None } else { identify(task) };
        let name = || {
            let known = tallied.name.clone().or_else(|| identity.as_ref().map(|found| found.name.clone()));
            known.unwrap_or_else(|| "unknown".to_owned())
        };
        if owner == Owner::Run {
            threads.push(thread(task, name(), tallied));
            continue;
        }
        let kind = match (owner, &identity) {
            (Owner::Ours, _) => RunnerKind::Ours,
            (_, None) => RunnerKind::GoneTask,
            (_, Some(identity)) if identity.of_kernel => RunnerKind::KernelThread,
            _ => RunnerKind::Process,
        };
        let control_group = identity.as_ref().and_then(|identity| identity.control_group.clone());
        let made_by = (kind == RunnerKind::GoneTask).then(|| {
            let maker = ownership.ancestors(task).find_map(&identify);
            maker.map(|maker| format!("{} {}", maker.name, maker.process))
        });
        let key = Key { kind, name: name(), number: None, control_group, made_by: made_by.flatten() };
        let group = groups.entry(key).or_default();
        group.stints.merge(&tallied.stints);
        group.tasks += 1;
        let process = identity.as_ref().map_or(task, |identity| identity.process);
        if !group.processes.contains(&process) && group.processes.len() < 2 {
            group.processes.push(process);
        }
    }
    for (name, stints) in &tally.interruptions {
        let (kind, name, number) = match name {
            InterruptionName::Device(number, name) => (RunnerKind::Interrupt, name, Some(*number)),
            InterruptionName::Local(name) => (RunnerKind::Interrupt, name, None),
            InterruptionName::Soft(name) => (RunnerKind::SoftInterrupt, name, None),
        };
        let key = Key { kind, name: name.clone(), number, control_group: None, made_by: None };
        groups.insert(key, Group { stints: stints.clone(), processes: Vec::new(), tasks: 1 });
    }
    let mut blind_spots = blind_spots(tally);
    let findings = cut(sorted(groups, place), place, &mut blind_spots);
    if threads.len() > THREADS_MAX {
        blind_spots
            .push(format!("the run had {} threads, the first {THREADS_MAX} are listed", threads.len()));
        threads.truncate(THREADS_MAX);
    }
    Audit {
        cpus: place.here.clone(),
        method: AuditMethod::Events,
        interval,
        shares: Reading::Known(tally.shares),
        findings,
        threads,
        lost_events: tally.lost,
        blind_spots,
    }
}

fn thread(task: u32, name: String, tallied: &TaskTally) -> ThreadUse {
    const NOT_IN_EVENTS: &str = "the scheduler's events do not separate user from system time";
    ThreadUse {
        thread: task,
        name,
        cpu_times: tallied.cpu_times.clone(),
        user_time: Reading::unavailable(NOT_IN_EVENTS),
        system_time: Reading::unavailable(NOT_IN_EVENTS),
        forced_switches: Reading::Known(tallied.forced),
        voluntary_switches: Reading::Known(tallied.voluntary),
        migrations: tallied.migrations,
    }
}

fn sorted(groups: BTreeMap<Key, Group>, place: WatchedCpus<'_>) -> Vec<Finding> {
    let mut findings: Vec<_> = groups.into_iter().map(|(key, group)| finding(key, group, place)).collect();
    findings.sort_by(|a, b| weight(b).cmp(&weight(a)).then_with(|| a.name.cmp(&b.name)));
    findings
}

fn weight(finding: &Finding) -> (Nanos, Nanos, u64) {
    let time = |reading: &Reading<Nanos>| reading.known().copied().unwrap_or_default();
    (time(&finding.taken_from_run), time(&finding.total), finding.count)
}

fn finding(key: Key, group: Group, place: WatchedCpus<'_>) -> Finding {
    let number = key.number.or_else(|| match group.processes[..] {
        [process] => Some(process),
        _ => None,
    });
    let advice = advice(key.kind, &key.name, number, place);
    Finding {
        kind: key.kind,
        name: key.name,
        number,
        tasks: group.tasks,
        control_group: key.control_group,
        made_by: key.made_by,
        cpus: group.stints.cpus,
        count: group.stints.count,
        total: Reading::Known(group.stints.total),
        longest: Reading::Known(group.stints.longest),
        taken_from_run: Reading::Known(group.stints.taken),
        advice,
    }
}

fn cut(mut findings: Vec<Finding>, place: WatchedCpus<'_>, blind_spots: &mut Vec<String>) -> Vec<Finding> {
    if findings.len() <= FINDINGS_MAX {
        return findings;
    }
    let rest = findings.split_off(FINDINGS_MAX);
    let (count, mut group) = (rest.len(), Group::default());
    for finding in &rest {
        let time = |reading: &Reading<Nanos>| reading.known().copied().unwrap_or_default();
        group.tasks += finding.tasks;
        group.stints.merge(&Stints {
            count: finding.count,
            total: time(&finding.total),
            longest: time(&finding.longest),
            taken: time(&finding.taken_from_run),
            cpus: finding.cpus.clone(),
        });
    }
    let name = format!("{count} more");
    blind_spots.push(format!("only the first {FINDINGS_MAX} of {} are named", FINDINGS_MAX + count));
    let key = Key { kind: RunnerKind::GoneTask, name, number: None, control_group: None, made_by: None };
    findings.push(finding(key, group, place));
    findings
}

fn blind_spots(tally: &Tally) -> Vec<String> {
    let mut spots = vec![
        "what the hypervisor and the firmware took cannot be seen from inside".to_owned(),
        "times are to the microsecond, so one that is shorter may count as 0 or 1".to_owned(),
    ];
    if tally.lost > 0 {
        spots.push(format!(
            "events dropped because the buffer was full: {}; the time after the last recorded one counts as unknown",
            tally.lost
        ));
    }
    if tally.missed_switches > 0 {
        spots.push(format!(
            "switches that the kernel left out: {}; the time up to the next event counts as unknown",
            tally.missed_switches
        ));
    } else if tally.shares.unknown > Nanos::ZERO && tally.lost == 0 {
        spots.push("on a CPU without any event it is not known whether one task ran or none".to_owned());
    }
    spots
}
