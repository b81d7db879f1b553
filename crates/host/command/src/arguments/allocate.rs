//! Arguments of `tauto machine allocate`.

use clap::{Args, ValueEnum};
use model::CpuSet;
use std::num::NonZeroU32;
use std::path::PathBuf;
use terminal::values::cpu_list;

pub const ALLOCATE_EXAMPLES: &str = "\
Nothing is leased and nothing is moved. Without --from, --leased and --state the answer is for \
this machine as it is now, with the CPUs that tauto processes hold.

Exit code: 0 if the CPUs would be granted (with --defragment: now, or after the moves), 1 if not, 2 wrong usage \
or input, 3 internal or system error.

Examples:
  tauto machine allocate --cpus 1
  tauto machine allocate --cpus 4 --from server.xml --leased 0-2 --leased db=8-11
  tauto machine allocate --cpus 4 --within l3 --state leases.json --defragment --svg moves.svg
  tauto machine allocate --defragment --state leases.json --json";

// Options of `tauto machine allocate`.
#[derive(Debug, Args)]
pub struct AllocateArguments {
    /// How many CPUs; without it, only moves that make scattered leases compact
    #[arg(long, value_name = "N", required_unless_present = "defragment")]
    pub cpus: Option<NonZeroU32>,
    /// What happens to the SMT siblings of the CPUs
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = AllocateSiblings::Idle)]
    pub siblings: AllocateSiblings,
    /// What the run does to its neighbours
    #[arg(long, value_enum, value_name = "CLASS", default_value_t = AllocateClass::Compute)]
    pub class: AllocateClass,
    /// How many memory-bound leases, this one included, may be in its L3 domain
    #[arg(long, value_name = "N", default_value = "1")]
    pub neighbours: NonZeroU32,
    /// The kind of core on a machine with several, such as cpu_core; by default the fastest that has room
    #[arg(long, value_name = "NAME")]
    pub kind: Option<String>,
    /// The NUMA node it must be on
    #[arg(long, value_name = "N")]
    pub numa_node: Option<u32>,
    /// The largest part of the machine over which the CPUs may be distributed
    #[arg(long, value_enum, value_name = "PART", default_value_t = AllocateSpan::Machine)]
    pub within: AllocateSpan,
    /// Join this shared set of the state instead of getting exclusive CPUs
    #[arg(long, value_name = "LEASE", requires = "cpus", requires = "state",
          conflicts_with_all = ["siblings", "class", "neighbours", "kind", "numa_node", "within", "defragment"])]
    pub join: Option<String>,
    /// Weight against the others of a shared set
    #[arg(long, value_name = "N", default_value = "100", requires = "join")]
    pub weight: NonZeroU32,

    /// Use a recorded machine: a folder, a .tar, .tar.gz or .tar.bz2, or hwloc's XML
    #[arg(long, value_name = "TREE|XML", help_heading = "Machine and leases")]
    pub from: Option<PathBuf>,
    /// CPUs that are leased already, such as 4-7 or db=4-7; can be repeated
    #[arg(long, value_name = "[NAME=]LIST", value_parser = leased, help_heading = "Machine and leases")]
    pub leased: Vec<(Option<String>, CpuSet)>,
    /// Leases, kept CPUs and history from a file (docs/allocation.md)
    #[arg(long, value_name = "FILE.json", help_heading = "Machine and leases")]
    pub state: Option<PathBuf>,
    /// CPUs kept for everything that is not timed; their cores are not leased
    #[arg(long, value_name = "LIST", value_parser = cpu_list, help_heading = "Machine and leases")]
    pub housekeeping: Option<CpuSet>,

    /// Plan moves of leases to make room
    #[arg(long, help_heading = "Moves and drawing")]
    pub defragment: bool,
    /// Maximum number of moves
    #[arg(
        long,
        value_name = "N",
        default_value_t = 32,
        requires = "defragment",
        help_heading = "Moves and drawing"
    )]
    pub moves: u32,
    /// Maximum total cost of the moves, in points (docs/allocation.md)
    #[arg(long, value_name = "POINTS", requires = "defragment", help_heading = "Moves and drawing")]
    pub price: Option<u64>,
    /// Draw into this file which lease has which core, over the state's history or move by move
    #[arg(long, value_name = "FILE", help_heading = "Moves and drawing")]
    pub svg: Option<PathBuf>,
}

/// What happens to SMT siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AllocateSiblings {
    /// They are leased too and stay idle: each CPU is a whole core
    Idle,
    /// They count as CPUs
    Used,
}

/// What a run does to its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AllocateClass {
    /// It computes in its own caches
    Compute,
    /// It slows, and is slowed by, others of this class that share its L3 cache
    MemoryBound,
}

/// How far CPUs may be apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AllocateSpan {
    /// One L3 cache
    L3,
    /// One NUMA node
    NumaNode,
    /// One die
    Die,
    /// One package
    Package,
    /// Anywhere
    Machine,
}

impl From<AllocateSpan> for allocator::Span {
    fn from(span: AllocateSpan) -> Self {
        match span {
            AllocateSpan::L3 => Self::L3Domain,
            AllocateSpan::NumaNode => Self::NumaNode,
            AllocateSpan::Die => Self::Die,
            AllocateSpan::Package => Self::Package,
            AllocateSpan::Machine => Self::Machine,
        }
    }
}

fn leased(text: &str) -> Result<(Option<String>, CpuSet), String> {
    match text.split_once('=') {
        Some(("", _)) => Err("the name before '=' is empty; write for example db=4-7".to_owned()),
        Some((name, list)) => Ok((Some(name.to_owned()), cpu_list(list)?)),
        None => Ok((None, cpu_list(text)?)),
    }
}
