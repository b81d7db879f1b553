//! The kernel's background work on memory, and the address layout of programs.

use super::Entry;
use super::finding::{Change, Finding, Remedy, View, number};
use super::text::counter;

const NUMA_BALANCING: &str = "/proc/sys/kernel/numa_balancing";
const NODES: &str = "/sys/devices/system/node/online";
const ZONE_RECLAIM: &str = "/proc/sys/vm/zone_reclaim_mode";
const COMPACTION: &str = "/proc/sys/vm/compaction_proactiveness";
const STATISTICS: &str = "/proc/sys/vm/stat_interval";
const WRITEBACK: &str = "/proc/sys/vm/dirty_writeback_centisecs";
const RANDOM: &str = "/proc/sys/kernel/randomize_va_space";
/// Ten times the kernel's default: the page on per-CPU kernel threads advises a longer interval.
const STATISTICS_SECONDS: i64 = 10;
/// Three times the kernel's default; more would risk minutes of results in a power failure.
const WRITEBACK_CENTISECONDS: i64 = 1500;

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "numa-balancing",
        name: "NUMA balancing",
        effect: "the kernel unmaps pages to see what uses them, and moves them: faults of us each",
        source: "Documentation/admin-guide/sysctl/kernel.rst (numa_balancing)",
        cost: "programs that are not bound to a NUMA node stay where they began",
        reads: &[NUMA_BALANCING, NODES],
        judge: numa_balancing,
    },
    Entry {
        id: "zone-reclaim",
        name: "zone reclaim",
        effect: "a page fault frees memory of its own node before it takes some from another: up to ms",
        source: "Documentation/admin-guide/sysctl/vm.rst (zone_reclaim_mode)",
        cost: "memory may come from another node when one's own is full",
        reads: &[ZONE_RECLAIM],
        judge: |view| switch_off(view, ZONE_RECLAIM),
    },
    Entry {
        id: "compaction",
        name: "proactive compaction",
        effect: "a kernel thread moves pages of programs together, which then fault or wait, for up to ms",
        source: "Documentation/admin-guide/sysctl/vm.rst (compaction_proactiveness)",
        cost: "fewer huge pages after a long time",
        reads: &[COMPACTION],
        judge: |view| switch_off(view, COMPACTION),
    },
    Entry {
        id: "statistics-interval",
        name: "memory statistics",
        effect: "each CPU sums up its counters this often, in a kernel thread of its own: some us each time",
        source: "Documentation/admin-guide/kernel-per-CPU-kthreads.rst (vm.stat_interval), sysctl/vm.rst",
        cost: "/proc/vmstat may be that much behind",
        reads: &[STATISTICS],
        judge: |view| at_least(view, STATISTICS, STATISTICS_SECONDS, "s"),
    },
    Entry {
        id: "writeback-interval",
        name: "writeback interval",
        effect: "the kernel wakes this often to write what is dirty to disk",
        source: "Documentation/admin-guide/sysctl/vm.rst (dirty_writeback_centisecs)",
        cost: "a power failure loses up to 10 s more of what no program has synced",
        reads: &[WRITEBACK],
        judge: writeback,
    },
    Entry {
        id: "address-randomisation",
        name: "address randomisation",
        effect: "random addresses change from run to run how data falls into caches and pages, which can be worth some per cent",
        source: "Documentation/admin-guide/sysctl/kernel.rst (randomize_va_space)",
        cost: "a guard against attacks on every program of the machine, services included; so only on request",
        reads: &[RANDOM],
        judge: randomisation,
    },
];

fn numa_balancing(view: &View<'_>) -> Result<Finding, Finding> {
    let text = view.feature(NUMA_BALANCING)?;
    if number(NUMA_BALANCING, text)? == 0 {
        return Ok(Finding::pass("off"));
    }
    if view.known(NODES).is_some_and(|nodes| !nodes.contains([',', '-'])) {
        return Ok(Finding::pass("on, but there is one NUMA node only"));
    }
    let here = view.known("/proc/vmstat").and_then(|vmstat| {
        let (faults, moved) = (counter(vmstat, "numa_hint_faults")?, counter(vmstat, "numa_pages_migrated")?);
        Some(format!("{faults} faults and {moved} pages moved since boot"))
    });
    Ok(Finding::fail("on").here(here).write([Change::new(NUMA_BALANCING, text, "0")]))
}

fn switch_off(view: &View<'_>, path: &'static str) -> Result<Finding, Finding> {
    let text = view.feature(path)?;
    Ok(if number(path, text)? == 0 {
        Finding::pass("off")
    } else {
        Finding::caution(text).write([Change::new(path, text, "0")])
    })
}

fn at_least(view: &View<'_>, path: &'static str, good: i64, unit: &str) -> Result<Finding, Finding> {
    let text = view.feature(path)?;
    let found = format!("every {text} {unit}");
    Ok(Finding::caution_unless(number(path, text)? >= good, found).write([Change::new(
        path,
        text,
        good.to_string(),
    )]))
}

fn writeback(view: &View<'_>) -> Result<Finding, Finding> {
    if view.feature(WRITEBACK)? == "0" {
        return Ok(Finding::pass("never by itself"));
    }
    at_least(view, WRITEBACK, WRITEBACK_CENTISECONDS, "cs")
}

fn randomisation(view: &View<'_>) -> Result<Finding, Finding> {
    let text = view.file(RANDOM)?;
    Ok(if number(RANDOM, text)? == 0 {
        Finding::pass("off")
    } else {
        Finding::caution(format!("on (level {text})"))
            .remedy(Remedy::WriteOnRequest(vec![Change::new(RANDOM, text, "0")]))
    })
}
