//! Where and when tasks run.

use super::Entry;
use super::finding::{Change, Finding, View, known, number};
use super::tasks::Task;
use super::text::some_of;
use model::CpuSet;
use model::counted;
use std::collections::BTreeMap;

const TIMERS: &str = "/proc/sys/kernel/timer_migration";
const RT_RUNTIME: &str = "/proc/sys/kernel/sched_rt_runtime_us";
const RT_PERIOD: &str = "/proc/sys/kernel/sched_rt_period_us";
const AUTOGROUP: &str = "/proc/sys/kernel/sched_autogroup_enabled";
const ENERGY: &str = "/proc/sys/kernel/sched_energy_aware";
const PARANOID: &str = "/proc/sys/kernel/perf_event_paranoid";
const PERF_SHARE: &str = "/proc/sys/kernel/perf_cpu_time_max_percent";
const UNIFIED: &str = "/sys/fs/cgroup/cgroup.controllers";
const HYBRID: &str = "/sys/fs/cgroup/unified/cgroup.controllers";
const V1_CPUSET: &str = "/sys/fs/cgroup/cpuset/cpuset.cpus";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "other-tasks",
        name: "tasks on timed CPUs",
        effect: "a task that may run on the CPU of a timed one does: each switch costs us and a part of the caches",
        source: "Documentation/admin-guide/kernel-per-CPU-kthreads.rst",
        cost: "these tasks share the housekeeping CPUs",
        reads: &[],
        judge: other_tasks,
    },
    Entry {
        id: "timer-migration",
        name: "timer migration",
        effect: "timers of idle CPUs move to a busy one, which may be the timed one: some us each",
        source: "Documentation/admin-guide/sysctl/kernel.rst (timer_migration)",
        cost: "idle CPUs wake for their own timers: more power",
        reads: &[TIMERS],
        judge: |view| off(view, TIMERS),
    },
    Entry {
        id: "real-time-throttling",
        name: "real-time throttling",
        effect: "real-time programs are stopped for the rest of each period; timed runs are none, so it only protects",
        source: "Documentation/scheduler/sched-rt-group.rst (sched_rt_runtime_us)",
        cost: "none",
        reads: &[RT_RUNTIME, RT_PERIOD],
        judge: real_time,
    },
    Entry {
        id: "autogroup",
        name: "autogroup",
        effect: "CPU time is shared by login session first, so that 'nice 19' elsewhere still takes half a core",
        source: "sched(7), The autogroup feature",
        cost: "desktops feel less smooth under load",
        reads: &[AUTOGROUP],
        judge: |view| off(view, AUTOGROUP),
    },
    Entry {
        id: "energy-aware-scheduling",
        name: "energy-aware scheduling",
        effect: "on unequal cores a task is put where it costs the least energy, not where it is fast",
        source: "Documentation/scheduler/sched-energy.rst",
        cost: "more power",
        reads: &[ENERGY],
        judge: |view| off(view, ENERGY),
    },
    Entry {
        id: "perf-events",
        name: "performance events",
        effect: "any user may sample the whole machine; sampling may take this share of CPU time",
        source: "Documentation/admin-guide/sysctl/kernel.rst (perf_event_paranoid, perf_cpu_time_max_percent)",
        cost: "users without rights can profile their own programs only",
        reads: &[PARANOID, PERF_SHARE],
        judge: perf_events,
    },
    Entry {
        id: "control-groups",
        name: "control groups",
        effect: "only version 2 has isolated partitions; a version 1 cpuset does not drive other tasks off its CPUs",
        source: "Documentation/admin-guide/cgroup-v2.rst (cpuset.cpus.partition)",
        cost: "programs that know version 1 only no longer work",
        reads: &[UNIFIED, HYBRID, V1_CPUSET],
        judge: control_groups,
    },
];

fn off(view: &View<'_>, path: &'static str) -> Result<Finding, Finding> {
    let text = view.feature(path)?;
    Ok(if number(path, text)? == 0 {
        Finding::pass("off")
    } else {
        Finding::caution("on").write([Change::new(path, text, "0")])
    })
}

fn other_tasks(view: &View<'_>) -> Result<Finding, Finding> {
    let tasks = known(&view.snapshot.tasks)?;
    let aim = view.aim()?;
    let there: Vec<&Task> =
        tasks.iter().filter(|task| !task.cpus.intersection(&aim.timed).is_empty()).collect();
    let (bound, movable): (Vec<_>, Vec<_>) = there.into_iter().partition(|task| task.bound);
    let (kernel, others): (Vec<_>, Vec<_>) = movable.into_iter().partition(|task| task.kernel);
    let kinds = [(&kernel, "kernel threads"), (&others, "processes"), (&bound, "bound there by the kernel")];
    let present = kinds.iter().filter(|(tasks, _)| !tasks.is_empty());
    let here: Vec<_> = present.map(|(tasks, kind)| format!("{kind}: {}", names(tasks))).collect();
    let here = (!here.is_empty()).then(|| here.join("; "));
    if kernel.is_empty() && others.is_empty() {
        return Ok(Finding::pass(format!("none that could be moved from {}", aim.timed.named())).here(here));
    }
    let (kernel, others) = (counted(kernel.len(), "kernel thread"), counted(others.len(), "process"));
    let found = format!("{kernel} and {others} that could be elsewhere");
    Ok(Finding::caution(found).here(here).person(move_tasks(&aim.housekeeping, &aim.timed)))
}

/// Names each kind of task once, without the number of its CPU, the most frequent first.
fn names(tasks: &[&Task]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for task in tasks {
        let kind = task.name.split(['/', ':']).next().unwrap_or(&task.name);
        *counts.entry(kind).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    some_of(&counts.iter().map(|(kind, _)| *kind).collect::<Vec<_>>())
}

fn move_tasks(housekeeping: &CpuSet, timed: &CpuSet) -> String {
    format!(
        "for p in /proc/[0-9]*; do taskset -apc {housekeeping} ${{p#/proc/}}; done 2> /dev/null  (until the next start; for good: isolcpus={timed})"
    )
}

fn real_time(view: &View<'_>) -> Result<Finding, Finding> {
    let text = view.feature(RT_RUNTIME)?;
    let period = view.file(RT_PERIOD)?;
    Ok(if number(RT_RUNTIME, text)? < 0 {
        Finding::caution("off: one real-time program that loops takes a CPU from everything else")
            .write([Change::new(RT_RUNTIME, text, "950000")])
    } else {
        Finding::pass(format!("{text} of each {period} us"))
    })
}

fn perf_events(view: &View<'_>) -> Result<Finding, Finding> {
    /// From this value on, unprivileged users can observe only their own programs, without the kernel.
    const OWN_ONLY: i64 = 2;
    let text = view.feature(PARANOID)?;
    let share = view.known(PERF_SHARE).unwrap_or("not known");
    let found = format!("paranoid {text}, at most {share} % of CPU time");
    Ok(Finding::caution_unless(number(PARANOID, text)? >= OWN_ONLY, found).write([Change::new(
        PARANOID,
        text,
        OWN_ONLY.to_string(),
    )]))
}

fn control_groups(view: &View<'_>) -> Result<Finding, Finding> {
    let boot = || ["systemd.unified_cgroup_hierarchy=1".to_owned(), "cgroup_no_v1=all".to_owned()];
    if let Ok(controllers) = view.file(UNIFIED) {
        return Ok(if controllers.split(' ').any(|name| name == "cpuset") {
            Finding::pass("version 2 with cpuset")
        } else {
            Finding::caution("version 2 without the cpuset controller")
                .person("build the kernel with CONFIG_CPUSETS")
        });
    }
    if view.known(HYBRID).is_some() {
        return Ok(Finding::caution("versions 1 and 2 side by side").boot(boot()));
    }
    view.file(V1_CPUSET)
        .map(|_| Finding::caution("version 1").boot(boot()))
        .map_err(|_| Finding::unavailable("no control groups are mounted below /sys/fs/cgroup"))
}
