//! The kinds of counters of a machine. One whose processors are all alike has one; a hybrid one has one for each kind of core.

use model::{CpuId, CpuSet};
use std::path::Path;

pub const FOLDER: &str = "/sys/bus/event_source/devices";

/// A kind of counter that belongs to some of the CPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pmu {
    pub name: String,
    /// The kernel's number of it.
    pub number: u32,
    pub cpus: CpuSet,
}

/// An event on one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuEvent {
    pub cpu: CpuId,
    /// The kind of counter, by the kernel's number; 0 where there is only one.
    pub pmu: u32,
}

/// Reads the kinds of counters that belong to some of the CPUs. Only those of cores list CPUs in a file of this name.
pub fn read(folder: &Path) -> Vec<Pmu> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let pmu = |entry: std::fs::DirEntry| {
        let text = |file: &str| std::fs::read_to_string(entry.path().join(file)).ok();
        let cpus = text("cpus")?.trim().parse().ok()?;
        let number = text("type")?.trim().parse().ok()?;
        Some(Pmu { name: entry.file_name().to_string_lossy().into_owned(), number, cpus })
    };
    let mut pmus: Vec<Pmu> = entries.filter_map(|entry| pmu(entry.ok()?)).collect();
    pmus.sort_by_key(|pmu| pmu.number);
    pmus
}

/// Returns the events that count instructions on these CPUs.
pub fn events(pmus: &[Pmu], cpus: &CpuSet) -> Result<Vec<CpuEvent>, String> {
    let event = |cpu: CpuId| {
        if pmus.len() < 2 {
            return Ok(CpuEvent { cpu, pmu: 0 });
        }
        let pmu = pmus.iter().find(|pmu| pmu.cpus.contains(cpu));
        let names = || pmus.iter().map(|pmu| pmu.name.as_str()).collect::<Vec<_>>().join(", ");
        pmu.map(|pmu| CpuEvent { cpu, pmu: pmu.number })
            .ok_or_else(|| format!("none of the counters {} is of CPU {}", names(), cpu.0))
    };
    cpus.iter().map(event).collect()
}

/// Returns a CPU for each kind of counter, of those that are allowed.
pub fn one_cpu_of_each(pmus: &[Pmu], allowed: &CpuSet) -> Vec<CpuSet> {
    let of_kinds = pmus.iter().map(|pmu| pmu.cpus.intersection(allowed));
    let all = (pmus.len() < 2).then(|| allowed.clone());
    let kinds = all.into_iter().chain(of_kinds.filter(|_| pmus.len() > 1));
    kinds.filter_map(|cpus| cpus.first().map(|cpu| [cpu].into_iter().collect())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pmu(name: &str, number: u32, cpus: &str) -> Pmu {
        Pmu { name: name.to_owned(), number, cpus: cpus.parse().unwrap() }
    }

    fn cpus(text: &str) -> CpuSet {
        text.parse().unwrap()
    }

    /// As the machines with these processors list them.
    #[test]
    fn each_cpu_has_the_event_of_its_kind() {
        let hybrid = [pmu("cpu_core", 4, "0-11"), pmu("cpu_atom", 10, "12-15")];
        let three = [pmu("cpu_core", 4, "0-3"), pmu("cpu_atom", 10, "4-7"), pmu("cpu_lowpower", 11, "8-9")];
        let big_little = [pmu("armv8_cortex_a53", 8, "0-3"), pmu("armv8_cortex_a72", 9, "4-5")];
        let server = [pmu("armv8_pmuv3_0", 8, "0-63")];
        let check = |pmus: &[Pmu], on: &str, expected: &[(u32, u32)]| {
            let events = events(pmus, &cpus(on)).unwrap();
            let pairs: Vec<_> = events.iter().map(|event| (event.cpu.0, event.pmu)).collect();
            assert_eq!(pairs, expected, "{pmus:?}");
        };
        check(&[], "1,3", &[(1, 0), (3, 0)]);
        check(&server, "7", &[(7, 0)]);
        check(&hybrid, "2", &[(2, 4)]);
        check(&hybrid, "11-13", &[(11, 4), (12, 10), (13, 10)]);
        check(&three, "3,5,9", &[(3, 4), (5, 10), (9, 11)]);
        check(&big_little, "3-4", &[(3, 8), (4, 9)]);
        assert_eq!(
            events(&hybrid, &cpus("15-16")).unwrap_err(),
            "none of the counters cpu_core, cpu_atom is of CPU 16"
        );
    }

    #[test]
    fn each_kind_is_tested_on_a_cpu_that_is_allowed() {
        let hybrid = [pmu("cpu_core", 4, "0-11"), pmu("cpu_atom", 10, "12-15")];
        let check = |pmus: &[Pmu], allowed: &str, expected: &[&str]| {
            let expected: Vec<CpuSet> = expected.iter().map(|one| cpus(one)).collect();
            assert_eq!(one_cpu_of_each(pmus, &cpus(allowed)), expected);
        };
        check(&[], "2-3", &["2"]);
        check(&[pmu("armv8_pmuv3_0", 8, "0-63")], "5", &["5"]);
        check(&hybrid, "1-15", &["1", "12"]);
        check(&hybrid, "13-14", &["13"]);
    }

    #[test]
    fn only_counters_of_cores_are_listed() {
        let tree = tempfile::tempdir().unwrap();
        for (name, number, file, content) in [
            ("cpu_core", "4\n", "cpus", "0-3\n"),
            ("cpu_atom", "10\n", "cpus", "4-7\n"),
            ("uncore_imc_0", "12\n", "cpumask", "0\n"),
            ("software", "1\n", "power", ""),
        ] {
            let folder = tree.path().join(name);
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("type"), number).unwrap();
            std::fs::write(folder.join(file), content).unwrap();
        }
        assert_eq!(read(tree.path()), [pmu("cpu_core", 4, "0-3"), pmu("cpu_atom", 10, "4-7")]);
        assert_eq!(read(Path::new("/proc/none")), []);
    }
}
