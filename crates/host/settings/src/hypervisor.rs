//! The layer below a virtual machine.

use super::Entry;
use super::finding::{Finding, View};
use super::text::interrupts;
use model::Reading;
use system::Status;
use system::machine::Hypervisor;

const STAT: &str = "/proc/stat";

pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        id: "virtual-machine",
        name: "virtual machine",
        effect: "most of what the host does to our CPUs cannot be seen from inside",
        source: "Documentation/virt/kvm/index.rst; docs/settings.md",
        cost: "a dedicated machine",
        reads: &[],
        judge: virtual_machine,
    },
    Entry {
        id: "steal",
        name: "steal since boot",
        effect: "the hypervisor runs other machines on our CPUs: ms at a time, wall time above all",
        source: "Documentation/filesystems/proc.rst (/proc/stat, steal)",
        cost: "dedicated CPUs",
        reads: &[],
        judge: steal,
    },
    Entry {
        id: "free-page-reporting",
        name: "free pages given back",
        effect: "the host takes free pages back, and the next touch of each block of 2 MiB or more waits for it",
        source: "Documentation/mm/free_page_reporting.rst",
        cost: "the machine keeps its memory",
        reads: &["/proc/interrupts"],
        judge: free_page_reporting,
    },
];

fn virtual_machine(view: &View<'_>) -> Result<Finding, Finding> {
    match &view.snapshot.hypervisor {
        Reading::Known(Hypervisor::None) => Ok(Finding::pass("none seen")),
        Reading::Known(name) => {
            let what = "judge on real hardware, or have the host give this machine dedicated CPUs";
            Ok(Finding::caution(name.to_string()).person(what))
        }
        Reading::Unavailable(why) => Err(Finding::unavailable(why)),
    }
}

fn steal(view: &View<'_>) -> Result<Finding, Finding> {
    /// Below this share it is invisible in the times of runs.
    const SEEN: f64 = 0.001;
    /// From this share on it exceeds the one per cent within which two runs agree.
    const TOO_MUCH: f64 = 0.01;
    let stat = view.file(STAT)?;
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "));
    let ticks: Vec<u64> =
        line.unwrap_or_default().split_whitespace().map_while(|word| word.parse().ok()).collect();
    // user nice system idle iowait irq softirq steal; the guest columns after it are part of the first two.
    let (Some(steal), Some(all)) = (ticks.get(7), ticks.get(..8)) else {
        return Err(Finding::unavailable("this kernel's /proc/stat has no steal column"));
    };
    let all: u64 = all.iter().sum();
    if all == 0 {
        return Err(Finding::unavailable("/proc/stat has counted no time yet"));
    }
    let share = *steal as f64 / all as f64;
    let found = format!("{:.3} % of all time", share * 100.0);
    let status = match share {
        share if share <= SEEN => Status::Pass,
        share if share <= TOO_MUCH => Status::Caution,
        _ => Status::Fail,
    };
    Ok(Finding::new(status, found).person("ask for dedicated CPUs"))
}

fn free_page_reporting(view: &View<'_>) -> Result<Finding, Finding> {
    if matches!(view.snapshot.hypervisor, Reading::Known(Hypervisor::None)) {
        return Ok(Finding::pass("no hypervisor seen"));
    }
    let table = view.file("/proc/interrupts")?;
    // The queue with which the virtio balloon reports is named after its purpose.
    let queue = interrupts(table).into_iter().find(|line| line.name.contains("reporting"));
    Ok(match queue {
        None => Finding::pass("no balloon reports free pages"),
        Some(queue) => Finding::caution(queue.name.to_owned())
            .here(format!("{} reports since boot", queue.counts.iter().map(|(_, count)| count).sum::<u64>()))
            .person("have the host give this machine a balloon without free page reporting"),
    })
}
