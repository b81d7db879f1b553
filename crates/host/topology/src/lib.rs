//! The topology of processors and memory: read from the running kernel, from a recorded machine, or from hwloc's XML.
//!
//! A missing file is normal and makes the result coarser; one with an impossible content, or one that contradicts
//! another, counts as missing, with a warning that names it. hwloc handles such machines in the same way.
//!
//! # Files
//!
//! Packages, caches, NUMA nodes and cores come from the kernel, from a recording (archives are read into memory), or
//! from hwloc's XML; both can be written. `reader.rs` leaves out what cannot be true.
//!
//! # Invariants
//!
//! - Every file is found through `Roots` of `system`.

#![forbid(unsafe_code)]

mod allowed;
mod archive;
mod capture;
mod cpuinfo;
mod cpus;
mod error;
mod kinds;
mod memory;
mod nesting;
mod reader;
mod shared;
mod source;
mod xml;

#[cfg(test)]
mod contradictions;
#[cfg(test)]
mod testing;

pub use capture::capture;
pub use error::TopologyError;
pub use nesting::{Level, Nested, Nesting};
pub use source::Source;
pub use xml::{from_xml, to_xml};

use cpus::Inventory;
use model::Topology;
use reader::Reader;
use shared::Sharing;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// hwloc's XML of a machine of 256 CPUs has 0.5 MB.
const XML_BYTES_MAX: u64 = 64 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    pub topology: Topology,
    /// What was ignored and why, in sentences that name the files.
    pub warnings: Vec<String>,
    /// Whether the memory nearest to CPUs is known: not if NUMA nodes contradict each other.
    pub is_memory_known: bool,
}

/// Reads a machine's topology from its files.
///
/// # Errors
/// When no file lists any CPU.
pub fn read(source: &Source) -> Result<Described, TopologyError> {
    let reader = Reader::new(source);
    let inventory = Inventory::read(&reader)?;
    let (numa_nodes, is_memory_known) = memory::numa_nodes(&reader, &inventory.online);
    let sharing = Sharing::read(&reader, &inventory, &numa_nodes);
    let (allowed, allowed_numa_nodes) = allowed::read(&reader, &inventory.online, &numa_nodes);
    let core_kinds = kinds::read(&reader, &inventory.online);
    let mut cores = sharing.cores;
    for core in &mut cores {
        let first = core.cpus.first();
        core.kind = core_kinds.iter().position(|kind| first.is_some_and(|cpu| kind.cpus.contains(cpu)));
    }
    let topology = Topology {
        packages: sharing.packages,
        dies: sharing.dies,
        clusters: sharing.clusters,
        numa_nodes,
        l3_domains: sharing.l3_domains,
        cores,
        core_kinds,
        offline: inventory.offline,
        allowed,
        allowed_numa_nodes,
    };
    Ok(Described { topology, warnings: reader.warnings(), is_memory_known })
}

/// Reads a recorded machine: a folder, an archive, or hwloc's XML, distinguished by the content.
pub fn open(path: &Path) -> Result<Described, TopologyError> {
    if !is_xml(path)? {
        return read(&Source::open(path)?);
    }
    let unreadable = |source| TopologyError::Read { path: path.to_owned(), source };
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(XML_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > XML_BYTES_MAX {
        return Err(TopologyError::TooLarge { path: path.to_owned(), limit: "64 MiB of XML" });
    }
    let topology = from_xml(&path.display().to_string(), &String::from_utf8_lossy(&bytes))?;
    Ok(Described { topology, warnings: Vec::new(), is_memory_known: true })
}

pub fn is_xml(path: &Path) -> Result<bool, TopologyError> {
    let unreadable = |source| TopologyError::Read { path: path.to_owned(), source };
    if path.is_dir() {
        return Ok(false);
    }
    let mut start = Vec::new();
    File::open(path).map_err(unreadable)?.take(64).read_to_end(&mut start).map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&start).trim_start_matches('\u{feff}').trim_start().starts_with('<'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use test_tree::Tree;

    fn read_files(files: &[(&str, &str)]) -> Result<Topology, TopologyError> {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
        read(&Source::memory("m", files.collect())).map(honest)
    }

    fn honest(described: Described) -> Topology {
        assert_eq!(described.warnings, [""; 0]);
        described.topology
    }

    proptest! {
        // Each machine may have some hundred CPUs with files of their own.
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_made_up_machine_is_read_back(topology in testing::topologies()) {
            let files = testing::files(&topology).into_iter().map(|(path, text)| (path, text.into_bytes()));
            prop_assert_eq!(honest(read(&Source::memory("m", files.collect())).unwrap()), topology);
        }
    }

    #[test]
    fn a_folder_reads_like_memory_also_below_one_more_folder() {
        let expected = testing::sample();
        let files = testing::files(&expected);
        let files: Vec<_> = files.iter().map(|(path, text)| (format!("m/{path}"), text.as_str())).collect();
        let tree = Tree::new(&files.iter().map(|(path, text)| (path.as_str(), *text)).collect::<Vec<_>>());
        assert_eq!(honest(open(tree.path()).unwrap()), expected);
        assert_eq!(honest(open(&tree.path().join("m")).unwrap()), expected);
    }

    #[test]
    fn with_nothing_but_a_list_every_cpu_is_a_core() {
        let topology = read_files(&[("sys/devices/system/cpu/online", "0-2\n")]).unwrap();
        assert_eq!(topology.cores.len(), 3);
        assert_eq!(topology.packages.len(), 1);
        assert_eq!(topology.packages, topology.dies);
        assert_eq!(topology.numa_nodes.len(), 1);
        assert_eq!(topology.numa_nodes[0].memory, None);
        assert_eq!(topology.l3_domains, []);
        assert_eq!(topology.allowed.to_string(), "0-2");
        assert_eq!(topology.offline.to_string(), "");
    }

    #[test]
    fn with_nothing_but_cpuinfo_its_cores_and_packages_count() {
        let mut text = String::new();
        for (cpu, package, core) in [(0, 0, 0), (1, 3, 0), (2, 0, 0), (3, 3, 1)] {
            text += &format!("processor\t: {cpu}\nphysical id\t: {package}\ncore id\t\t: {core}\n\n");
        }
        let topology =
            read_files(&[("proc/cpuinfo", &text), ("proc/meminfo", "MemTotal: 2048 kB\n")]).unwrap();
        let cores: Vec<_> = topology.cores.iter().map(|core| core.cpus.to_string()).collect();
        assert_eq!(cores, ["0,2", "1", "3"]);
        let packages: Vec<_> =
            topology.packages.iter().map(|package| (package.os_id, package.cpus.to_string())).collect();
        assert_eq!(packages, [(Some(0), "0,2".to_owned()), (Some(3), "1,3".to_owned())]);
        assert_eq!(topology.numa_nodes[0].memory, Some(model::Bytes(2 << 20)));
    }

    #[test]
    fn cpusets_of_both_versions_and_of_the_old_file_system_limit() {
        let v1 = "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0\ncgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n";
        for (mounts, groups, file, text) in [
            (
                "c2 /sys/fs/cgroup cgroup2 rw 0 0\n",
                "0::/a/b\n",
                "sys/fs/cgroup/a/cpuset.cpus.effective",
                "1,3",
            ),
            (v1, "4:cpuset:/a\n0::/\n", "sys/fs/cgroup/cpuset/a/cpuset.cpus", "1,3"),
            // In a container the path of its group starts at the host's root, but only the group is visible.
            (v1, "4:cpuset:/docker/77\n", "sys/fs/cgroup/cpuset/cpuset.cpus", "1,3"),
            ("none /dev/cpuset cpuset rw 0 0\n", "4:cpuset:/x\n", "dev/cpuset/x/cpus", "1,3,5"),
            (v1, "4:cpuset:/../../sys\n", "sys/devices/x", "2"),
        ] {
            let topology = read_files(&[
                ("sys/devices/system/cpu/online", "0-3"),
                ("proc/mounts", mounts),
                ("proc/self/cgroup", groups),
                (file, text),
            ]);
            let expected = if text == "2" { "0-3" } else { "1,3" };
            assert_eq!(topology.unwrap().allowed.to_string(), expected, "{mounts}{groups}");
        }
    }

    #[test]
    fn favoured_cores_are_no_kind_of_their_own() {
        let speeds = |highest: [&str; 3]| {
            let folder = "sys/devices/system/cpu";
            let paths: Vec<_> = (0..3).map(|cpu| format!("{folder}/cpufreq/policy{cpu}")).collect();
            let mut files = BTreeMap::from([(format!("{folder}/online"), b"0-2".to_vec())]);
            for ((path, cpu), speed) in paths.iter().zip(0..).zip(highest) {
                files.insert(format!("{path}/related_cpus"), format!("{cpu}\n").into_bytes());
                files.insert(format!("{path}/cpuinfo_max_freq"), speed.as_bytes().to_vec());
            }
            let kinds = honest(read(&Source::memory("m", files)).unwrap()).core_kinds;
            kinds.iter().map(|kind| format!("{}: {}", kind.name, kind.cpus)).collect::<Vec<_>>()
        };
        assert_eq!(speeds(["5000000", "5200000", "5000000"]), [""; 0]);
        assert_eq!(speeds(["5000000", "3800000", "5200000"]), ["up to 3800 MHz: 1", "up to 5200 MHz: 0,2"]);
    }

    #[test]
    fn a_machine_without_a_cpu_is_refused() {
        let message = |files: &[(&str, &str)]| read_files(files).unwrap_err().to_string();
        let nothing = "m lists no CPU; expected sys/devices/system/cpu/online or proc/cpuinfo";
        assert_eq!(message(&[]), nothing);
        assert_eq!(
            message(&[("sys/devices/system/cpu/online", "0-x")]),
            format!(
                "{nothing}; m: sys/devices/system/cpu/online holds '0-x', expected a list of CPUs such as 0-3,8; it is left out"
            )
        );
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(open(folder.path()), Err(TopologyError::NotAMachine { .. })));
        assert!(matches!(open(&folder.path().join("none")), Err(TopologyError::Read { .. })));
    }
}
