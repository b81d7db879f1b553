//! Interrupts, and the kernel's work that follows them.

use super::Entry;
use super::finding::{Change, Finding, View, known};
use super::text::{Interrupt, interrupts, some_of};
use model::{CpuSet, counted};
use system::mask;

const DEFAULT_AFFINITY: &str = "/proc/irq/default_smp_affinity";
const AFFINITY: &str = "/proc/irq/#/smp_affinity_list";
const INTERRUPTS: &str = "/proc/interrupts";
const RECEIVE: &str = "/sys/class/net/*/queues/rx-#/rps_cpus";
const TRANSMIT: &str = "/sys/class/net/*/queues/tx-#/xps_cpus";
const WORKQUEUES: &str = "/sys/devices/virtual/workqueue/cpumask";
const WRITEBACK: &str = "/sys/devices/virtual/workqueue/writeback/cpumask";
const AFFINITY_PAGE: &str = "Documentation/core-api/irq/irq-affinity.rst";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "irq-default-affinity",
        name: "new interrupts",
        effect: "a device that appears gets its interrupts on any of these CPUs: some us each, charged to the program",
        source: AFFINITY_PAGE,
        cost: "housekeeping CPUs serve them",
        reads: &[DEFAULT_AFFINITY],
        judge: |view| away(view, DEFAULT_AFFINITY),
    },
    Entry {
        id: "irq-affinity",
        name: "interrupts of devices",
        effect: "each interrupt takes some us to tens of us from the program on its CPU",
        source: AFFINITY_PAGE,
        cost: "devices with a queue for each CPU lose that; the kernel refuses to move interrupts that it manages itself",
        reads: &[INTERRUPTS, AFFINITY],
        judge: affinity,
    },
    Entry {
        id: "irqbalance",
        name: "irqbalance",
        effect: "the daemon moves interrupts back onto any CPU, every ten seconds",
        source: "irqbalance(1), IRQBALANCE_BANNED_CPULIST",
        cost: "interrupts stay where they are put",
        reads: &[],
        judge: irqbalance,
    },
    Entry {
        id: "packet-steering",
        name: "packet steering",
        effect: "RPS has packets handled on other CPUs than the interrupt's, by soft interrupts of some us to ms",
        source: "Documentation/networking/scaling.rst (RPS, XPS)",
        cost: "housekeeping CPUs handle the packets",
        reads: &[RECEIVE, TRANSMIT],
        judge: steering,
    },
    Entry {
        id: "workqueue-cpus",
        name: "unbound workqueues",
        effect: "the kernel's deferred work runs on any of these CPUs, for us to ms",
        source: "Documentation/core-api/workqueue.rst (cpumask), admin-guide/kernel-per-CPU-kthreads.rst",
        cost: "housekeeping CPUs do this work",
        reads: &[WORKQUEUES],
        judge: |view| away(view, WORKQUEUES),
    },
    Entry {
        id: "writeback-cpus",
        name: "writeback workers",
        effect: "writing dirty pages to disk takes ms to seconds of CPU time on any of these CPUs",
        source: "Documentation/core-api/workqueue.rst (WQ_SYSFS)",
        cost: "housekeeping CPUs do this work",
        reads: &[WRITEBACK],
        judge: |view| away(view, WRITEBACK),
    },
];

fn affinity(view: &View<'_>) -> Result<Finding, Finding> {
    let table = interrupts(view.file(INTERRUPTS)?);
    let aim = view.aim()?;
    let mut changes = Vec::new();
    let (mut seen, mut served) = (0, Vec::new());
    for (path, list) in view.snapshot.all(AFFINITY) {
        let id = path.split('/').nth(3).unwrap_or_default();
        // A number without a line there has no device.
        let Some(interrupt) = table.iter().find(|interrupt| interrupt.id == id) else { continue };
        // The PC's timer is only used during boot, and the kernel does not move it.
        if interrupt.name == "timer" {
            continue;
        }
        seen += 1;
        let cpus: CpuSet = list.parse().map_err(|error| Finding::unavailable(format!("{path}: {error}")))?;
        if aim.timed.intersection(&cpus).is_empty() {
            continue;
        }
        changes.push(Change::new(path, list, aim.housekeeping.to_string()));
        let count = interrupt.count_on(&aim.timed);
        if count > 0 {
            served.push((count, interrupt));
        }
    }
    if seen == 0 {
        return Err(Finding::unavailable(
            "no interrupt in /proc/interrupts has a /proc/irq/N/smp_affinity_list",
        ));
    }
    if changes.is_empty() {
        return Ok(Finding::pass(format!("all {seen} away from {}", aim.timed.named())));
    }
    served.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let name_and_count = |(count, interrupt): &(u64, &Interrupt<'_>)| format!("{} {count}", interrupt.name);
    let here = (!served.is_empty()).then(|| {
        format!(
            "served on {} since boot: {}",
            aim.timed.named(),
            some_of(&served.iter().map(name_and_count).collect::<Vec<_>>())
        )
    });
    Ok(Finding::caution(format!("{} of {seen} may come to {}", changes.len(), aim.timed.named()))
        .here(here)
        .write(changes))
}

fn irqbalance(view: &View<'_>) -> Result<Finding, Finding> {
    let tasks = known(&view.snapshot.tasks)?;
    Ok(match tasks.iter().find(|task| task.name == "irqbalance") {
        None => Finding::pass("not running"),
        Some(task) => Finding::caution(format!("running as process {}", task.pid))
            .person("systemctl disable --now irqbalance"),
    })
}

fn steering(view: &View<'_>) -> Result<Finding, Finding> {
    let queues = view.snapshot.all(RECEIVE);
    if queues.is_empty() {
        return Err(Finding::unavailable("no receive queue in /sys/class/net has rps_cpus"));
    }
    let aim = view.aim()?;
    let mut changes = Vec::new();
    for (path, text) in &queues {
        let cpus = cpus_of(text)?;
        if !aim.timed.intersection(&cpus).is_empty() {
            changes.push(Change::new(*path, text, mask::write(&aim.housekeeping)));
        }
    }
    Ok(if changes.is_empty() {
        Finding::pass(format!("{}, none to {}", counted(queues.len(), "queue"), aim.timed.named()))
    } else {
        let found = format!(
            "{} of {} may go to {}",
            changes.len(),
            counted(queues.len(), "queue"),
            aim.timed.named()
        );
        Finding::caution(found).write(changes)
    })
}

/// Judges a file with the mask of CPUs that something may use.
fn away(view: &View<'_>, path: &'static str) -> Result<Finding, Finding> {
    let text = view.file(path)?;
    let aim = view.aim()?;
    let cpus = cpus_of(text)?;
    Ok(Finding::caution_unless(aim.timed.intersection(&cpus).is_empty(), cpus.named()).write([Change::new(
        path,
        text,
        mask::write(&aim.housekeeping),
    )]))
}

fn cpus_of(text: &str) -> Result<CpuSet, Finding> {
    mask::parse(text).ok_or_else(|| Finding::unavailable(format!("'{text}' is not a mask of CPUs")))
}
