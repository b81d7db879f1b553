//! The identity of a judgehost's pool: lines of text that are the same on machines whose times can be compared.

use judge::CountedBy;
use model::{CpuSet, InstructionCount, Reading, Topology};
use sandbox::Counter;
use settings::{Group, Setting};
use std::collections::BTreeMap;
use system::MachineIdentity;
use system::machine::Hypervisor;

/// At each boot the kernel reserves a slightly different amount of memory for itself.
const MEMORY_STEP_MIB: u64 = 256;
/// Settings that change how fast a program is, by the catalogue's ids.
const SETTINGS: [&str; 4] = ["turbo", "governor", "energy-preference", "frequency-range"];

/// Returns the lines of a machine. `is_shared`: whether other programs may use the CPUs of timed runs.
pub fn lines(
    machine: &MachineIdentity,
    topology: &Topology,
    settings: &[Setting],
    is_shared: bool,
) -> Vec<String> {
    let mut lines = vec![
        format!("processor: {}", known(&machine.cpu_model)),
        format!("cores: {}", cores(topology)),
        format!("caches: {}", caches(topology)),
        format!("NUMA nodes: {}", topology.numa_nodes.len()),
        format!("memory: {}", memory(machine)),
        format!("kernel: {}", known(&machine.kernel)),
        format!("hypervisor: {}", known(&text(&machine.hypervisor))),
    ];
    for id in SETTINGS {
        if let Some(setting) = settings.iter().find(|setting| setting.id == id && setting.group == Group::Cpu)
        {
            let found = match setting.status {
                system::Status::Unavailable => "not shown",
                _ => setting.found.as_str(),
            };
            lines.push(format!("{}: {found}", setting.name));
        }
    }
    lines.push(format!("timed CPUs: {}", if is_shared { "shared" } else { "leased" }));
    lines
}

/// Returns the lines of a machine by whose counts of instructions it judges: on all that count alike, a program takes the same.
/// `canary` is what it counts of a program that executes the same everywhere.
pub fn counted(by: &CountedBy, canary: InstructionCount) -> Vec<String> {
    // What a processor counts more where it is interrupted is no difference of machines.
    let canary = match &by.counter {
        Counter::Emulated(_) => canary,
        Counter::Hardware(_) => InstructionCount(canary.0.saturating_add(5_000) / 10_000 * 10_000),
    };
    vec![
        documents::judgehost::clock_line(by.clock()),
        format!("counter: {}", by.counter),
        format!("canary: {canary} instructions"),
    ]
}

fn text(hypervisor: &Reading<Hypervisor>) -> Reading<String> {
    match hypervisor {
        Reading::Known(hypervisor) => Reading::Known(hypervisor.to_string()),
        Reading::Unavailable(why) => Reading::Unavailable(why.clone()),
    }
}

/// Returns a value; the reason of an unknown one may differ between machines that are alike.
fn known(reading: &Reading<String>) -> String {
    reading.known().cloned().unwrap_or_else(|| "unknown".to_owned())
}

fn memory(machine: &MachineIdentity) -> String {
    let rounded = |mib: u64| (mib + MEMORY_STEP_MIB / 2) / MEMORY_STEP_MIB * MEMORY_STEP_MIB;
    let memory = machine.memory.known().map(|memory| format!("{} MiB", rounded(memory.0 >> 20)));
    memory.unwrap_or_else(|| "unknown".to_owned())
}

/// Describes the cores, such as `2 packages, 8 cores, 2 CPUs each`.
fn cores(topology: &Topology) -> String {
    let mut by_threads: BTreeMap<usize, usize> = BTreeMap::new();
    for core in &topology.cores {
        *by_threads.entry(core.cpus.iter().count()).or_default() += 1;
    }
    let cores = by_threads.iter().map(|(threads, cores)| format!("{cores} of {threads} CPUs"));
    let kinds = topology.core_kinds.iter().map(|kind| format!("{} {}", count(&kind.cpus), kind.name));
    let parts = std::iter::once(format!("{} packages", topology.packages.len())).chain(cores).chain(kinds);
    parts.collect::<Vec<_>>().join(", ")
}

fn count(cpus: &CpuSet) -> usize {
    cpus.iter().count()
}

/// Describes the L3 caches, such as `2 of 32768 KiB for 8 CPUs`.
fn caches(topology: &Topology) -> String {
    let mut alike: BTreeMap<(Option<u64>, usize), usize> = BTreeMap::new();
    for domain in &topology.l3_domains {
        *alike.entry((domain.size.map(|size| size.0 >> 10), count(&domain.cpus))).or_default() += 1;
    }
    let texts = alike.iter().map(|((kib, cpus), domains)| {
        let size = kib.map_or_else(|| "unknown size".to_owned(), |kib| format!("{kib} KiB"));
        format!("{domains} L3 of {size} for {cpus} CPUs")
    });
    let texts: Vec<String> = texts.collect();
    if texts.is_empty() { "no L3".to_owned() } else { texts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Bytes;
    use sandbox::{ClockEvent, Emulator, HardwareCounter};

    fn machine(mib: u64) -> MachineIdentity {
        MachineIdentity {
            cpu_model: Reading::Known("Fast CPU".to_owned()),
            core_count: Reading::Known(2),
            memory: Reading::Known(Bytes::from_mib(mib)),
            kernel: Reading::Known("6.1.0".to_owned()),
            hypervisor: Reading::unavailable("no leaf"),
        }
    }

    #[test]
    fn machines_that_count_alike_have_the_same_lines_whatever_else_they_are() {
        let clock = "clock: instructions, 2 in a nanosecond";
        let canary = |count| format!("canary: {count} instructions");
        let lines = |counter| counted(&CountedBy { counter, per_nanosecond: 2 }, InstructionCount(1_200_007));
        let emulator = Emulator { path: "/usr/bin/qemu-x86_64".into(), version: "7.2.22".to_owned() };
        let of_emulator = [clock, "counter: qemu-x86_64 7.2.22", &canary("1,200,007")];
        assert_eq!(lines(Counter::Emulated(emulator)), of_emulator);
        let hardware = HardwareCounter { processor: "Fast CPU".to_owned(), event: ClockEvent::Instructions };
        let of_processor = [clock, "counter: instructions:u of Fast CPU", &canary("1,200,000")];
        assert_eq!(lines(Counter::Hardware(hardware)), of_processor);
    }

    #[test]
    fn machines_that_are_alike_have_the_same_lines() {
        let topology = Topology::default();
        let one = lines(&machine(24_100), &topology, &[], false);
        assert_eq!(one, lines(&machine(24_010), &topology, &[], false));
        assert_eq!(
            one,
            [
                "processor: Fast CPU",
                "cores: 0 packages",
                "caches: no L3",
                "NUMA nodes: 0",
                "memory: 24064 MiB",
                "kernel: 6.1.0",
                "hypervisor: unknown",
                "timed CPUs: leased"
            ]
        );
        assert_ne!(one, lines(&machine(24_100), &topology, &[], true));
    }
}
