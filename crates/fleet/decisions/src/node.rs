//! Which cores of a node a container gets.

use crate::{Desk, Refusal};
use allocator::defragment::{Limits, Plan, Prices, gather, make_room};
use allocator::{
    Class, Lease, LeaseId, Leases, Machine, Recorded, Request as CoreRequest, Siblings, Span, Standing,
    allocate,
};
use model::{Bytes, CpuSet};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use std::sync::Arc;

/// What happens to a node, and what it is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// The node's machine; leases that were granted on another are gone.
    Machine {
        /// Its topology as hwloc writes it; by default that of this machine.
        #[serde(default)]
        hwloc_xml: Option<String>,
        /// CPUs that are never leased, as in `0-1`: at least one, so that what shares always has some.
        reserved: String,
    },
    /// Asks for whole cores for a container.
    Grant(Wish),
    /// A container that has CPUs already, as after a restart.
    Record {
        id: String,
        cpus: String,
        #[serde(default)]
        within: Within,
        #[serde(default)]
        memory_bytes: u64,
        #[serde(default)]
        may_move: bool,
    },
    /// A container has ended.
    Release {
        id: String,
    },
    /// Asks which containers should change their cores so that each is compact. They count where they should go.
    Compact {
        moves_max: u32,
    },
    /// Asks for better cores for a container, if others had none: nothing changes.
    Better {
        id: String,
    },
    State {},
}

/// A container's request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// A name that no other container has.
    pub id: String,
    pub cpus: NonZeroU32,
    #[serde(default)]
    pub siblings: Use,
    #[serde(default)]
    pub within: Within,
    #[serde(default)]
    pub memory_bytes: u64,
    /// Whether it may be moved to other cores while it runs.
    #[serde(default)]
    pub may_move: bool,
    /// How many others that may be moved may change their cores to make room.
    #[serde(default)]
    pub moves_max: u32,
}

/// How SMT siblings are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// They stay idle: each CPU is a whole core.
    #[default]
    Idle,
    /// They count as CPUs.
    Used,
}

/// The widest part of the machine over which cores may be spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Within {
    L3Domain,
    NumaNode,
    Die,
    Package,
    #[default]
    Machine,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    Done {},
    Granted(Grant),
    Moves {
        moves: Vec<Step>,
        /// What the moves cost together, in points (docs/allocation.md).
        price: u64,
    },
    /// `null` if there are none.
    Better(Option<Grant>),
    State(State),
}

/// Cores of a container.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// CPUs to run on, as in `2-3`.
    pub cpus: String,
    /// Their siblings, which nothing else uses.
    pub idle: String,
    /// NUMA nodes for its memory.
    pub memory_nodes: Vec<u32>,
    /// Why there, a sentence each.
    pub reasons: Vec<String>,
    /// Others that change their cores before, in this order.
    pub moves: Vec<Step>,
}

/// A container that changes its cores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Step {
    pub id: String,
    pub to: String,
    pub memory_nodes: Vec<u32>,
    /// Its price, in points.
    pub price: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct State {
    /// CPUs of those containers that have none of their own.
    pub shared: String,
    /// CPUs that are never leased, with their siblings.
    pub reserved: String,
    pub free_cores: u32,
    pub leases: Vec<Held>,
}

/// Cores that a container has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Held {
    pub id: String,
    pub cpus: String,
    pub idle: String,
    pub memory_nodes: Vec<u32>,
}

/// A node's cores, and who has them.
#[derive(Default)]
pub struct Node {
    of: Option<Of>,
}

struct Of {
    leases: Leases,
    /// All CPUs that may be used, leased or not.
    all: CpuSet,
    reserved: CpuSet,
}

/// A name longer than this is no container's.
const ID_BYTES_MAX: usize = 1024;

impl From<Within> for Span {
    fn from(within: Within) -> Self {
        match within {
            Within::L3Domain => Self::L3Domain,
            Within::NumaNode => Self::NumaNode,
            Within::Die => Self::Die,
            Within::Package => Self::Package,
            Within::Machine => Self::Machine,
        }
    }
}

impl Desk for Node {
    type Request = Request;
    type Answer = Answer;

    fn answer(&mut self, request: Request) -> Result<Answer, Refusal> {
        if let Request::Machine { hwloc_xml, reserved } = request {
            self.of = Some(Of::new(hwloc_xml.as_deref(), &reserved)?);
            return Ok(Answer::Done {});
        }
        let of = self.of.as_mut().ok_or("the machine was not named yet; send 'machine' first")?;
        match request {
            Request::Machine { .. } => Ok(Answer::Done {}),
            Request::Grant(wish) => of.grant(wish).map(Answer::Granted),
            Request::Record { id, cpus, within, memory_bytes, may_move } => of.record(Recorded {
                id: lease_id(&id)?,
                cpus: cpu_list(&cpus)?,
                class: Class::Compute,
                within: within.into(),
                memory: Bytes(memory_bytes),
                pinned: !may_move,
            }),
            Request::Release { id } => {
                of.leases.release(&LeaseId::new(&id));
                Ok(Answer::Done {})
            }
            Request::Compact { moves_max } => {
                let limits = Limits { moves_max, price_max: u64::MAX };
                let plan = gather(&of.leases, &Prices::default(), limits);
                let price = plan.price;
                Ok(Answer::Moves { moves: of.carry_out(plan), price })
            }
            Request::Better { id } => of.better(&id),
            Request::State {} => Ok(Answer::State(of.state())),
        }
    }
}

impl Of {
    fn new(hwloc_xml: Option<&str>, reserved: &str) -> Result<Self, Refusal> {
        let reserved = cpu_list(reserved).map_err(|Refusal(why)| format!("reserved: {why}"))?;
        if reserved.is_empty() {
            return Err("reserved: no CPU; reserve at least one, so that containers without cores of their own have some".into());
        }
        let topology = match hwloc_xml {
            Some(xml) => topology::from_xml("hwloc_xml", xml),
            // What the caller itself may use says nothing about the containers.
            None => topology::read(&topology::Source::here()).map(|described| model::Topology {
                allowed: described.topology.cores.iter().flat_map(|core| core.cpus.iter()).collect(),
                allowed_numa_nodes: described.topology.numa_nodes.iter().map(|node| node.os_id).collect(),
                ..described.topology
            }),
        };
        let topology = topology.map_err(|error| error.to_string())?;
        let machine = Machine::new(&topology, &reserved).map_err(|error| error.to_string())?;
        let is_kept = |standing| standing == Standing::Housekeeping;
        let kept = machine.cores().filter(|(_, standing)| is_kept(*standing));
        let reserved = kept.flat_map(|(cpus, _)| cpus.iter().collect::<Vec<_>>()).collect();
        let all = machine.cores().filter(|(_, standing)| *standing != Standing::NotAllowed);
        let all = all.flat_map(|(cpus, _)| cpus.iter().collect::<Vec<_>>()).collect();
        Ok(Self { leases: Leases::new(Arc::new(machine)), all, reserved })
    }

    fn grant(&mut self, wish: Wish) -> Result<Grant, Refusal> {
        let Wish { id, cpus, siblings, within, memory_bytes, may_move, moves_max } = wish;
        let request = CoreRequest {
            siblings: match siblings {
                Use::Idle => Siblings::Idle,
                Use::Used => Siblings::Used,
            },
            within: within.into(),
            ..CoreRequest::timed(cpus)
        };
        let id = lease_id(&id)?;
        if self.leases.get(&id).is_some() {
            return Err(format!("'{id}' has cores already").into());
        }
        let mut moves = Vec::new();
        let placement = match allocate(&self.leases, &request) {
            Ok(placement) => placement,
            Err(no_fit) => {
                let refused = format!("{no_fit}; {}", no_fit.remedy());
                if moves_max == 0 {
                    return Err(refused.into());
                }
                let limits = Limits { moves_max, price_max: u64::MAX };
                let plan = make_room(&self.leases, &request, &Prices::default(), limits)
                    .map_err(|no_plan| format!("{refused}; {no_plan}"))?;
                moves = self.carry_out(plan);
                allocate(&self.leases, &request).map_err(|no_fit| no_fit.to_string())?
            }
        };
        self.leases.grant(id.clone(), &request).map_err(|error| error.to_string())?;
        self.leases.note(&id, Bytes(memory_bytes), !may_move);
        Ok(Grant {
            cpus: placement.cpus.to_string(),
            idle: placement.idle.to_string(),
            memory_nodes: placement.memory_nodes,
            reasons: placement.explanation.sentences(),
            moves,
        })
    }

    /// Makes the moves of a plan.
    fn carry_out(&mut self, plan: Plan) -> Vec<Step> {
        let moves = plan.moves.iter().map(|step| Step {
            id: step.lease.to_string(),
            to: step.to.to_string(),
            memory_nodes: plan
                .after
                .get(&step.lease)
                .map(|lease| lease.memory_nodes.clone())
                .unwrap_or_default(),
            price: step.price,
        });
        let moves = moves.collect();
        self.leases = plan.after;
        moves
    }

    fn record(&mut self, lease: Recorded) -> Result<Answer, Refusal> {
        self.leases.record(lease).map_err(|error| error.to_string())?;
        Ok(Answer::Done {})
    }

    /// Finds cores for a container as if it had none, and returns them if they are in a narrower part of the machine.
    fn better(&self, id: &str) -> Result<Answer, Refusal> {
        let id = LeaseId::new(id);
        let mut leases = self.leases.clone();
        let Some(lease) = leases.release(&id) else { return Err(format!("'{id}' has no cores").into()) };
        let limits = Limits { moves_max: 1, price_max: u64::MAX };
        // Another place is better if the container alone, once free to move, would be moved there.
        let mut alone = self.leases.clone();
        let others: Vec<Lease> = self.leases.iter().filter(|other| other.id != id).cloned().collect();
        others.iter().for_each(|other| {
            alone.note(&other.id, other.memory, true);
        });
        alone.note(&id, lease.memory, false);
        if gather(&alone, &Prices::default(), limits).moves.is_empty() {
            return Ok(Answer::Better(None));
        }
        let placement = allocate(&leases, &lease.request).map_err(|no_fit| no_fit.to_string())?;
        Ok(Answer::Better(Some(Grant {
            cpus: placement.cpus.to_string(),
            idle: placement.idle.to_string(),
            memory_nodes: placement.memory_nodes,
            reasons: placement.explanation.sentences(),
            moves: Vec::new(),
        })))
    }

    fn state(&self) -> State {
        let mut shared = self.all.clone();
        for lease in self.leases.iter() {
            shared = shared.difference(&lease.cpus).difference(&lease.idle);
        }
        let held = |lease: &Lease| Held {
            id: lease.id.to_string(),
            cpus: lease.cpus.to_string(),
            idle: lease.idle.to_string(),
            memory_nodes: lease.memory_nodes.clone(),
        };
        State {
            shared: shared.to_string(),
            reserved: self.reserved.to_string(),
            free_cores: self.leases.free_cores(),
            leases: self.leases.iter().map(held).collect(),
        }
    }
}

fn lease_id(id: &str) -> Result<LeaseId, Refusal> {
    if id.is_empty() || id.len() > ID_BYTES_MAX {
        return Err(format!("a container's name has {} bytes; expected 1 to {ID_BYTES_MAX}", id.len()).into());
    }
    Ok(LeaseId::new(id))
}

fn cpu_list(text: &str) -> Result<CpuSet, Refusal> {
    text.parse().map_err(|error| Refusal(format!("'{text}' is no list of CPUs such as 0-1: {error}")))
}
