//! Kinds of core of a hybrid machine, from the first of these sources that distinguishes any: the names of performance
//! counter folders, the capacities of ARM, base frequencies, maximum frequencies.

use super::cpus::CPU_FOLDER;
use super::reader::Reader;
use model::{CoreKind, CpuId, CpuSet};
use std::collections::BTreeMap;

/// Cores of one kind differ by some per cent in the maximum frequency that the firmware grants.
const SAME_KIND_PERCENT: i64 = 10;
/// Intel's names, the slowest first.
const COUNTER_FOLDERS: [&str; 3] = ["lowpower", "atom", "core"];

/// Returns the kinds, the slowest first; empty if all cores are alike.
pub(super) fn read(reader: &Reader<'_>, online: &CpuSet) -> Vec<CoreKind> {
    let named = by_counter_folders(reader, online);
    if named.len() > 1 {
        return named;
    }
    let policies = Policies::read(reader);
    let capacity = by_number(online, |cpu| reader.number(&format!("{CPU_FOLDER}/cpu{cpu}/cpu_capacity")));
    let base = by_number(online, |cpu| policies.number(reader, cpu, "base_frequency"));
    let highest = by_number(online, |cpu| policies.number(reader, cpu, "cpuinfo_max_freq"));
    let mhz = |khz: i64| khz / 1000;
    let found = [
        capacity.map(|sets| name(sets, |capacity| format!("capacity {capacity}"))),
        base.map(|sets| name(sets, |khz| format!("base {} MHz", mhz(khz)))),
        highest.map(|sets| name(alike_together(sets), |khz| format!("up to {} MHz", mhz(khz)))),
    ];
    found.into_iter().flatten().find(|kinds| kinds.len() > 1).unwrap_or_default()
}

fn by_counter_folders(reader: &Reader<'_>, online: &CpuSet) -> Vec<CoreKind> {
    let mut kinds: Vec<CoreKind> = Vec::new();
    for name in COUNTER_FOLDERS {
        let path = format!("sys/devices/cpu_{name}/cpus");
        let cpus = reader.list(&path).unwrap_or_default().intersection(online);
        if let Some(other) = kinds.iter().find(|kind| kind.cpus.meets(&cpus)) {
            let (both, other) = (other.cpus.intersection(&cpus).named(), &other.name);
            reader.leave_out(&path, &format!("names {both}, of kind '{other}' already"));
        } else if !cpus.is_empty() {
            kinds.push(CoreKind { name: name.to_owned(), cpus });
        }
    }
    kinds
}

/// Groups the CPUs by a number that each has; `None` if one has none.
fn by_number(online: &CpuSet, number: impl Fn(CpuId) -> Option<i64>) -> Option<BTreeMap<i64, CpuSet>> {
    let mut sets: BTreeMap<i64, CpuSet> = BTreeMap::new();
    for cpu in online.iter() {
        sets.entry(number(cpu)?).or_default().insert(cpu);
    }
    Some(sets)
}

fn alike_together(sets: BTreeMap<i64, CpuSet>) -> BTreeMap<i64, CpuSet> {
    let mut groups: Vec<(i64, i64, CpuSet)> = Vec::new();
    for (number, cpus) in sets {
        match groups.last_mut() {
            Some((lowest, highest, group))
                if number.saturating_mul(100) <= lowest.saturating_mul(100 + SAME_KIND_PERCENT) =>
            {
                *highest = number;
                *group = group.iter().chain(cpus.iter()).collect();
            }
            _ => groups.push((number, number, cpus)),
        }
    }
    groups.into_iter().map(|(_, highest, cpus)| (highest, cpus)).collect()
}

fn name(sets: BTreeMap<i64, CpuSet>, name: impl Fn(i64) -> String) -> Vec<CoreKind> {
    sets.into_iter().map(|(number, cpus)| CoreKind { name: name(number), cpus }).collect()
}

/// Frequency policies: a CPU's own folder for them is only a link, which a recording may lack.
struct Policies(BTreeMap<CpuId, String>);

impl Policies {
    fn read(reader: &Reader<'_>) -> Self {
        let folder = format!("{CPU_FOLDER}/cpufreq");
        let mut policies = BTreeMap::new();
        for number in reader.numbers(&folder, "policy") {
            let policy = format!("{folder}/policy{number}");
            // These lists are separated by blanks.
            let cpus = reader.text(&format!("{policy}/related_cpus")).unwrap_or_default();
            for cpu in cpus.split_whitespace().filter_map(|cpu| cpu.parse().ok()) {
                policies.insert(CpuId(cpu), policy.clone());
            }
        }
        Self(policies)
    }

    fn number(&self, reader: &Reader<'_>, cpu: CpuId, file: &str) -> Option<i64> {
        let own = reader.number(&format!("{CPU_FOLDER}/cpu{cpu}/cpufreq/{file}"));
        own.or_else(|| reader.number(&format!("{}/{file}", self.0.get(&cpu)?)))
    }
}
