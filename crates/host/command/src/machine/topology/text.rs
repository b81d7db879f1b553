//! The topology as a tree in a table.

use model::{Bytes, CpuSet, Topology};
use std::collections::BTreeSet;
use terminal::{Align, Cell, Report, Table};
use topology::{Level, Nested, Nesting};

/// More rows do not fit on the smallest terminals: equal parts are then shown once.
const ROWS_MAX: usize = 24;
/// A wider matrix of distances would not fit on a line; its range is printed instead.
const DISTANCE_COLUMNS_MAX: usize = 16;
/// The siblings of further cores can be guessed from these.
const CORES_SHOWN: usize = 4;
/// Lists of CPUs are cut to this; `--json` has them whole.
const CPUS_WIDTH: usize = 32;

/// Reports everything that is known.
pub fn report_of(name: &str, topology: &Topology, warnings: &[String]) -> Report {
    let nesting = Nesting::of(topology);
    let mut tree = Tree { topology, fold: false, rows: Vec::new() };
    tree.boxes(&nesting.boxes, "");
    if tree.rows.len() > ROWS_MAX {
        tree = Tree { topology, fold: true, rows: Vec::new() };
        tree.boxes(&nesting.boxes, "");
    }
    let mut table = Table::new(&[
        ("", Align::Left),
        ("CPUs", Align::Left),
        ("memory", Align::Right),
        ("L3 cache", Align::Right),
        ("cores", Align::Left),
    ]);
    for row in tree.rows {
        table.row(row);
    }
    for node in topology.numa_nodes.iter().filter(|node| node.cpus.is_empty()) {
        table.row([format!("NUMA node {}", node.os_id).into(), "none".into(), amount(node.memory)]);
    }
    let mut report = Report::default();
    report.line(&format!("{name}: {}", summary(topology)));
    report.table("", table);
    report.facts(notes(topology, &nesting, warnings));
    add_distances(&mut report, topology);
    report
}

pub fn summary(topology: &Topology) -> String {
    let count = |number: usize, one: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{number} {one}s"),
    };
    let mut parts = vec![count(topology.packages.len(), "package")];
    if topology.dies.len() > topology.packages.len() {
        parts.push(count(topology.dies.len(), "die"));
    }
    parts.push(count(topology.numa_nodes.len(), "NUMA node"));
    if !topology.l3_domains.is_empty() {
        parts.push(count(topology.l3_domains.len(), "L3 cache"));
    }
    if !topology.clusters.is_empty() {
        parts.push(count(topology.clusters.len(), "cluster"));
    }
    parts.push(count(topology.cores.len(), "core"));
    parts.push(format!("{} ({})", count(topology.cpus().len(), "CPU"), threads(topology)));
    if !topology.offline.is_empty() {
        parts.push(format!("{} offline", topology.offline.len()));
    }
    parts.join(", ")
}

fn threads(topology: &Topology) -> String {
    let counts = || topology.cores.iter().map(|core| core.cpus.len());
    match (counts().min().unwrap_or(0), counts().max().unwrap_or(0)) {
        (_, 0 | 1) => "no SMT".to_owned(),
        (least, most) if least == most => format!("SMT {most}"),
        (least, most) => format!("SMT {least} to {most}"),
    }
}

/// Names a box by the kernel's number, or by its position if it has none.
pub fn title(topology: &Topology, level: Level, index: usize) -> String {
    let os_id = match level {
        Level::Package => topology.packages[index].os_id,
        Level::Die => topology.dies[index].os_id,
        Level::NumaNode => Some(topology.numa_nodes[index].os_id),
        Level::L3Domain => topology.l3_domains[index].os_id,
        Level::Cluster => topology.clusters[index].os_id,
        Level::Core => topology.cores[index].os_id,
    };
    match os_id {
        Some(id) => format!("{} {id}", level.name()),
        None => format!("{} #{index}", level.name()),
    }
}

/// Returns whether two boxes are the same except for their numbers.
pub fn alike(topology: &Topology, one: &Nested, two: &Nested) -> bool {
    let size = |item: &Nested| match item.level {
        Level::L3Domain => topology.l3_domains[item.index].size,
        _ => None,
    };
    let kind = |item: &Nested| match item.level {
        Level::Core => topology.cores[item.index].kind,
        _ => None,
    };
    one.level == two.level
        && one.cpus.len() == two.cpus.len()
        && one.children.len() == two.children.len()
        && size(one) == size(two)
        && kind(one) == kind(two)
        && one.children.iter().zip(&two.children).all(|(one, two)| alike(topology, one, two))
}

struct Tree<'t> {
    topology: &'t Topology,
    fold: bool,
    rows: Vec<Vec<Cell>>,
}

impl Tree<'_> {
    /// Adds the rows of boxes inside a box; cores are shown in the row of the box around them.
    fn boxes(&mut self, boxes: &[Nested], indent: &str) {
        let mut rest: &[Nested] = boxes;
        while let Some(first) = rest.first() {
            let same = rest.iter().take_while(|item| alike(self.topology, first, item)).count();
            let taken = if self.fold && same > 2 { same } else { 1 };
            let (group, after) = rest.split_at(taken);
            let is_last = after.iter().all(|item| item.level == Level::Core);
            rest = after;
            // A core outside of all boxes has a row of its own.
            if first.level == Level::Core && !indent.is_empty() {
                continue;
            }
            self.one(first, indent, is_last && taken == 1);
            if taken > 1 {
                self.more(&group[1..], indent, is_last);
            }
        }
    }

    fn one(&mut self, item: &Nested, indent: &str, is_last: bool) {
        let topology = self.topology;
        let memory = match item.level {
            Level::NumaNode => amount(topology.numa_nodes[item.index].memory),
            _ => "".into(),
        };
        let cache = match item.level {
            Level::L3Domain => amount(topology.l3_domains[item.index].size),
            _ => "".into(),
        };
        let label = format!("{}{}", branch(indent, is_last), title(topology, item.level, item.index));
        self.rows.push(vec![label.into(), shown(&item.cpus), memory, cache, self.cores(item).into()]);
        self.boxes(&item.children, &below(indent, is_last));
    }

    fn more(&mut self, group: &[Nested], indent: &str, is_last: bool) {
        let cpus: CpuSet = group.iter().flat_map(|item| item.cpus.iter()).collect();
        let memory: Option<u64> = group
            .iter()
            .map(|item| match item.level {
                Level::NumaNode => self.topology.numa_nodes[item.index].memory.map(|memory| memory.0),
                _ => None,
            })
            .sum();
        let label = format!("{}… {} more alike", branch(indent, is_last), group.len());
        let memory = if memory.is_some() { amount(memory.map(Bytes)) } else { "".into() };
        self.rows.push(vec![label.into(), shown(&cpus), memory]);
    }

    /// Lists the cores directly in a box, with their siblings.
    fn cores(&self, item: &Nested) -> String {
        let cores: Vec<&Nested> = item.children.iter().filter(|child| child.level == Level::Core).collect();
        let mut text = match cores.len() {
            0 => return String::new(),
            1 => "1 core".to_owned(),
            count => format!("{count} cores"),
        };
        let kinds: Vec<_> = cores.iter().map(|core| self.topology.cores[core.index].kind).collect();
        if let Some(kind) = kinds[0].filter(|kind| kinds.iter().all(|other| other == &Some(*kind))) {
            text.push_str(&format!(" ({})", self.topology.core_kinds[kind].name));
        }
        if cores.iter().any(|core| core.cpus.len() > 1) {
            let sets: Vec<_> = cores.iter().take(CORES_SHOWN).map(|core| core.cpus.to_string()).collect();
            let more = if cores.len() > CORES_SHOWN { " …" } else { "" };
            text.push_str(&format!(": {}{more}", sets.join(" ")));
        }
        text
    }
}

/// Outermost boxes have no indent.
fn branch(indent: &str, is_last: bool) -> String {
    match indent.strip_suffix('.') {
        None => String::new(),
        Some(indent) => format!("{indent}{}", if is_last { "└ " } else { "├ " }),
    }
}

/// Returns the indent of the boxes inside; the dot at its end marks that there is a box around them.
fn below(indent: &str, is_last: bool) -> String {
    match indent.strip_suffix('.') {
        None => ".".to_owned(),
        Some(indent) => format!("{indent}{}.", if is_last { "  " } else { "│ " }),
    }
}

fn shown(cpus: &CpuSet) -> Cell {
    Cell::from(cpus.to_string()).cut(CPUS_WIDTH)
}

fn amount(bytes: Option<Bytes>) -> Cell {
    bytes.map_or_else(|| "unavailable".into(), |bytes| bytes.to_string().into())
}

/// Returns what does not fit into the tree.
fn notes(topology: &Topology, nesting: &Nesting, warnings: &[String]) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for kind in &topology.core_kinds {
        let cores = topology.cores.iter().filter(|core| core.cpus.is_subset(&kind.cpus)).count();
        lines.push(("kind", format!("{}: {cores} cores, {}", kind.name, kind.cpus.named())));
    }
    if !topology.offline.is_empty() {
        lines.push(("offline", topology.offline.named()));
    }
    let online = topology.cpus();
    if topology.allowed != online {
        let others = online.difference(&topology.allowed);
        lines.push(("allowed", format!("{}; not {others}", topology.allowed.named())));
    }
    let refused: Vec<_> = topology
        .numa_nodes
        .iter()
        .filter(|node| !topology.allowed_numa_nodes.contains(&node.os_id))
        .map(|node| node.os_id.to_string())
        .collect();
    if !refused.is_empty() {
        let what = format!("memory of every NUMA node but {}", refused.join(" "));
        lines.push(("allowed", what));
    }
    for (level, index) in &nesting.crossing {
        let what = "shares CPUs with something that it is not inside of, so it is not in the tree";
        lines.push(("crossing", format!("{} {what}", title(topology, *level, *index))));
    }
    lines.extend(warnings.iter().map(|warning| ("warning", warning.clone())));
    lines
}

fn add_distances(report: &mut Report, topology: &Topology) {
    let nodes = &topology.numa_nodes;
    if nodes.len() < 2 {
        return;
    }
    if nodes.iter().all(|node| node.distances.is_empty()) {
        report.line("distances unavailable: the machine does not report the distances of its NUMA nodes");
        return;
    }
    let apart = nodes.iter().flat_map(|node| node.distances.iter().filter(|(to, _)| **to != node.os_id));
    let apart: BTreeSet<u32> = apart.map(|(_, distance)| *distance).collect();
    if let (Some(near), Some(far)) = (apart.first(), apart.last())
        && (near == far || nodes.len() > DISTANCE_COLUMNS_MAX)
    {
        let range = if near == far { near.to_string() } else { format!("{near} to {far}") };
        report.line(&format!("distance between NUMA nodes: {range}, where 10 is local"));
        return;
    }
    let mut header = vec!["distances".to_owned()];
    header.extend(nodes.iter().map(|node| node.os_id.to_string()));
    let row = |node: &model::NumaNode| {
        let distance = |to: &model::NumaNode| match node.distances.get(&to.os_id) {
            Some(distance) => distance.to_string(),
            None => "?".to_owned(),
        };
        let name = format!("NUMA node {}", node.os_id);
        std::iter::once(name).chain(nodes.iter().map(distance)).collect::<Vec<_>>()
    };
    report.table("", Table::of(&header, nodes.iter().map(row)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{CacheDomain, Core, CoreKind, CpuId, Domain, NumaNode};
    use std::collections::BTreeMap;
    use terminal::Colour;

    fn set(numbers: std::ops::Range<u32>) -> CpuSet {
        numbers.map(CpuId).collect()
    }

    /// Returns a machine with one NUMA node in each package and two CPUs in each core.
    fn machine(packages: u32, cores: u32) -> Topology {
        let cpus = cores * 2;
        let package = |at: u32| set(at * cpus..(at + 1) * cpus);
        let distances =
            |from| (0..packages).map(|to| (to, if from == to { 10 } else { 20 + from + to })).collect();
        let node = |os_id| NumaNode {
            os_id,
            cpus: package(os_id),
            memory: Some(Bytes::from_mib(512)),
            distances: distances(os_id),
        };
        let core = |core| Core { os_id: Some(core), cpus: set(core * 2..core * 2 + 2), kind: None };
        Topology {
            packages: (0..packages).map(|at| Domain { os_id: Some(at), cpus: package(at) }).collect(),
            numa_nodes: (0..packages).map(node).collect(),
            l3_domains: (0..packages)
                .map(|at| CacheDomain { os_id: None, cpus: package(at), size: Some(Bytes::from_mib(8)) })
                .collect(),
            cores: (0..packages * cores).map(core).collect(),
            allowed: set(0..packages * cpus),
            allowed_numa_nodes: (0..packages).collect(),
            ..Topology::default()
        }
    }

    #[test]
    fn small_machine_is_shown_whole() {
        let mut topology = machine(2, 3);
        topology.offline = set(12..13);
        topology.allowed = set(1..12);
        topology.allowed_numa_nodes = BTreeSet::from([0]);
        topology.cores[0].kind = Some(0);
        topology.cores[1].kind = Some(0);
        topology.cores[2].kind = Some(0);
        topology.core_kinds = vec![CoreKind { name: "atom".to_owned(), cpus: set(0..6) }];
        let memory = NumaNode { os_id: 7, cpus: CpuSet::new(), memory: None, distances: BTreeMap::new() };
        topology.numa_nodes.push(memory);
        insta::assert_snapshot!(report_of("m.tar.gz", &topology, &[]).text(Colour::Off), @r#"
        m.tar.gz: 2 packages, 3 NUMA nodes, 2 L3 caches, 6 cores, 12 CPUs (SMT 2), 1 offline

                       CPUs       memory  L3 cache  cores
        ───────────────────────────────────────────────────────────────────────
        package 0      0-5
        └ NUMA node 0  0-5     512.0 MiB
          └ L3 #0      0-5                 8.0 MiB  3 cores (atom): 0-1 2-3 4-5
        package 1      6-11
        └ NUMA node 1  6-11    512.0 MiB
          └ L3 #1      6-11                8.0 MiB  3 cores: 6-7 8-9 10-11
        NUMA node 7    none  unavailable

        kind               atom: 3 cores, CPUs 0-5
        offline            CPU 12
        allowed            CPUs 1-11; not 0
        allowed            memory of every NUMA node but 1 7

        distance between NUMA nodes: 21, where 10 is local
        "#);
    }

    #[test]
    fn equal_parts_of_a_large_machine_are_shown_once() {
        insta::assert_snapshot!(report_of("m", &machine(32, 16), &[]).text(Colour::Off), @r#"
        m: 32 packages, 32 NUMA nodes, 32 L3 caches, 512 cores, 1024 CPUs (SMT 2)

                         CPUs        memory  L3 cache  cores
        ──────────────────────────────────────────────────────────────────────────
        package 0        0-31
        └ NUMA node 0    0-31     512.0 MiB
          └ L3 #0        0-31                 8.0 MiB  16 cores: 0-1 2-3 4-5 6-7 …
        … 31 more alike  32-1023

        distance between NUMA nodes: 21 to 81, where 10 is local
        "#);
    }

    #[test]
    fn unknown_facts_are_omitted() {
        let mut topology = machine(1, 1);
        topology.l3_domains.clear();
        topology.numa_nodes[0].memory = None;
        topology.packages[0].os_id = None;
        let warnings = ["m: sys/x holds 'y'; it is left out".to_owned()];
        insta::assert_snapshot!(report_of("m", &topology, &warnings).text(Colour::Off), @r#"
        m: 1 package, 1 NUMA node, 1 core, 2 CPUs (SMT 2)

                       CPUs       memory  L3 cache  cores
        ───────────────────────────────────────────────────────
        package #0     0-1
        └ NUMA node 0  0-1   unavailable            1 core: 0-1

        warning            m: sys/x holds 'y'; it is left out
        "#);
    }
}
