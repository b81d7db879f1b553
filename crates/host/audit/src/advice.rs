//! How to move tasks and interrupts off a CPU: a table with the kernel document for each line.

use super::report::WatchedCpus;
use model::{Advice, RunnerKind};

const IRQ_AFFINITY: &str = "Documentation/core-api/irq/irq-affinity.rst";
const KTHREADS: &str = "Documentation/admin-guide/kernel-per-CPU-kthreads.rst";
const WORKQUEUE: &str = "Documentation/core-api/workqueue.rst";
const NO_HZ: &str = "Documentation/timers/no_hz.rst";
const PARAMETERS: &str = "Documentation/admin-guide/kernel-parameters.txt";
const CPUSET: &str = "Documentation/admin-guide/cgroup-v2.rst";
const WATCHDOG: &str = "Documentation/admin-guide/lockup-watchdogs.rst";

/// A prefix of names, what to do about them, and the document. `ELSEWHERE` and `HERE` are filled in; text in brackets
/// is dropped if the kernel cannot stop the tick. The first matching line applies.
type Line = (&'static str, &'static str, &'static str);

const KERNEL_THREADS: &[Line] = &[
    (
        "kworker/u",
        "not bound to a CPU: give the list to all such workers, as a mask: echo MASK > \
         /sys/devices/virtual/workqueue/cpumask",
        WORKQUEUE,
    ),
    (
        "kworker/",
        "bound to this CPU by the code that queued the work: find that with the event workqueue:workqueue_execute_start; \
         timers and interrupts that are moved away take their work with them",
        KTHREADS,
    ),
    (
        "ksoftirqd/",
        "does soft interrupts that were too many: move the interrupts and timers that raise them",
        KTHREADS,
    ),
    ("rcuc/", "offload callbacks with the boot parameter rcu_nocbs=HERE", KTHREADS),
    (
        "rcuo",
        "callbacks that are offloaded already: bind it to the other CPUs: taskset -cp ELSEWHERE PID",
        KTHREADS,
    ),
    ("rcu", "bind it to the other CPUs: taskset -cp ELSEWHERE PID", KTHREADS),
    (
        "migration/",
        "cannot be moved: it runs when a task is moved to or from this CPU, so bind tasks once, before they are timed",
        KTHREADS,
    ),
    ("cpuhp/", "cannot be moved: it runs when this CPU is switched on or off", KTHREADS),
    ("watchdog/", "switch it off here: echo ELSEWHERE > /proc/sys/kernel/watchdog_cpumask", WATCHDOG),
    (
        "irq/",
        "follows its interrupt: echo ELSEWHERE > /proc/irq/N/smp_affinity_list, N being the number in its name",
        IRQ_AFFINITY,
    ),
    ("idle_inject/", "cools this CPU by idling: lower the load, or switch the power clamp off", PARAMETERS),
    (
        "",
        "bind it to the other CPUs: taskset -cp ELSEWHERE PID; it refuses where it belongs to this CPU",
        KTHREADS,
    ),
];

const LOCAL_INTERRUPTS: &[Line] = &[
    (
        "local_timer",
        "the tick, and timers of tasks here[: boot with nohz_full=HERE, which stops the tick while one task runs]",
        NO_HZ,
    ),
    (
        "reschedule",
        "another CPU woke a task here: keep tasks that wake each other together, and others off this CPU",
        NO_HZ,
    ),
    (
        "call_function",
        "another CPU asked for a function to be run here (memory unmapped by a process that ran here, text patched, \
         RCU): bind the process that unmaps to other CPUs",
        NO_HZ,
    ),
    (
        "irq_work",
        "work that an interrupt left, often of RCU or of tracing itself: boot with rcu_nocbs=HERE[ nohz_full=HERE]",
        NO_HZ,
    ),
    ("thermal", "the processor reports that it is hot: cool it", PARAMETERS),
    ("", "made by the processor for this CPU: it cannot be moved", IRQ_AFFINITY),
];

const SOFT_INTERRUPTS: &[Line] = &[
    (
        "TIMER",
        "timers that tasks here have set: [boot with nohz_full=HERE, and ]bind those tasks elsewhere",
        KTHREADS,
    ),
    ("HRTIMER", "timers that tasks here have set: bind those tasks elsewhere", KTHREADS),
    ("NET", "follows the network's interrupts, and the tasks here that send: move both", KTHREADS),
    ("BLOCK", "follows the disk's interrupts, and the tasks here that read and write: move both", KTHREADS),
    ("SCHED", "load balancing: boot with isolcpus=HERE, or make a cpuset partition 'isolated'", KTHREADS),
    ("RCU", "boot with rcu_nocbs=HERE, which offloads callbacks[, and nohz_full=HERE]", KTHREADS),
    ("", "raised by an interrupt's driver: move that interrupt", KTHREADS),
];

pub fn advice(kind: RunnerKind, name: &str, number: Option<u32>, place: WatchedCpus<'_>) -> Advice {
    let from = |table: &[Line]| {
        let line = table.iter().find(|(prefix, ..)| name.starts_with(prefix));
        line.map_or(("", IRQ_AFFINITY), |(_, text, source)| (*text, *source))
    };
    let (text, source) = match kind {
        RunnerKind::Ours => ("work of tauto: listed so that the sum is complete", CPUSET),
        RunnerKind::Process => (
            "use a cpuset: a partition 'root' or 'isolated' with cpuset.cpus=HERE; or bind to the other CPUs: \
             taskset -acp ELSEWHERE PID",
            CPUSET,
        ),
        RunnerKind::GoneTask => (
            "ended before inspection: keep off what starts such tasks with a cpuset whose \
             partition is 'root' or 'isolated'",
            CPUSET,
        ),
        RunnerKind::KernelThread => from(KERNEL_THREADS),
        RunnerKind::SoftInterrupt => from(SOFT_INTERRUPTS),
        RunnerKind::Interrupt if number.is_none() => from(LOCAL_INTERRUPTS),
        RunnerKind::Interrupt => (
            "echo ELSEWHERE > /proc/irq/NUMBER/smp_affinity_list (stop irqbalance first; an interrupt that the \
             kernel manages itself refuses)",
            IRQ_AFFINITY,
        ),
    };
    let number = number.map(|number| number.to_string()).unwrap_or_default();
    let mut text = tickless(text, place.can_be_tickless).replace("NUMBER", &number);
    if place.elsewhere.is_empty() {
        // All CPUs are watched, so some of them have to do the rest.
        let (all, named) = (text.clone(), text.replace("ELSEWHERE", "OTHERS").replace("HERE", "TIMED"));
        text = named;
        if text != all {
            text.push_str(" (TIMED: the CPUs of timed runs; OTHERS: the rest)");
        }
    }
    let text =
        text.replace("ELSEWHERE", &place.elsewhere.to_string()).replace("HERE", &place.here.to_string());
    Advice { text, source }
}

/// Returns the text with or without what is in brackets.
fn tickless(text: &str, can_be: bool) -> String {
    match text.split_once('[').and_then(|(before, rest)| Some((before, rest.split_once(']')?))) {
        Some((before, (within, after))) if can_be => format!("{before}{within}{after}"),
        Some((before, (_, after))) => {
            format!("{before}{after}; only a kernel with CONFIG_NO_HZ_FULL can stop the tick")
        }
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::CpuSet;

    fn advice_for(
        kind: RunnerKind,
        name: &str,
        number: Option<u32>,
        elsewhere: &str,
        can_be_tickless: bool,
    ) -> Advice {
        let (here, elsewhere): (CpuSet, CpuSet) = ("2-3".parse().unwrap(), elsewhere.parse().unwrap());
        advice(kind, name, number, WatchedCpus { here: &here, elsewhere: &elsewhere, can_be_tickless })
    }

    #[test]
    fn advice_names_the_cpus_and_numbers() {
        for (kind, name, number, part) in [
            (RunnerKind::Interrupt, "virtio0-input", Some(24), "echo 0-1 > /proc/irq/24/smp_affinity_list"),
            (RunnerKind::Interrupt, "local_timer", None, "nohz_full=2-3"),
            (RunnerKind::Interrupt, "x86_platform_ipi", None, "cannot be moved"),
            (RunnerKind::KernelThread, "kworker/u8:1", Some(7), "workqueue/cpumask"),
            (RunnerKind::KernelThread, "kworker/1:1", Some(7), "workqueue_execute_start"),
            (RunnerKind::KernelThread, "rcuop/3", Some(7), "taskset -cp 0-1 PID"),
            (RunnerKind::KernelThread, "migration/2", Some(7), "cannot be moved"),
            (RunnerKind::KernelThread, "kcompactd0", None, "taskset -cp 0-1 PID"),
            (RunnerKind::Process, "cron", Some(7), "taskset -acp 0-1 PID"),
            (RunnerKind::SoftInterrupt, "RCU", Some(9), "rcu_nocbs=2-3"),
            (RunnerKind::SoftInterrupt, "TASKLET", Some(6), "move that interrupt"),
        ] {
            let advice = advice_for(kind, name, number, "0-1", true);
            assert!(advice.text.contains(part), "{name}: {}", advice.text);
            assert!(advice.source.starts_with("Documentation/"), "{name}");
        }
    }

    #[test]
    fn the_tick_is_stopped_neither_everywhere_nor_where_the_kernel_cannot() {
        use RunnerKind::{Interrupt, SoftInterrupt};
        for (kind, name) in [
            (Interrupt, "local_timer"),
            (Interrupt, "irq_work"),
            (SoftInterrupt, "TIMER"),
            (SoftInterrupt, "RCU"),
        ] {
            let cannot = advice_for(kind, name, None, "0-1", false).text;
            assert!(!cannot.contains("nohz_full") && !cannot.contains(['[', ']']), "{name}: {cannot}");
            let everywhere = advice_for(kind, name, None, "", true).text;
            assert!(everywhere.contains("nohz_full=TIMED"), "{name}: {everywhere}");
            assert!(everywhere.ends_with("OTHERS: the rest)"), "{name}: {everywhere}");
        }
    }

    #[test]
    fn every_table_ends_with_what_fits_all() {
        for table in [KERNEL_THREADS, LOCAL_INTERRUPTS, SOFT_INTERRUPTS] {
            assert_eq!(table.iter().position(|(prefix, ..)| prefix.is_empty()), Some(table.len() - 1));
        }
    }
}
