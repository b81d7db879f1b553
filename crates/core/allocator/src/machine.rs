//! A topology prepared for searching.

use crate::tree::{self, Draft, Part};
use crate::{Request, Siblings, Span};
use model::{Bytes, CpuId, CpuSet, NumaNode, Topology};
use std::collections::BTreeSet;
use std::ops::Range;

/// A topology prepared for searching: cores are ordered so that those of every domain are contiguous.
#[derive(Clone, Debug)]
pub struct Machine {
    pub(crate) cores: Vec<LocatedCore>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) parts: Vec<Part>,
    /// The parts that are domains, the narrowest span first.
    pub(crate) by_rank: Vec<usize>,
    pub(crate) kinds: Vec<String>,
    pub(crate) cache_count: usize,
    groups: Vec<Group>,
    of_cpu: Vec<Option<u32>>,
}

#[derive(Clone, Debug)]
pub(crate) struct LocatedCore {
    /// Its CPUs, ascending.
    pub cpus: Vec<CpuId>,
    pub cell: usize,
    pub standing: Standing,
}

/// Contiguous cores that are equivalent for placement.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub cores: Range<usize>,
    /// How many of them may be leased.
    pub usable: u32,
    pub kind: Option<usize>,
    pub threads: u32,
    /// Number of the L3 domain. Without one it is that of the NUMA node, numbered after all L3 domains.
    pub cache: usize,
    /// The kernel's number of the NUMA node.
    pub numa_node: Option<u32>,
    /// The kernel's number of the NUMA node that memory should be on: the nearest one that has some and is allowed.
    pub memory_node: Option<u32>,
    /// Whether that is as near as memory can be.
    pub has_memory: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It may.
    Usable,
    /// It is kept for everything that is not timed.
    Housekeeping,
    /// A CPU of it is not allowed to this process, so others may run there.
    NotAllowed,
}

/// Cores that one lease may combine, and how many CPUs each counts for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub kind: Option<usize>,
    /// `None` where siblings stay idle: then their number does not matter.
    pub threads: Option<u32>,
}

/// Why no machine could be made of a topology.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    #[error("the topology has no core that is online")]
    NoCore,
    #[error("CPU {0} is in two cores of the topology")]
    TwoCores(CpuId),
    /// A CPU to be kept is not there.
    #[error("the housekeeping CPU {0} is not online; online are {1}")]
    NoSuchCpu(CpuId, CpuSet),
}

impl Machine {
    /// Makes a machine on which these CPUs, with their siblings, are kept for housekeeping.
    pub fn new(topology: &Topology, housekeeping: &CpuSet) -> Result<Self, MachineError> {
        if topology.cores.iter().all(|core| core.cpus.is_empty()) {
            return Err(MachineError::NoCore);
        }
        let drafts = tree::nest(topology.cores.len(), domains(topology));
        let mut builder = Builder {
            topology,
            housekeeping,
            spans: tree::spans_by_width(&drafts),
            drafts: &drafts,
            cores: Vec::new(),
            cells: Vec::new(),
            parts: Vec::new(),
        };
        builder.add(0, None, [false; 5]);
        let Builder { cores, cells, parts, .. } = builder;
        let mut by_rank: Vec<usize> = (0..parts.len()).filter(|part| parts[*part].rank.is_some()).collect();
        by_rank.sort_by_key(|part| parts[*part].rank);
        let mut machine = Self {
            groups: groups(&cells),
            cores,
            cells,
            parts,
            by_rank,
            kinds: topology.core_kinds.iter().map(|kind| kind.name.clone()).collect(),
            cache_count: topology.l3_domains.len() + topology.numa_nodes.len().max(1),
            of_cpu: Vec::new(),
        };
        machine.number_cpus()?;
        match housekeeping.iter().find(|cpu| machine.core_of(*cpu).is_none()) {
            Some(cpu) => Err(MachineError::NoSuchCpu(cpu, topology.cpus())),
            None => Ok(machine),
        }
    }

    fn number_cpus(&mut self) -> Result<(), MachineError> {
        let highest = self.cores.iter().flat_map(|core| &core.cpus).map(|cpu| cpu.0).max().unwrap_or(0);
        self.of_cpu = vec![None; highest as usize + 1];
        for (at, core) in self.cores.iter().enumerate() {
            for cpu in &core.cpus {
                if self.of_cpu[cpu.0 as usize].replace(at as u32).is_some() {
                    return Err(MachineError::TwoCores(*cpu));
                }
            }
        }
        Ok(())
    }

    /// Returns the index in [`Self::cores`] of a CPU's core.
    pub fn core_of(&self, cpu: CpuId) -> Option<usize> {
        self.of_cpu.get(cpu.0 as usize).copied().flatten().map(|core| core as usize)
    }

    /// Lists every core's CPUs and standing, neighbours next to each other.
    pub fn cores(&self) -> impl Iterator<Item = (CpuSet, Standing)> + '_ {
        self.cores.iter().map(|core| (core.cpus.iter().copied().collect(), core.standing))
    }

    /// Returns the names of the kinds of core, the slowest first.
    pub fn kinds(&self) -> &[String] {
        &self.kinds
    }

    /// Lists the groups of cores that may serve a request, the best first, with the cores needed of each.
    pub(crate) fn groups_for<'m>(&'m self, request: &Request) -> impl Iterator<Item = (&'m Group, u32)> + 'm {
        let Request { cpus, siblings, kind, .. } = *request;
        self.groups.iter().filter_map(move |group| {
            let right_kind = kind.is_none_or(|kind| group.kind == Some(kind));
            let needed = match (siblings, group.threads) {
                (Siblings::Idle, None) => cpus.get(),
                (Siblings::Used, Some(threads)) => cpus.get().div_ceil(threads),
                _ => return None,
            };
            right_kind.then_some((group, needed))
        })
    }

    /// Returns whether one lease may spread over a part, if `span` is the widest allowed.
    pub(crate) fn is_within(&self, part: usize, span: Span) -> bool {
        self.parts[part].inside[span as usize]
    }

    /// Lists the numbers of the NUMA nodes that the memory of some cores should be on, ascending.
    pub(crate) fn memory_nodes_of(&self, cores: &[u32]) -> Vec<u32> {
        let nodes: BTreeSet<u32> =
            cores.iter().filter_map(|core| self.cell_of(*core as usize).memory_node).collect();
        nodes.into_iter().collect()
    }

    /// Lists the numbers of the NUMA nodes of some cores, ascending.
    pub(crate) fn numa_nodes_of(&self, cores: &[u32]) -> Vec<u32> {
        let mut nodes: Vec<u32> =
            cores.iter().filter_map(|core| self.cell_of(*core as usize).numa_node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes
    }

    pub(crate) fn cell_of(&self, core: usize) -> &Cell {
        &self.cells[self.cores[core].cell]
    }
}

impl Group {
    pub(crate) fn has(&self, cell: &Cell) -> bool {
        self.kind == cell.kind && self.threads.is_none_or(|threads| threads == cell.threads)
    }
}

/// Lists the groups in the order in which they are tried: fast kinds first, then many CPUs per core.
fn groups(cells: &[Cell]) -> Vec<Group> {
    let mut groups: Vec<Group> = cells
        .iter()
        .flat_map(|cell| [None, Some(cell.threads)].map(|threads| Group { kind: cell.kind, threads }))
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse((group.kind, group.threads)));
    groups.dedup();
    groups
}

fn domains(topology: &Topology) -> Vec<tree::Domain> {
    let cores_in = |cpus: &CpuSet| {
        let inside = |core: &model::Core| core.cpus.is_subset(cpus);
        (0..topology.cores.len()).filter(|core| inside(&topology.cores[*core])).collect()
    };
    let packages = topology.packages.iter().map(|domain| (Span::Package, domain.os_id, &domain.cpus));
    let dies = topology.dies.iter().map(|domain| (Span::Die, domain.os_id, &domain.cpus));
    let nodes = topology.numa_nodes.iter().map(|node| (Span::NumaNode, Some(node.os_id), &node.cpus));
    let caches = topology.l3_domains.iter().map(|domain| (Span::L3Domain, domain.os_id, &domain.cpus));
    let mut counts = [0; 5];
    packages
        .chain(dies)
        .chain(nodes)
        .chain(caches)
        .map(|(span, os_id, cpus)| {
            let logical = counts[span as usize];
            counts[span as usize] += 1;
            // Only NUMA nodes go by the kernel's number: numbers of other domains repeat in every package.
            let number = os_id.filter(|_| span == Span::NumaNode).unwrap_or(logical);
            tree::Domain { span, number, cores: cores_in(cpus) }
        })
        .collect()
}

fn cache(topology: &Topology, cpu: CpuId) -> usize {
    let l3 = topology.l3_domains.iter().position(|domain| domain.cpus.contains(cpu));
    let numa_node = || topology.numa_nodes.iter().position(|node| node.cpus.contains(cpu));
    l3.unwrap_or_else(|| topology.l3_domains.len() + numa_node().unwrap_or(0))
}

struct Builder<'t> {
    topology: &'t Topology,
    housekeeping: &'t CpuSet,
    spans: Vec<Span>,
    drafts: &'t [Draft],
    cores: Vec<LocatedCore>,
    cells: Vec<Cell>,
    parts: Vec<Part>,
}

impl Builder<'_> {
    /// Adds a part with everything in it; returns its index.
    fn add(&mut self, draft_at: usize, parent: Option<usize>, mut inside: [bool; 5]) -> usize {
        let draft = &self.drafts[draft_at];
        for (span, _) in &draft.is {
            inside[*span as usize] = true;
        }
        let at = self.parts.len();
        let (first_cell, first_core) = (self.cells.len(), self.cores.len());
        let rank = |span| self.spans.iter().position(|known| *known == span);
        self.parts.push(Part {
            parent,
            children: Vec::new(),
            rank: draft.is.iter().filter_map(|(span, _)| rank(*span)).min(),
            span: draft.is.iter().map(|(span, _)| *span).min(),
            inside,
            cells: 0..0,
            cores: 0..0,
            names: names(&draft.is),
        });
        let children: Vec<usize> =
            draft.children.iter().map(|child| self.add(*child, Some(at), inside)).collect();
        if children.is_empty() {
            self.add_cores(draft.cores.iter().copied().collect());
        }
        let part = &mut self.parts[at];
        part.children = children;
        part.cells = first_cell..self.cells.len();
        part.cores = first_core..self.cores.len();
        at
    }

    fn add_cores(&mut self, cores: Vec<usize>) {
        let topology = self.topology;
        let mut placed: Vec<(Cell, usize)> = cores
            .into_iter()
            .filter_map(|at| {
                let core = &topology.cores[at];
                let first = core.cpus.first()?;
                let memory = local_memory(topology, first);
                let is_nowhere = !topology.numa_nodes.iter().any(|node| is_usable(topology, node));
                let cell = Cell {
                    cores: 0..0,
                    usable: 0,
                    kind: core.kind,
                    threads: core.cpus.len() as u32,
                    cache: cache(topology, first),
                    numa_node: topology.numa_node_of(first).map(|node| node.os_id),
                    memory_node: memory
                        .map_or_else(|| nearest_memory(topology, first), |node| Some(node.os_id)),
                    has_memory: memory.is_some() || is_nowhere,
                };
                Some((cell, at))
            })
            .collect();
        placed.sort_by_key(|(cell, at)| (cell.cache, cell.numa_node, cell.kind, cell.threads, *at));
        // A cell may not cross into another part, even where the cores are equivalent.
        let first_cell = self.cells.len();
        for (cell, at) in placed {
            let next = self.cores.len();
            let goes_on = self.cells[first_cell..].last().is_some_and(|last| last.is_like(&cell));
            if !goes_on {
                self.cells.push(Cell { cores: next..next, ..cell });
            }
            let cell = self.cells.len() - 1;
            self.cells[cell].cores.end = next + 1;
            let place = self.place(at, cell);
            self.cells[cell].usable += u32::from(place.standing == Standing::Usable);
            self.cores.push(place);
        }
    }

    fn place(&self, at: usize, cell: usize) -> LocatedCore {
        let core = &self.topology.cores[at];
        let cpus: Vec<CpuId> = core.cpus.iter().collect();
        let standing = if cpus.iter().any(|cpu| self.housekeeping.contains(*cpu)) {
            Standing::Housekeeping
        } else if core.cpus.is_subset(&self.topology.allowed) {
            Standing::Usable
        } else {
            Standing::NotAllowed
        };
        LocatedCore { cpus, cell, standing }
    }
}

/// Returns whether a NUMA node has memory that may be used, as far as that is known.
fn is_usable(topology: &Topology, node: &NumaNode) -> bool {
    let allowed = &topology.allowed_numa_nodes;
    node.memory != Some(Bytes(0)) && (allowed.is_empty() || allowed.contains(&node.os_id))
}

/// Returns a CPU's own NUMA node if its memory may be used.
fn local_memory(topology: &Topology, cpu: CpuId) -> Option<&NumaNode> {
    topology.numa_node_of(cpu).filter(|node| is_usable(topology, node))
}

/// Returns the number of the NUMA node with usable memory that is nearest to a CPU's own one.
fn nearest_memory(topology: &Topology, cpu: CpuId) -> Option<u32> {
    let own = topology.numa_node_of(cpu)?;
    let usable = topology.numa_nodes.iter().filter(|node| is_usable(topology, node)).map(|node| node.os_id);
    let nearest = usable.min_by_key(|node| own.distances.get(node).copied().unwrap_or(u32::MAX));
    Some(nearest.unwrap_or(own.os_id))
}

impl Cell {
    fn is_like(&self, other: &Self) -> bool {
        (self.cache, self.numa_node, self.kind, self.threads)
            == (other.cache, other.numa_node, other.kind, other.threads)
    }
}

/// Lists the names of a part, the most informative first, as in `L3 domain 3`.
fn names(is: &[(Span, u32)]) -> Vec<String> {
    // "Die" adds nothing to the name of a whole package, and "machine" nothing to any name.
    let telling = |span: Span| {
        [Span::L3Domain, Span::NumaNode, Span::Package, Span::Die, Span::Machine]
            .iter()
            .position(|known| *known == span)
    };
    let mut is = is.to_vec();
    is.sort_by_key(|(span, number)| (telling(*span), *number));
    let name = |(span, number): &(Span, u32)| match span {
        Span::Machine => "the machine".to_owned(),
        span => format!("{span} {number}"),
    };
    match is.as_slice() {
        [] => vec!["cores in no domain of their own".to_owned()],
        is => is.iter().map(name).collect(),
    }
}
