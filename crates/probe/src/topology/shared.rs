//! What CPUs share: core, cluster, L3 cache, die and package, each a division of the online CPUs.

use super::cpuinfo::{self, Processor};
use super::cpus::{CPU_FOLDER, Inventory};
use super::{Source, TopologyError};
use model::{Bytes, CacheDomain, Core, CpuId, CpuSet, Domain};
use std::collections::BTreeMap;

/// The family of AMD whose "siblings" are cores that share a front end, a floating point unit and an L2 cache.
const AMD_MODULE_FAMILY: u32 = 0x15;
/// A processor without clusters says so by -1, or by its 16 bits.
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

/// Disjoint sets, each with the file that told of it, by their lowest CPU.
#[derive(Default)]
struct Division(BTreeMap<CpuId, (String, CpuSet)>);

impl Sharing {
    pub(super) fn read(source: &Source, inventory: &Inventory) -> Result<Self, TopologyError> {
        let reader = Reader { source, online: &inventory.online };
        let processors = cpuinfo::read(source)?;
        let mut siblings =
            reader.division(&["core_cpus_list", "thread_siblings_list", "core_cpus", "thread_siblings"])?;
        let mut packages =
            reader.division(&["package_cpus_list", "core_siblings_list", "package_cpus", "core_siblings"])?;
        if siblings.0.is_empty() {
            siblings = by_cpuinfo(&inventory.online, &processors, |p| Some((p.package?, p.core?)));
        }
        if packages.0.is_empty() {
            packages = by_cpuinfo(&inventory.online, &processors, |p| p.package);
        }
        let (cores, modules) = reader.cores(&siblings, &processors)?;
        let packages = reader.package_ids(packages, &processors)?;
        let clusters = if modules.is_empty() { reader.clusters(&cores, &packages)? } else { modules };
        let dies = dies_or_packages(reader.dies()?.unwrap_or_default(), &packages);
        let cores = cores.into_iter().map(|cpus| reader.core(cpus, &processors)).collect::<Result<_, _>>()?;
        Ok(Self { dies, clusters, l3_domains: reader.l3_domains()?, cores, packages })
    }
}

struct Reader<'s> {
    source: &'s Source,
    online: &'s CpuSet,
}

impl Reader<'_> {
    /// Reads each CPU's set from the first of these files that tells; CPUs that none tells of are left out.
    fn division(&self, files: &[&str]) -> Result<Division, TopologyError> {
        let mut division = Division::default();
        for cpu in self.online.iter() {
            let paths: Vec<_> = files.iter().map(|file| topology_file(cpu, file)).collect();
            if let Some((path, set)) = self.source.first_set(&paths)? {
                self.add(&mut division, cpu, path, &set)?;
            }
        }
        Ok(division)
    }

    /// Adds what a CPU's file says, which must be what the others of the set say.
    fn add(
        &self,
        division: &mut Division,
        cpu: CpuId,
        path: String,
        set: &CpuSet,
    ) -> Result<(), TopologyError> {
        let mut set = set.intersection(self.online);
        set.insert(cpu);
        let known = division.0.values().find(|(_, known)| !known.intersection(&set).is_empty());
        match known {
            Some((_, known)) if *known == set => Ok(()),
            Some((other_path, other)) => Err(TopologyError::Contradiction {
                file: self.source.place(&path),
                found: set.to_string(),
                other_file: self.source.place(other_path),
                other: other.to_string(),
            }),
            None => {
                division.0.insert(set.first().unwrap_or(cpu), (path, set));
                Ok(())
            }
        }
    }

    /// Gives the cores' sets, and modules of cores that the kernel takes for siblings.
    fn cores(
        &self,
        siblings: &Division,
        processors: &BTreeMap<CpuId, Processor>,
    ) -> Result<(Vec<CpuSet>, Vec<Domain>), TopologyError> {
        let (mut cores, mut modules) = (Vec::new(), Vec::new());
        for (_, set) in siblings.0.values() {
            let has_modules = set
                .first()
                .and_then(|cpu| processors.get(&cpu)?.family.as_ref())
                .is_some_and(|(vendor, family)| vendor == "AuthenticAMD" && *family == AMD_MODULE_FAMILY);
            let mut by_id: BTreeMap<Option<i64>, CpuSet> = BTreeMap::new();
            for cpu in set.iter().filter(|_| has_modules) {
                let id = self.source.number(&topology_file(cpu, "core_id"))?;
                by_id.entry(id).or_default().insert(cpu);
            }
            if by_id.len() > 1 {
                modules.push(Domain { os_id: None, cpus: set.clone() });
                cores.extend(by_id.into_values());
            } else {
                cores.push(set.clone());
            }
        }
        let told: CpuSet = cores.iter().flat_map(CpuSet::iter).collect();
        cores.extend(self.online.difference(&told).iter().map(|cpu| CpuSet::from_iter([cpu])));
        cores.sort_by_key(CpuSet::first);
        Ok((cores, modules))
    }

    fn core(&self, cpus: CpuSet, processors: &BTreeMap<CpuId, Processor>) -> Result<Core, TopologyError> {
        let told = self.id(&cpus, "core_id")?;
        let listed = || processors.get(&cpus.first()?)?.core;
        Ok(Core { os_id: told.or_else(listed), cpus, kind: None })
    }

    fn package_ids(
        &self,
        packages: Division,
        processors: &BTreeMap<CpuId, Processor>,
    ) -> Result<Vec<Domain>, TopologyError> {
        let mut domains = Vec::new();
        let told: CpuSet = packages.0.values().flat_map(|(_, set)| set.iter()).collect();
        let rest = self.online.difference(&told);
        let rest = (!rest.is_empty()).then_some(rest);
        for cpus in packages.0.into_values().map(|(_, set)| set).chain(rest) {
            let told = self.id(&cpus, "physical_package_id")?;
            let listed = || processors.get(&cpus.first()?)?.package;
            domains.push(Domain { os_id: told.or_else(listed), cpus });
        }
        domains.sort_by_key(|domain| domain.cpus.first());
        Ok(domains)
    }

    /// Gives the dies, or none where one CPU or more is told of none.
    fn dies(&self) -> Result<Option<Vec<Domain>>, TopologyError> {
        for cpu in self.online.iter() {
            if self.id(&CpuSet::from_iter([cpu]), "die_id")?.is_none() {
                return Ok(None);
            }
        }
        let dies = self.division(&["die_cpus_list", "die_cpus"])?;
        let told: usize = dies.0.values().map(|(_, set)| set.len()).sum();
        if told < self.online.len() {
            return Ok(None);
        }
        self.domains(dies, "die_id").map(Some)
    }

    /// Gives the clusters, where one of them is more than a core and less than a package.
    fn clusters(&self, cores: &[CpuSet], packages: &[Domain]) -> Result<Vec<Domain>, TopologyError> {
        for cpu in self.online.iter() {
            let id = self.source.number(&topology_file(cpu, "cluster_id"))?;
            if id.is_none_or(|id| id < 0 || id == NO_CLUSTER_ID) {
                return Ok(Vec::new());
            }
        }
        let clusters = self.division(&["cluster_cpus_list", "cluster_cpus"])?;
        let clusters = self.domains(clusters, "cluster_id")?;
        let says_more = |cluster: &Domain| {
            !cores.contains(&cluster.cpus) && packages.iter().all(|package| package.cpus != cluster.cpus)
        };
        Ok(if clusters.iter().any(says_more) { clusters } else { Vec::new() })
    }

    fn domains(&self, division: Division, id: &str) -> Result<Vec<Domain>, TopologyError> {
        let sets = division.0.into_values();
        sets.map(|(_, cpus)| Ok(Domain { os_id: self.id(&cpus, id)?, cpus })).collect()
    }

    /// Reads the kernel's number of what the lowest of these CPUs is in; -1 is its word for none.
    fn id(&self, cpus: &CpuSet, file: &str) -> Result<Option<u32>, TopologyError> {
        let Some(cpu) = cpus.first() else { return Ok(None) };
        Ok(self.source.number(&topology_file(cpu, file))?.and_then(|id| u32::try_from(id).ok()))
    }

    fn l3_domains(&self) -> Result<Vec<CacheDomain>, TopologyError> {
        let mut division = Division::default();
        let mut folders = BTreeMap::new();
        for cpu in self.online.iter() {
            let caches = format!("{CPU_FOLDER}/cpu{cpu}/cache");
            for index in self.source.numbers(&caches, "index").into_iter().take(CACHES_MAX) {
                let folder = format!("{caches}/index{index}");
                if self.source.number(&format!("{folder}/level"))? != Some(3) {
                    continue;
                }
                let paths = ["shared_cpu_list", "shared_cpu_map"].map(|file| format!("{folder}/{file}"));
                let (path, set) =
                    self.source.first_set(&paths)?.unwrap_or((folder.clone(), CpuSet::from_iter([cpu])));
                self.add(&mut division, cpu, path, &set)?;
                folders.entry(cpu).or_insert(folder);
            }
        }
        let domain = |(cpu, (_, cpus)): (CpuId, (String, CpuSet))| {
            let Some(folder) = folders.get(&cpu) else {
                return Ok(CacheDomain { os_id: None, cpus, size: None });
            };
            let id = self.source.number(&format!("{folder}/id"))?;
            let path = format!("{folder}/size");
            let size = self.source.text(&path).filter(|text| !text.is_empty());
            let wrong = |text: &String| self.source.wrong(&path, text, "a size such as 32768K");
            let size = size.map(|text| text.parse::<Bytes>().map_err(|_| wrong(&text))).transpose()?;
            // Some processors leave the size of a cache they do not know at 0.
            let size = size.filter(|size| size.0 > 0);
            Ok(CacheDomain { os_id: id.and_then(|id| u32::try_from(id).ok()), cpus, size })
        };
        division.0.into_iter().map(domain).collect()
    }
}

/// Groups the online CPUs by what `/proc/cpuinfo` says of them; those of which it says nothing are left out.
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

/// Gives the dies where some package has several, else the packages without the kernel's numbers.
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
