//! Watchdogs: timers and threads on every CPU that check whether it still works.

use super::Entry;
use super::finding::{Change, Finding, View, number};
use model::CpuSet;

const NMI: &str = "/proc/sys/kernel/nmi_watchdog";
const SOFT: &str = "/proc/sys/kernel/soft_watchdog";
const CPUS: &str = "/proc/sys/kernel/watchdog_cpumask";
const PAGE: &str = "Documentation/admin-guide/lockup-watchdogs.rst";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "nmi-watchdog",
        name: "NMI watchdog",
        effect: "an interrupt on each CPU every ten seconds or so, and one hardware counter less for measurements",
        source: PAGE,
        cost: "a CPU that hangs with interrupts off is not noticed",
        reads: &[NMI],
        judge: |view| watchdog(view, NMI),
    },
    Entry {
        id: "soft-watchdog",
        name: "soft lockup watchdog",
        effect: "a timer of some us on each CPU every four seconds, which also wakes a kernel thread",
        source: PAGE,
        cost: "a CPU that loops in the kernel is not noticed",
        reads: &[SOFT],
        judge: |view| watchdog(view, SOFT),
    },
    Entry {
        id: "watchdog-cpus",
        name: "CPUs of the watchdogs",
        effect: "the watchdogs disturb these CPUs only",
        source: PAGE,
        cost: "timed CPUs that hang are not noticed",
        reads: &[CPUS],
        judge: cpus,
    },
];

fn watchdog(view: &View<'_>, path: &'static str) -> Result<Finding, Finding> {
    let text = view.feature(path)?;
    if number(path, text)? == 0 {
        return Ok(Finding::pass("off"));
    }
    if let (Ok(aim), Some(Ok(cpus))) = (view.aim(), view.known(CPUS).map(str::parse::<CpuSet>))
        && aim.timed.intersection(&cpus).is_empty()
    {
        return Ok(Finding::pass(format!("on, but not on {}", aim.timed.named())));
    }
    Ok(Finding::caution("on").write([Change::new(path, text, "0")]))
}

fn cpus(view: &View<'_>) -> Result<Finding, Finding> {
    let text = view.feature(CPUS)?;
    let all_off = [NMI, SOFT].iter().all(|path| view.known(path).is_none_or(|value| value == "0"));
    if all_off {
        return Ok(Finding::pass(format!("{text}, all off")));
    }
    let aim = view.aim()?;
    let cpus: CpuSet = text.parse().map_err(|error| Finding::unavailable(format!("{CPUS}: {error}")))?;
    Ok(if aim.timed.intersection(&cpus).is_empty() {
        Finding::pass(text)
    } else {
        Finding::caution(text).write([Change::new(CPUS, text, aim.housekeeping.to_string())])
    })
}
