//! What CPUs share: core, cluster, L3 cache, die and package; each divides the online CPUs.

use super::cpuinfo::{self, Processor};
use super::cpus::{CPU_FOLDER, Inventory};
use super::memory::NODE_FOLDER;
use super::reader::Reader;
use model::{Bytes, CacheDomain, Core, CpuId, CpuSet, Domain, NumaNode};
use std::collections::BTreeMap;

/// The AMD family whose "siblings" are cores that share a front end, a floating point unit and an L2 cache.
const AMD_MODULE_FAMILY: u32 = 0x15;
/// The ids of processors without clusters: -1, or its 16 bits.
const NO_CLUSTER_ID: i64 = 0xffff;
/// The caches of a processor have single-digit numbers.
const CACHES_MAX: usize = 64;

/// All divisions of the online CPUs.
#[derive(Clone, Debug)]
pub(super) struct Sharing {
    pub(super) packages: Vec<Domain>,
    pub(super) dies: Vec<Domain>,
    pub(super) clusters: Vec<Domain>,
    pub(super) l3_domains: Vec<CacheDomain>,
    pub(super) cores: Vec<Core>,
}

/// Disjoint sets by their lowest CPU, each with the file that it comes from.
#[derive(Clone, Debug, Default)]
struct Division(BTreeMap<CpuId, (String, CpuSet)>);

impl Sharing {
    /// Reads all divisions. A set that overlaps with a more trustworthy one is ignored: cores come first, since times
    /// depend most on siblings, then the kernel's NUMA nodes and packages; caches come last, since firmware most often
    /// gets these wrong.
    pub(super) fn read(reader: &Reader<'_>, inventory: &Inventory, nodes: &[NumaNode]) -> Self {
        let sharer = Sharer { reader, online: &inventory.online };
        let processors = cpuinfo::read(reader);
        let mut siblings =
            sharer.division(&["core_cpus_list", "thread_siblings_list", "core_cpus", "thread_siblings"]);
        let mut packages =
            sharer.division(&["package_cpus_list", "core_siblings_list", "package_cpus", "core_siblings"]);
        if siblings.0.is_empty() {
            siblings = by_cpuinfo(sharer.online, &processors, |p| Some((p.package?, p.core?)));
        }
        if packages.0.is_empty() {
            packages = by_cpuinfo(sharer.online, &processors, |p| p.package);
        }
        sharer.leave_out_crossing(&mut packages, &[&siblings]);
        let mut dies = sharer.dies();
        sharer.leave_out_crossing(&mut dies, &[&siblings, &packages]);
        let (mut l3_domains, folders) = sharer.l3_domains();
        sharer.leave_out_crossing(&mut l3_domains, &[&siblings, &Division::of(nodes), &packages, &dies]);
        let mut clusters = sharer.clusters();
        sharer.leave_out_crossing(&mut clusters, &[&siblings, &packages, &dies]);

        let (cores, modules) = sharer.cores(&siblings, &processors);
        let packages = sharer.package_ids(packages, &processors);
        let listed: usize = dies.0.values().map(|(_, set)| set.len()).sum();
        let dies = if listed < sharer.online.len() { Vec::new() } else { sharer.domains(dies, "die_id") };
        let dies = dies_or_packages(dies, &packages);
        let clusters = sharer.domains(clusters, "cluster_id");
        let is_distinct = |cluster: &Domain| {
            !cores.contains(&cluster.cpus) && packages.iter().all(|package| package.cpus != cluster.cpus)
        };
        let clusters = if !modules.is_empty() {
            modules
        } else if clusters.iter().any(is_distinct) {
            clusters
        } else {
            Vec::new()
        };
        let l3_domains = sharer.caches(l3_domains, &folders);
        let cores = cores.into_iter().map(|cpus| sharer.core(cpus, &processors)).collect();
        Self { dies, clusters, l3_domains, cores, packages }
    }
}

impl Division {
    fn of(nodes: &[NumaNode]) -> Self {
        let listed = |node: &NumaNode| {
            let path = format!("{NODE_FOLDER}/node{}/cpulist", node.os_id);
            Some((node.cpus.first()?, (path, node.cpus.clone())))
        };
        Self(nodes.iter().filter_map(listed).collect())
    }

    fn find(&self, holds: impl Fn(&CpuSet) -> bool) -> Option<&(String, CpuSet)> {
        self.0.values().find(|(_, set)| holds(set))
    }
}

struct Sharer<'r> {
    reader: &'r Reader<'r>,
    online: &'r CpuSet,
}

impl Sharer<'_> {
    /// Reads each CPU's set from the first of these files that has one; CPUs without any are skipped.
    fn division(&self, files: &[&str]) -> Division {
        let mut division = Division::default();
        for cpu in self.online.iter() {
            let paths: Vec<_> = files.iter().map(|file| topology_file(cpu, file)).collect();
            if let Some((path, set)) = self.reader.first_set(&paths) {
                self.add(&mut division, cpu, path, &set);
            }
        }
        division
    }

    /// Adds a CPU's set, unless it contradicts an earlier one.
    fn add(&self, division: &mut Division, cpu: CpuId, path: String, set: &CpuSet) {
        if set.is_empty() {
            return;
        }
        if !set.contains(cpu) {
            self.reader.leave_out(&path, &format!("names {}, and not CPU {cpu} itself", set.named()));
            return;
        }
        let set = set.intersection(self.online);
        match division.find(|known| known.meets(&set)) {
            Some((_, known)) if *known == set => {}
            Some(other) => self.contradiction(&path, &set, other),
            None => _ = division.0.insert(set.first().unwrap_or(cpu), (path, set)),
        }
    }

    /// Ignores sets that overlap with one of these divisions.
    fn leave_out_crossing(&self, division: &mut Division, trusted: &[&Division]) {
        division.0.retain(|_, (path, set)| {
            let other = trusted.iter().find_map(|division| division.find(|known| known.crosses(set)));
            if let Some(other) = other {
                self.contradiction(path, set, other);
            }
            other.is_none()
        });
    }

    fn contradiction(&self, path: &str, set: &CpuSet, (other_path, other): &(String, CpuSet)) {
        let other_file = self.reader.place(other_path);
        let why = format!("puts {} together, but by {other_file} it is {other}", set.named());
        self.reader.leave_out(path, &why);
    }

    /// Returns the sets of the cores, and modules of cores that the kernel takes for siblings.
    fn cores(
        &self,
        siblings: &Division,
        processors: &BTreeMap<CpuId, Processor>,
    ) -> (Vec<CpuSet>, Vec<Domain>) {
        let (mut cores, mut modules) = (Vec::new(), Vec::new());
        for (_, set) in siblings.0.values() {
            let has_modules = set
                .first()
                .and_then(|cpu| processors.get(&cpu)?.family.as_ref())
                .is_some_and(|(vendor, family)| vendor == "AuthenticAMD" && *family == AMD_MODULE_FAMILY);
            let mut by_id: BTreeMap<Option<i64>, CpuSet> = BTreeMap::new();
            for cpu in set.iter().filter(|_| has_modules) {
                let id = self.reader.number(&topology_file(cpu, "core_id"));
                by_id.entry(id).or_default().insert(cpu);
            }
            if by_id.len() > 1 {
                modules.push(Domain { os_id: None, cpus: set.clone() });
                cores.extend(by_id.into_values());
            } else {
                cores.push(set.clone());
            }
        }
        let listed: CpuSet = cores.iter().flat_map(CpuSet::iter).collect();
        cores.extend(self.online.difference(&listed).iter().map(|cpu| CpuSet::from_iter([cpu])));
        cores.sort_by_key(CpuSet::first);
        (cores, modules)
    }

    fn core(&self, cpus: CpuSet, processors: &BTreeMap<CpuId, Processor>) -> Core {
        let listed = || processors.get(&cpus.first()?)?.core;
        Core { os_id: self.id(&cpus, "core_id").or_else(listed), cpus, kind: None }
    }

    fn package_ids(&self, packages: Division, processors: &BTreeMap<CpuId, Processor>) -> Vec<Domain> {
        let listed: CpuSet = packages.0.values().flat_map(|(_, set)| set.iter()).collect();
        let rest = self.online.difference(&listed);
        let rest = (!rest.is_empty()).then_some(rest);
        let domain = |cpus: CpuSet| {
            let listed = || processors.get(&cpus.first()?)?.package;
            Domain { os_id: self.id(&cpus, "physical_package_id").or_else(listed), cpus }
        };
        let mut domains: Vec<Domain> =
            packages.0.into_values().map(|(_, set)| set).chain(rest).map(domain).collect();
        domains.sort_by_key(|domain| domain.cpus.first());
        domains
    }

    /// Reads the dies; none if any CPU has no die.
    fn dies(&self) -> Division {
        let is_told = |cpu| self.id(&CpuSet::from_iter([cpu]), "die_id").is_some();
        match self.online.iter().all(is_told) {
            true => self.division(&["die_cpus_list", "die_cpus"]),
            false => Division::default(),
        }
    }

    /// Reads the clusters; none if any CPU is in no cluster.
    fn clusters(&self) -> Division {
        let is_told = |cpu| {
            let id = self.reader.number(&topology_file(cpu, "cluster_id"));
            id.is_some_and(|id| id >= 0 && id != NO_CLUSTER_ID)
        };
        match self.online.iter().all(is_told) {
            true => self.division(&["cluster_cpus_list", "cluster_cpus"]),
            false => Division::default(),
        }
    }

    fn domains(&self, division: Division, id: &str) -> Vec<Domain> {
        let sets = division.0.into_values();
        sets.map(|(_, cpus)| Domain { os_id: self.id(&cpus, id), cpus }).collect()
    }

    /// Reads the kernel's number for the domain of the lowest of these CPUs; -1 means none.
    fn id(&self, cpus: &CpuSet, file: &str) -> Option<u32> {
        let id = self.reader.number(&topology_file(cpus.first()?, file))?;
        u32::try_from(id).ok()
    }

    fn l3_domains(&self) -> (Division, BTreeMap<CpuId, String>) {
        let mut division = Division::default();
        let (mut folders, mut untold) = (BTreeMap::new(), Vec::new());
        for cpu in self.online.iter() {
            let caches = format!("{CPU_FOLDER}/cpu{cpu}/cache");
            for index in self.reader.numbers(&caches, "index").into_iter().take(CACHES_MAX) {
                let folder = format!("{caches}/index{index}");
                if self.reader.number(&format!("{folder}/level")) != Some(3) {
                    continue;
                }
                let paths = ["shared_cpu_list", "shared_cpu_map"].map(|file| format!("{folder}/{file}"));
                match self.reader.first_set(&paths) {
                    Some((path, set)) => self.add(&mut division, cpu, path, &set),
                    None => untold.push((cpu, folder.clone())),
                }
                folders.entry(cpu).or_insert(folder);
            }
        }
        // A cache without a file about its CPUs belongs to its CPU alone.
        for (cpu, folder) in untold {
            if division.find(|set| set.contains(cpu)).is_none() {
                division.0.insert(cpu, (folder, CpuSet::from_iter([cpu])));
            }
        }
        (division, folders)
    }

    fn caches(&self, division: Division, folders: &BTreeMap<CpuId, String>) -> Vec<CacheDomain> {
        let domain = |(cpu, (_, cpus)): (CpuId, (String, CpuSet))| {
            let Some(folder) = folders.get(&cpu) else {
                return CacheDomain { os_id: None, cpus, size: None };
            };
            let id = self.reader.number(&format!("{folder}/id"));
            let path = format!("{folder}/size");
            let size = self.reader.text(&path).filter(|text| !text.is_empty()).and_then(|text| {
                let size = text.parse::<Bytes>().ok();
                if size.is_none() {
                    self.reader.wrong(&path, &text, "a size such as 32768K");
                }
                size
            });
            // Some processors report an unknown size as 0.
            let size = size.filter(|size| size.0 > 0);
            CacheDomain { os_id: id.and_then(|id| u32::try_from(id).ok()), cpus, size }
        };
        division.0.into_iter().map(domain).collect()
    }
}

/// Groups the online CPUs by their entries in `/proc/cpuinfo`; those without one are skipped.
fn by_cpuinfo<K: Ord>(
    online: &CpuSet,
    processors: &BTreeMap<CpuId, Processor>,
    key: impl Fn(&Processor) -> Option<K>,
) -> Division {
    let mut groups: BTreeMap<K, CpuSet> = BTreeMap::new();
    for cpu in online.iter() {
        if let Some(key) = processors.get(&cpu).and_then(&key) {
            groups.entry(key).or_default().insert(cpu);
        }
    }
    let named = groups.into_values().filter_map(|set| Some((set.first()?, (cpuinfo::PATH.to_owned(), set))));
    Division(named.collect())
}

/// Returns the dies if some package has several, otherwise the packages without the kernel's numbers.
pub(super) fn dies_or_packages(dies: Vec<Domain>, packages: &[Domain]) -> Vec<Domain> {
    let as_packages = || packages.iter().map(|package| Domain { os_id: None, cpus: package.cpus.clone() });
    if dies.is_empty() || dies.iter().map(|die| &die.cpus).eq(packages.iter().map(|package| &package.cpus)) {
        as_packages().collect()
    } else {
        dies
    }
}

fn topology_file(cpu: CpuId, file: &str) -> String {
    format!("{CPU_FOLDER}/cpu{cpu}/topology/{file}")
}
