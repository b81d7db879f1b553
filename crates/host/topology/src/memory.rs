//! NUMA nodes: which CPUs are near to which memory, and the distances between nodes.

use super::reader::Reader;
use model::{Bytes, CpuSet, NumaNode};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const NODE_FOLDER: &str = "sys/devices/system/node";

/// The distance of a node to itself (ACPI, SLIT).
pub(super) const LOCAL: u32 = 10;

/// Reads the nodes, those without CPUs at the end; a single one if the kernel reports none. Also returns whether all of
/// them are plausible.
///
/// A node that lists CPUs of an earlier one is ignored with its memory, as in hwloc: firmware without a valid table of
/// localities, and the kernel's own emulation of nodes, list all CPUs in every node.
pub(super) fn numa_nodes(reader: &Reader<'_>, online: &CpuSet) -> (Vec<NumaNode>, bool) {
    let numbers = reader.numbers(NODE_FOLDER, "node");
    let mut nodes: Vec<NumaNode> = Vec::new();
    for &number in &numbers {
        let folder = format!("{NODE_FOLDER}/node{number}");
        let paths = ["cpulist", "cpumap"].map(|file| format!("{folder}/{file}"));
        let (path, cpus) = reader.first_set(&paths).unwrap_or_default();
        let cpus = cpus.intersection(online);
        if let Some(other) = nodes.iter().find(|node| node.cpus.meets(&cpus)) {
            let both = other.cpus.intersection(&cpus).named();
            let why = format!("names {both}, which NUMA node {} has already", other.os_id);
            reader.leave_out(&path, &why);
            continue;
        }
        let distances = distances(reader, &format!("{folder}/distance"));
        let distances = if numbers.len() == 1 {
            BTreeMap::from([(number, LOCAL)])
        } else if distances.len() == numbers.len() {
            numbers.iter().copied().zip(distances).collect()
        } else {
            // If a recording lacks some of the nodes, their distances cannot be assigned.
            BTreeMap::new()
        };
        let memory = memory(reader, &format!("{folder}/meminfo"));
        nodes.push(NumaNode { os_id: number, cpus, memory, distances });
    }
    let kept: BTreeSet<u32> = nodes.iter().map(|node| node.os_id).collect();
    let are_all_kept = kept.len() == numbers.len();
    for node in &mut nodes {
        node.distances.retain(|to, _| kept.contains(to));
    }
    if nodes.is_empty() {
        let memory = memory(reader, "proc/meminfo");
        nodes.push(NumaNode {
            os_id: 0,
            cpus: online.clone(),
            memory,
            distances: BTreeMap::from([(0, LOCAL)]),
        });
    }
    nodes.sort_by_key(|node| (node.cpus.is_empty(), node.cpus.first(), node.os_id));
    (nodes, are_all_kept)
}

fn distances(reader: &Reader<'_>, path: &str) -> Vec<u32> {
    let text = reader.text(path).unwrap_or_default();
    let numbers: Result<_, _> = text.split_whitespace().map(str::parse).collect();
    numbers.unwrap_or_else(|_: std::num::ParseIntError| {
        reader.wrong(path, &text, "a number for each NUMA node, such as '10 21'");
        Vec::new()
    })
}

/// Finds the line `Node 0 MemTotal: 16772456 kB`, or the same without the node.
fn memory(reader: &Reader<'_>, path: &str) -> Option<Bytes> {
    let text = reader.text(path)?;
    let line = text.lines().find(|line| line.contains("MemTotal:"))?;
    let kib = line.split_whitespace().rev().nth(1).and_then(|number| number.parse::<u64>().ok());
    let bytes = kib.filter(|_| line.trim_end().ends_with(" kB")).and_then(|kib| kib.checked_mul(1024));
    if bytes.is_none() {
        reader.wrong(path, line, "'MemTotal: NUMBER kB'");
    }
    bytes.map(Bytes)
}

/// Reads numbers of nodes, which are written like those of CPUs.
pub(super) fn node_set(text: &str) -> Option<BTreeSet<u32>> {
    let set = text.parse::<CpuSet>().ok().or_else(|| system::mask::parse(text))?;
    Some(set.iter().map(|node| node.0).collect())
}
