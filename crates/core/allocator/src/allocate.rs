//! Finding CPUs for a request.

use crate::choice::{Choice, Supply};
use crate::leases::{Leases, split};
use crate::machine::{Group, Machine};
use crate::{Class, Lease, LeaseId, NoFit, Request, Span, runs};
use model::{Bytes, CpuSet, counted};

/// Where a request would be placed, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// CPUs that it would run on.
    pub cpus: CpuSet,
    /// Their siblings, which would be kept idle.
    pub idle: CpuSet,
    /// The kernel's numbers of the NUMA nodes that its memory should be on.
    pub memory_nodes: Vec<u32>,
    pub explanation: Explanation,
    pub(crate) cores: Vec<u32>,
}

/// Why a request is placed where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The narrowest part of the machine that holds it, such as `L3 domain 3`.
    pub part: String,
    pub span: Span,
    /// How many free cores that part had before.
    pub free_before: u32,
    /// How many other domains of that span there are.
    pub others: u32,
    /// How many of those had room too, and at least as many free cores.
    pub others_with_room: u32,
    /// Narrower spans, with the highest number of free cores in one domain of each.
    pub too_narrow: Vec<(Span, u32)>,
    /// The kind of its cores, on a machine with several.
    pub kind: Option<String>,
    /// Faster kinds that had no room.
    pub kinds_without_room: Vec<String>,
    /// How many runs of neighbouring cores it consists of.
    pub runs: u32,
    /// Where the memory of its cores is.
    pub memory: MemoryPlace,
}

/// Where the memory of chosen cores is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryPlace {
    /// Every NUMA node of the machine has memory, as far as is known.
    Usual,
    /// In the cores' own NUMA nodes; cores of others, which have none, were not considered.
    Local,
    /// In other NUMA nodes for some cores: these nodes have none, and too few cores of others were free.
    Remote(Vec<u32>),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    #[error(transparent)]
    NoFit(#[from] Box<NoFit>),
    #[error("there is a lease '{0}' already")]
    IdInUse(LeaseId),
}

/// Finds the best CPUs for a request, by these criteria in this order:
///
/// 1. the fastest kind of core that has room, never a mix of two kinds;
/// 2. cores whose NUMA node has memory that may be used, if enough of them are free;
/// 3. the narrowest part of the machine that holds it: one L3 domain, one NUMA node, one package;
/// 4. of those the one with the fewest free cores, so that large blocks stay whole;
/// 5. then the one in the fullest surroundings, then the one with the highest CPU numbers;
/// 6. inside it as few smaller domains, and as few runs of neighbouring cores, as possible.
pub fn allocate(leases: &Leases, request: &Request) -> Result<Placement, Box<NoFit>> {
    let machine = leases.machine();
    let mut without_room: Vec<&Group> = Vec::new();
    for (group, cores) in machine.groups_for(request) {
        let all = leases.supply(request, group);
        let local = machine.cells.iter().any(|cell| !cell.has_memory).then(|| {
            Supply::new(machine, |cell| if machine.cells[cell].has_memory { all.of_cell(cell) } else { 0 })
        });
        for supply in local.iter().chain([&all]) {
            let Some(choice) = supply.choose(machine, cores, request.within) else { continue };
            let cores = leases.pick(&choice.counts);
            let explanation = explain(machine, supply, &choice, &cores, group, &without_room);
            return Ok(Placement::new(machine, request, cores, explanation));
        }
        without_room.push(group);
    }
    Err(Box::new(NoFit::of(leases, request)))
}

impl Placement {
    fn new(machine: &Machine, request: &Request, cores: Vec<u32>, explanation: Explanation) -> Self {
        let (cpus, idle) = split(machine, request, &cores);
        Self { cpus, idle, memory_nodes: machine.memory_nodes_of(&cores), explanation, cores }
    }
}

fn explain(
    machine: &Machine,
    supply: &Supply,
    choice: &Choice,
    cores: &[u32],
    group: &Group,
    without_room: &[&Group],
) -> Explanation {
    let part = &machine.parts[choice.part];
    let mut too_narrow: Vec<(Span, u32)> = Vec::new();
    let (mut others, mut others_with_room) = (0, 0);
    for other in machine.by_rank.iter().copied() {
        let (rank, span) = (machine.parts[other].rank, machine.parts[other].span);
        let had = supply.of_part(machine, other);
        match rank.cmp(&part.rank) {
            std::cmp::Ordering::Less => match (too_narrow.last_mut(), span) {
                (Some((last, most)), Some(span)) if *last == span => *most = (*most).max(had),
                (_, Some(span)) => too_narrow.push((span, had)),
                (_, None) => {}
            },
            std::cmp::Ordering::Equal if other != choice.part => {
                others += 1;
                others_with_room += u32::from(had as usize >= cores.len());
            }
            std::cmp::Ordering::Equal => {}
            std::cmp::Ordering::Greater => break,
        }
    }
    let kind_name = |group: &&Group| group.kind.and_then(|kind| machine.kinds.get(kind)).cloned();
    let several = machine.kinds.len() > 1;
    let mut kinds_without_room: Vec<String> =
        without_room.iter().filter(|other| other.kind != group.kind).filter_map(kind_name).collect();
    kinds_without_room.dedup();
    Explanation {
        part: part.names[0].clone(),
        span: part.span.unwrap_or(Span::Machine),
        free_before: supply.of_part(machine, choice.part),
        others,
        others_with_room,
        too_narrow,
        kind: kind_name(&group).filter(|_| several),
        kinds_without_room,
        runs: cores.windows(2).filter(|pair| pair[1] != pair[0] + 1).count() as u32 + 1,
        memory: memory_place(machine, cores),
    }
}

fn memory_place(machine: &Machine, cores: &[u32]) -> MemoryPlace {
    if machine.cells.iter().all(|cell| cell.has_memory) {
        return MemoryPlace::Usual;
    }
    let without = |core: &&u32| !machine.cell_of(**core as usize).has_memory;
    let remote: Vec<u32> = cores.iter().filter(without).copied().collect();
    if remote.is_empty() {
        return MemoryPlace::Local;
    }
    MemoryPlace::Remote(machine.numa_nodes_of(&remote))
}

impl Explanation {
    pub fn sentences(&self) -> Vec<String> {
        let mut stated = Vec::new();
        match (&self.kind, self.kinds_without_room.as_slice()) {
            (Some(kind), []) => stated.push(format!("The cores are of the kind '{kind}'.")),
            (Some(kind), without) => stated.push(format!(
                "The cores are of the kind '{kind}': the faster {} had no room.",
                without.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(" and ")
            )),
            (None, _) => {}
        }
        let narrower: Vec<String> =
            self.too_narrow.iter().map(|(span, most)| format!("one {span} ({most} at most)")).collect();
        if narrower.is_empty() {
            stated.push(format!("All of it is in {}.", self.part));
        } else {
            stated.push(format!(
                "It is spread over {}, since fewer cores than needed are free in {}.",
                self.part,
                narrower.join(" and in ")
            ));
        }
        if self.others > 0 {
            stated.push(match self.others_with_room {
                0 => format!("No other {} had room.", self.span),
                others => format!(
                    "{} had room; this one had {}, and none had fewer, so that large blocks stay whole.",
                    counted(others, &format!("other {}", self.span)),
                    counted(self.free_before, "free core")
                ),
            });
        }
        match &self.memory {
            MemoryPlace::Usual => {}
            MemoryPlace::Local => {
                stated
                    .push("Cores of NUMA nodes without memory that may be used were passed over.".to_owned());
            }
            MemoryPlace::Remote(nodes) => {
                let which = match nodes.as_slice() {
                    [] => "Some of its cores have no memory of their own".to_owned(),
                    [node] => format!("NUMA node {node} has no memory that may be used"),
                    nodes => {
                        let names: Vec<String> = nodes.iter().map(u32::to_string).collect();
                        format!("NUMA nodes {} have no memory that may be used", names.join(", "))
                    }
                };
                stated.push(format!(
                    "{which}, so memory is further away: fewer cores than needed are free where there is some."
                ));
            }
        }
        if self.runs > 1 {
            stated
                .push(format!("Its cores are in {} separate runs: no longer gap was free there.", self.runs));
        }
        stated
    }
}

impl Leases {
    /// Grants a request the best CPUs for it, see [`allocate`].
    ///
    /// # Panics
    /// Never, unless a core would have two owners.
    pub fn grant(&mut self, id: LeaseId, request: &Request) -> Result<&Lease, GrantError> {
        if self.get(&id).is_some() {
            return Err(GrantError::IdInUse(id));
        }
        let Placement { cpus, idle, memory_nodes, cores, .. } = allocate(self, request)?;
        let lease =
            Lease { id, request: *request, cpus, idle, memory_nodes, memory: Bytes(0), pinned: false, cores };
        let slot = self.enter(lease);
        Ok(self.at(slot))
    }

    /// Counts the cores of a group that a request could use, by cell.
    pub(crate) fn supply(&self, request: &Request, group: &Group) -> Supply {
        Supply::new(
            self.machine(),
            |cell| if self.may_use(request, group, cell) { self.free[cell] } else { 0 },
        )
    }

    /// Returns whether a request may have cores of a cell.
    pub(crate) fn may_use(&self, request: &Request, group: &Group, at: usize) -> bool {
        let cell = &self.machine().cells[at];
        let barred = match request.class {
            Class::Compute => false,
            Class::MemoryBound { per_l3_max } => self.neighbours[cell.cache].bar(per_l3_max.get()),
        };
        group.has(cell) && request.numa_node.is_none_or(|node| cell.numa_node == Some(node)) && !barred
    }

    /// Picks free cores of each cell, neighbours together; ascending.
    pub(crate) fn pick(&self, counts: &[(usize, u32)]) -> Vec<u32> {
        let mut cores = Vec::with_capacity(counts.iter().map(|(_, count)| *count as usize).sum());
        for (cell, count) in counts {
            let range = self.machine().cells[*cell].cores.clone();
            if *count == self.free[*cell] {
                cores.extend(range.filter(|core| self.is_free(*core)).map(|core| core as u32));
            } else {
                runs::take(range, *count as usize, |core| self.is_free(core), &mut cores);
            }
        }
        cores.sort_unstable();
        cores
    }
}
