//! Compares recorded machines, if there are any next to the checkout, with hwloc's reading of them.
//!
//! `TAUTO_TOPOLOGY_FIXTURES` names the folder: for each machine it has NAME.tar.bz2, and NAME.console with the output
//! of `lstopo -v`.

#![allow(clippy::unwrap_used)]

use model::{Bytes, CpuSet, Topology};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const FOLDER_BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/fixtures/topology");

/// One machine in the words to which both readings are converted.
#[derive(Debug, Default, PartialEq, Eq)]
struct Words {
    packages: BTreeSet<String>,
    dies: BTreeSet<String>,
    clusters: BTreeSet<String>,
    l3_domains: BTreeSet<String>,
    cores: BTreeSet<String>,
    numa_nodes: BTreeSet<String>,
    cpus: CpuSet,
    core_kinds: Vec<CpuSet>,
    distances: Vec<Vec<u32>>,
}

/// A line `  Core L#3 (P#4 ...)`, with the CPUs of all lines below it.
struct Line {
    indent: usize,
    kind: String,
    number: Option<u32>,
    text: String,
    cpus: CpuSet,
}

fn lines(console: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for text in console.lines().take_while(|line| !line.starts_with("depth ")) {
        let indent = text.len() - text.trim_start().len();
        let kind = text.trim_start().split([' ', '(']).next().unwrap().to_owned();
        let kind = if text.trim_start().starts_with("Group(Cluster)") { "Cluster".to_owned() } else { kind };
        let number = text.split_once("(P#").and_then(|(_, rest)| {
            rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
        });
        while open.last().is_some_and(|outer| lines[*outer].indent >= indent) {
            open.pop();
        }
        if kind == "PU" {
            open.iter().for_each(|outer| _ = lines[*outer].cpus.insert(model::CpuId(number.unwrap())));
        }
        // Memory is attached to an object and has that object's CPUs, but contains none.
        if kind != "NUMANode" {
            open.push(lines.len());
        }
        lines.push(Line { indent, kind, number, text: text.to_owned(), cpus: CpuSet::new() });
    }
    lines
}

fn by_hwloc(console: &str) -> Words {
    let lines = lines(console);
    let mut words = Words::default();
    for (at, line) in lines.iter().enumerate() {
        let numbered = format!("P#{:?} {}", line.number, line.cpus);
        match line.kind.as_str() {
            "Machine" => words.cpus = line.cpus.clone(),
            "Package" => _ = words.packages.insert(numbered),
            "Die" => _ = words.dies.insert(numbered),
            "Cluster" => _ = words.clusters.insert(numbered),
            "Core" => _ = words.cores.insert(numbered),
            "L3Cache" => {
                _ = words.l3_domains.insert(format!("{} {}", line.cpus, attribute(&line.text, "size")))
            }
            "NUMANode" => {
                let outer = lines[..at].iter().rev().find(|outer| outer.indent < line.indent).unwrap();
                let memory = attribute(&line.text, "local");
                words.numa_nodes.insert(format!("P#{:?} {} {memory}", line.number, outer.cpus));
            }
            _ => {}
        }
    }
    for line in console.lines().filter(|line| line.starts_with("CPU kind #")) {
        words.core_kinds.push(mask(line.rsplit(' ').next().unwrap()));
    }
    if words.core_kinds.len() < 2 {
        words.core_kinds.clear();
    }
    let matrix = console.lines().skip_while(|line| !line.starts_with("Relative latency matrix")).skip(2);
    for line in matrix.take_while(|line| line.starts_with(' ')) {
        let numbers = line.split_whitespace().skip(1).map(|number| number.parse().unwrap());
        words.distances.push(numbers.collect());
    }
    words
}

fn attribute(text: &str, name: &str) -> String {
    let start = format!("{name}=");
    let value = text.split([' ', '(', ')']).find_map(|word| word.strip_prefix(&start));
    value.unwrap_or("none").to_owned()
}

fn mask(text: &str) -> CpuSet {
    let words: Vec<u32> = text.split(',').map(|word| u32::from_str_radix(&word[2..], 16).unwrap()).collect();
    let bits = words.iter().rev().zip(0..).flat_map(|(word, at)| {
        (0..32).filter(move |bit| word >> bit & 1 == 1).map(move |bit| model::CpuId(at * 32 + bit))
    });
    bits.collect()
}

/// Prints an amount as `lstopo -v` does: the largest unit of which there are ten, rounded.
fn amount(bytes: Option<Bytes>) -> String {
    let Some(Bytes(bytes)) = bytes else { return "none".to_owned() };
    let units = [(30, "GiB"), (20, "MiB")];
    let (shift, unit) = units.into_iter().find(|(shift, _)| bytes >= 10 << shift).unwrap_or((10, "KiB"));
    format!("{}{unit}", (bytes + (1 << (shift - 1))) >> shift)
}

/// Converts tauto's reading to the same words; hwloc omits what this process may not use.
fn by_us(topology: &Topology) -> Words {
    let allowed = |cpus: &CpuSet| cpus.intersection(&topology.allowed);
    let numbered = |os_id: Option<u32>, cpus: &CpuSet| {
        let cpus = allowed(cpus);
        (!cpus.is_empty()).then(|| format!("P#{os_id:?} {cpus}"))
    };
    let domains = |domains: &[model::Domain]| -> BTreeSet<String> {
        domains.iter().filter_map(|domain| numbered(domain.os_id, &domain.cpus)).collect()
    };
    let mut nodes: Vec<_> =
        topology.numa_nodes.iter().filter(|node| topology.allowed_numa_nodes.contains(&node.os_id)).collect();
    nodes.sort_by_key(|node| node.os_id);
    let distance = |to: &&model::NumaNode, from: &model::NumaNode| from.distances.get(&to.os_id).copied();
    let row = |from: &&model::NumaNode| nodes.iter().filter_map(|to| distance(to, from)).collect();
    let mut packages = domains(&topology.packages);
    // A package of which only memory may be used stays.
    packages.extend(topology.packages.iter().filter_map(|package| {
        let has_memory = nodes.iter().any(|node| !node.cpus.intersection(&package.cpus).is_empty());
        (has_memory && allowed(&package.cpus).is_empty()).then(|| format!("P#{:?} ", package.os_id))
    }));
    Words {
        packages,
        dies: if topology.dies.iter().map(|die| &die.cpus).eq(topology.packages.iter().map(|p| &p.cpus)) {
            BTreeSet::new()
        } else {
            domains(&topology.dies)
        },
        clusters: domains(&topology.clusters),
        l3_domains: topology
            .l3_domains
            .iter()
            .map(|domain| format!("{} {}", allowed(&domain.cpus), amount(domain.size)))
            .collect(),
        cores: topology.cores.iter().filter_map(|core| numbered(core.os_id, &core.cpus)).collect(),
        numa_nodes: nodes
            .iter()
            .map(|node| format!("P#{:?} {} {}", Some(node.os_id), allowed(&node.cpus), amount(node.memory)))
            .collect(),
        cpus: topology.cpus().intersection(&topology.allowed),
        core_kinds: topology.core_kinds.iter().map(|kind| kind.cpus.clone()).collect(),
        distances: if nodes.len() > 1 { nodes.iter().map(row).collect() } else { Vec::new() },
    }
}

fn machines() -> Vec<PathBuf> {
    let folder =
        std::env::var_os("TAUTO_TOPOLOGY_FIXTURES").map_or_else(|| FOLDER_BESIDE.into(), PathBuf::from);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!(
            "skipped: no recorded machines in {}; TAUTO_TOPOLOGY_FIXTURES names their folder",
            folder.display()
        );
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(".tar.bz2")).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} has no NAME.tar.bz2", folder.display());
    paths
}

fn console(archive: &Path) -> String {
    let name = archive.to_string_lossy().replace(".tar.bz2", ".console");
    std::fs::read_to_string(name).unwrap()
}

#[test]
fn every_machine_reads_as_hwloc_reads_it_and_survives_its_xml() {
    for path in machines() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let described = topology::open(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(described.warnings, [""; 0], "{name}");
        let topology = described.topology;
        let (mut ours, theirs) = (by_us(&topology), by_hwloc(&console(&path)));
        if theirs.clusters.is_empty() {
            // By hwloc's manual, it shows the L2 cache instead of a cluster that shares it.
            ours.clusters.clear();
        }
        assert_eq!(ours, theirs, "{name}: ours, then hwloc's");
        let text = topology::to_xml(&topology).unwrap();
        assert_eq!(topology::from_xml("m.xml", &text).unwrap(), topology, "{name}");
        eprintln!("{name}: {} CPUs, as hwloc", ours.cpus.len());
    }
}
