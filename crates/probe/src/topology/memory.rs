//! NUMA nodes: which CPUs are near to which memory, and how far the nodes are from each other.

use super::{Source, TopologyError, mask};
use model::{Bytes, CpuSet, NumaNode};
use std::collections::BTreeMap;

pub(super) const NODE_FOLDER: &str = "sys/devices/system/node";

/// The distance of a node to itself (ACPI, SLIT).
pub(super) const LOCAL: u32 = 10;

/// Reads the nodes, those without CPUs at the end; one for all where the kernel tells of none.
pub(super) fn numa_nodes(source: &Source, online: &CpuSet) -> Result<Vec<NumaNode>, TopologyError> {
    let numbers = source.numbers(NODE_FOLDER, "node");
    let mut nodes = Vec::new();
    for &number in &numbers {
        let folder = format!("{NODE_FOLDER}/node{number}");
        let paths = ["cpulist", "cpumap"].map(|file| format!("{folder}/{file}"));
        let cpus = source.first_set(&paths)?.map_or_else(CpuSet::new, |(_, cpus)| cpus.intersection(online));
        let distances = distances(source, &format!("{folder}/distance"))?;
        let distances = if numbers.len() == 1 {
            BTreeMap::from([(number, LOCAL)])
        } else if distances.len() == numbers.len() {
            numbers.iter().copied().zip(distances).collect()
        } else {
            // A recording without some of the nodes has more numbers than can be told apart.
            BTreeMap::new()
        };
        let memory = memory(source, &format!("{folder}/meminfo"))?;
        nodes.push(NumaNode { os_id: number, cpus, memory, distances });
    }
    if nodes.is_empty() {
        let memory = memory(source, "proc/meminfo")?;
        nodes.push(NumaNode {
            os_id: 0,
            cpus: online.clone(),
            memory,
            distances: BTreeMap::from([(0, LOCAL)]),
        });
    }
    check_apart(source, &nodes)?;
    nodes.sort_by_key(|node| (node.cpus.is_empty(), node.cpus.first(), node.os_id));
    Ok(nodes)
}

fn check_apart(source: &Source, nodes: &[NumaNode]) -> Result<(), TopologyError> {
    for (at, node) in nodes.iter().enumerate() {
        let overlapping = |other: &&NumaNode| !other.cpus.intersection(&node.cpus).is_empty();
        if let Some(other) = nodes[..at].iter().find(overlapping) {
            let place = |node: &NumaNode| source.place(&format!("{NODE_FOLDER}/node{}/cpulist", node.os_id));
            return Err(TopologyError::Contradiction {
                file: place(node),
                found: node.cpus.to_string(),
                other_file: place(other),
                other: other.cpus.to_string(),
            });
        }
    }
    Ok(())
}

fn distances(source: &Source, path: &str) -> Result<Vec<u32>, TopologyError> {
    let text = source.text(path).unwrap_or_default();
    let wrong = || source.wrong(path, &text, "a number for each NUMA node, such as '10 21'");
    text.split_whitespace().map(|number| number.parse().map_err(|_| wrong())).collect()
}

/// Finds the line `Node 0 MemTotal: 16772456 kB`, or the same without the node.
fn memory(source: &Source, path: &str) -> Result<Option<Bytes>, TopologyError> {
    let text = source.text(path).unwrap_or_default();
    let Some(line) = text.lines().find(|line| line.contains("MemTotal:")) else { return Ok(None) };
    let kib = line.split_whitespace().rev().nth(1).and_then(|number| number.parse::<u64>().ok());
    let bytes = kib.filter(|_| line.trim_end().ends_with(" kB")).and_then(|kib| kib.checked_mul(1024));
    bytes.map(|bytes| Some(Bytes(bytes))).ok_or_else(|| source.wrong(path, line, "'MemTotal: NUMBER kB'"))
}

/// Reads numbers of nodes, which are written like those of CPUs.
pub(super) fn node_set(text: &str) -> Option<std::collections::BTreeSet<u32>> {
    let set = text.parse::<CpuSet>().ok().or_else(|| mask::parse(text))?;
    Some(set.iter().map(|node| node.0).collect())
}
