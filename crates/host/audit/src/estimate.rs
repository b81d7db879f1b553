//! Which tasks ran, from counters before and after, for kernels without events.

use super::advice::advice;
use super::counters::{self, Counts};
use super::ownership::KnownTasks;
use super::report::{FINDINGS_MAX, WatchedCpus};
use super::sampler::{PERIOD, Sampler, Samples};
use super::tasks::{self, Task, TaskClock};
use model::{Audit, AuditMethod, CpuSet, Finding, Nanos, Reading, RunnerKind};
use std::collections::BTreeMap;
use system::Roots;

#[derive(Debug)]
pub struct Before {
    counts: Result<Counts, String>,
    tasks: BTreeMap<u32, (Task, Option<TaskClock>)>,
    sampler: Result<Sampler, String>,
}

impl Before {
    pub fn read(roots: &Roots, cpus: &CpuSet, known: &KnownTasks, tick: Nanos) -> Self {
        Self {
            counts: counters::read(roots, cpus).map_err(|error| error.to_string()),
            tasks: tasks::all(roots),
            sampler: Sampler::start(roots.clone(), known.clone(), tick).map_err(|error| error.to_string()),
        }
    }

    pub fn audit(
        self,
        roots: &Roots,
        place: WatchedCpus<'_>,
        known: &KnownTasks,
        interval: Nanos,
        (why, tick): (&str, Nanos),
    ) -> Audit {
        let mut blind_spots = vec![
            "an estimate: tasks that came and went in between are not named, nor how long anything ran at once"
                .to_owned(),
            "a task counts with all its time if it was on one of the CPUs at the begin or the end".to_owned(),
            format!("the CPUs of the run's threads were sampled every {} ms", PERIOD.as_millis()),
        ];
        let samples = match self.sampler {
            Ok(sampler) => sampler.end(),
            Err(why) => {
                blind_spots.push(format!("the run's threads could not be sampled: {why}"));
                Samples::default()
            }
        };
        let mut findings = Vec::new();
        match (self.counts, counters::read(roots, place.here)) {
            (Ok(before), Ok(after)) => findings.extend(interruptions(&before, &after, place)),
            (Err(why), _) => blind_spots.push(format!("interrupts are not known: {why}")),
            (_, Err(error)) => blind_spots.push(format!("interrupts are not known: {error}")),
        }
        let ours: Vec<u32> = known.ours.iter().chain(&known.launchers).chain(&known.inits).copied().collect();
        for (thread, (task, clock)) in tasks::all(roots) {
            let before = self.tasks.get(&thread).filter(|(earlier, _)| earlier.start == task.start);
            let was_here = before.is_some_and(|(earlier, _)| place.here.contains(earlier.cpu));
            if samples.contains(thread) || !(was_here || place.here.contains(task.cpu)) {
                continue;
            }
            let kind = match (ours.contains(&task.process) || ours.contains(&thread), task.of_kernel) {
                (true, _) => RunnerKind::Ours,
                (_, true) => RunnerKind::KernelThread,
                _ => RunnerKind::Process,
            };
            let change = change(before.map(|(task, clock)| (task, *clock)), (&task, clock), tick);
            if let Some((count, total)) = change {
                findings.push(finding(roots, kind, &task, thread, (count, total), place));
            }
        }
        findings.sort_by_key(|finding| {
            (std::cmp::Reverse((finding.total.known().copied(), finding.count)), finding.name.clone())
        });
        if findings.len() > FINDINGS_MAX {
            blind_spots.push(format!("only the first {FINDINGS_MAX} of {} are named", findings.len()));
            findings.truncate(FINDINGS_MAX);
        }
        Audit {
            cpus: place.here.clone(),
            method: AuditMethod::Estimate { why: why.to_owned() },
            interval,
            shares: Reading::unavailable("counters do not show how the time was divided"),
            findings,
            threads: samples.threads(tick),
            lost_events: 0,
            blind_spots,
        }
    }
}

/// Returns how often and how long a task ran since it was first seen; `None` if it did not.
fn change(
    before: Option<(&Task, Option<TaskClock>)>,
    (task, clock): (&Task, Option<TaskClock>),
    tick: Nanos,
) -> Option<(u64, Nanos)> {
    let ticks = |task: &Task| task.user_ticks + task.system_ticks;
    let change = match (before, clock) {
        (Some((_, Some(earlier))), Some(clock)) => {
            (clock.times.saturating_sub(earlier.times), clock.ran.saturating_sub(earlier.ran))
        }
        (None, Some(clock)) => (clock.times, clock.ran),
        (earlier, None) | (earlier @ Some((_, None)), Some(_)) => {
            let ticks = ticks(task).saturating_sub(earlier.map_or(0, |(task, _)| ticks(task)));
            (0, tick.saturating_mul(ticks))
        }
    };
    (change.0 > 0 || change.1 > Nanos::ZERO).then_some(change)
}

fn finding(
    roots: &Roots,
    kind: RunnerKind,
    task: &Task,
    thread: u32,
    (count, total): (u64, Nanos),
    place: WatchedCpus<'_>,
) -> Finding {
    let number = Some(task.process);
    let advice = advice(kind, &task.name, number, place);
    Finding {
        kind,
        name: task.name.clone(),
        number,
        tasks: 1,
        control_group: tasks::control_group(roots, thread),
        made_by: None,
        cpus: [task.cpu].into_iter().filter(|cpu| place.here.contains(*cpu)).collect(),
        count,
        total: Reading::Known(total),
        longest: Reading::unavailable("counters do not show single times"),
        taken_from_run: Reading::unavailable("counters do not show when it ran"),
        advice,
    }
}

fn interruptions(before: &Counts, after: &Counts, place: WatchedCpus<'_>) -> Vec<Finding> {
    let why = || Reading::unavailable("the kernel counts interrupts and not their time");
    let change = counters::since(before, after);
    let found = change.into_iter().map(|(row, count)| Finding {
        advice: advice(row.kind, &row.name, row.number, place),
        kind: row.kind,
        name: row.name,
        number: row.number,
        tasks: 1,
        control_group: None,
        made_by: None,
        cpus: place.here.clone(),
        count,
        total: why(),
        longest: why(),
        taken_from_run: why(),
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::super::tasks::tests::stat;
    use super::*;
    use test_tree::Tree;

    #[test]
    fn changed_counters_are_named_with_their_unknowns() {
        const TICK: Nanos = Nanos::from_millis(10);
        let interrupts = |timer| format!("CPU0 CPU1\nLOC: 7 {timer} Local timer interrupts\n");
        let task = |thread, name, ticks, cpu| {
            let file = format!("proc/{thread}/task/{thread}/stat");
            let flags = if name == "kworker/1:0" { 0x0020_0000 } else { 0 };
            (file, stat(thread, name, 1, flags, (ticks, 0), cpu))
        };
        let tree =
            Tree::new(&[("proc/interrupts", &interrupts(5)), ("proc/softirqs", "CPU0 CPU1\nRCU: 1 1\n")]);
        let write = |tasks: &[(String, String)]| {
            let files: Vec<_> = tasks.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
            tree.write(&files);
        };
        write(&[
            task(5, "cron", 1, 1),
            task(6, "far", 1, 0),
            task(7, "idle", 3, 1),
            task(8, "kworker/1:0", 0, 1),
        ]);
        let roots = Roots::under(tree.path());
        let here: CpuSet = "1".parse().unwrap();
        let known = KnownTasks { ours: vec![9], ..KnownTasks::default() };
        let before = Before::read(&roots, &here, &known, TICK);
        tree.write(&[("proc/interrupts", &interrupts(50))]);
        write(&[
            task(5, "cron", 3, 0),
            task(6, "far", 9, 0),
            task(8, "kworker/1:0", 1, 1),
            task(9, "tauto", 4, 1),
        ]);
        let place = WatchedCpus { here: &here, elsewhere: &"0".parse().unwrap(), can_be_tickless: false };
        let audit = before.audit(&roots, place, &known, Nanos::from_millis(100), ("no tracing", TICK));
        let found: Vec<_> = audit
            .findings
            .iter()
            .map(|finding| {
                (finding.kind, finding.name.as_str(), finding.count, finding.total.known().copied())
            })
            .collect();
        let ticks = |count| Some(TICK.saturating_mul(count));
        assert_eq!(
            found,
            [
                (RunnerKind::Ours, "tauto", 0, ticks(4)),
                (RunnerKind::Process, "cron", 0, ticks(2)),
                (RunnerKind::KernelThread, "kworker/1:0", 0, ticks(1)),
                (RunnerKind::Interrupt, "local_timer", 45, None),
            ]
        );
        assert_eq!(audit.method, AuditMethod::Estimate { why: "no tracing".to_owned() });
        assert!(audit.shares.known().is_none() && !audit.blind_spots.is_empty());
    }
}
