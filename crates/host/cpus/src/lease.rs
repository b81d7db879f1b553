//! Which process uses which CPUs for timed runs.
//!
//! A lease is a locked file for each of its CPUs, so it ends with its owner, however that ends. The text in a file
//! names the owner, for messages and for choosing. One more lock is held while choosing, so that of two processes that
//! choose at once the second sees the first one's choice. Processes with another folder see the lease as
//! [claims](elsewhere). The process that starts the lease's runs has these open, too: if the owner is killed, the CPUs
//! stay claimed until its run has ended.

mod elsewhere;
mod holder;
mod queue;
#[cfg(test)]
mod tests;

pub(crate) use elsewhere::MovedWork;
pub use holder::{Holder, Owner};
pub use queue::{Ticket, Waiter};

use allocator::{Class, LeaseId, Leases, Machine, NoFit, Recorded, Request, Span};
use cgroup::{CgroupError, Claim, ClaimPlace, Claimable, own_file};
use holder::{held, list};
use model::{CpuId, CpuSet, Topology};
use rustix::fs::FlockOperation;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use topology::Described;

/// Choosing takes some milliseconds; a process that was stopped in the middle of it must not block all others.
const CHOOSING_TIME_MAX: Duration = Duration::from_secs(5);
/// The owner's text is about a hundred bytes.
const OWNER_BYTES_MAX: u64 = 4 << 10;

#[derive(Clone, Debug)]
pub struct Registry {
    folder: PathBuf,
    topology: Topology,
    housekeeping: CpuSet,
    /// Parts of the topology's description that were ignored as implausible.
    warnings: Vec<String>,
    is_memory_known: bool,
    /// Where leases are claimed; `None` for a private registry.
    claims: Option<ClaimPlace>,
    /// Why there is no such place although the registry is not private.
    no_claims: Option<String>,
}

/// CPUs that no other process of tauto's uses for timed runs as long as this exists.
#[derive(Debug)]
pub struct CpuLease {
    cpus: CpuSet,
    idle: CpuSet,
    memory_nodes: Vec<u32>,
    warnings: Vec<String>,
    reasons: Vec<String>,
    // Before the files, so that a claim without a locked file is never that of a lease that is about to end.
    claim: Option<Arc<Claim>>,
    _locks: Vec<File>,
}

#[derive(Debug)]
pub(crate) struct Choosing {
    _claim: Option<Claim>,
    _file: File,
}

#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    #[error("cannot write the lease registry {path}")]
    Registry { path: PathBuf, source: io::Error },
    #[error("{0}")]
    Claims(#[source] CgroupError),
    #[error("the lease registry {0} has been locked for 5 s; is a tauto process stopped in the middle?")]
    Busy(PathBuf),
    #[error("{0}")]
    Topology(#[source] topology::TopologyError),
    #[error("cannot lease CPUs of this machine")]
    Machine(#[from] allocator::MachineError),
    #[error("{wanted} CPUs were requested, but only {allowed} are allowed to this process (see 'nproc')")]
    TooMany { wanted: usize, allowed: usize },
    #[error("{}{}", .0, held(.1))]
    NoFit(Box<NoFit>, Vec<Holder>),
    #[error("others have {}{}", cpus.named(), held(.holders))]
    Taken { cpus: CpuSet, holders: Vec<Holder> },
    #[error("others wait for CPUs already: {}", list(.0))]
    Queued(Vec<Waiter>),
}

impl LeaseError {
    /// Returns whether others hold the CPUs, so that waiting may help.
    pub fn is_taken(&self) -> bool {
        match self {
            Self::NoFit(_, holders) => !holders.is_empty(),
            Self::Taken { .. } | Self::Queued(_) => true,
            _ => false,
        }
    }
}

impl Registry {
    pub const FOLDER: &str = "/run/tauto";

    /// Makes the registry in `folder` for a machine. The lowest core is left to everything that is not timed: the
    /// kernel and most devices have their interrupts there.
    pub fn new(folder: impl Into<PathBuf>, topology: Topology) -> Self {
        let cores = topology.cores.iter().filter(|core| core.cpus.is_subset(&topology.allowed));
        let lowest = cores.clone().min_by_key(|core| core.cpus.first());
        let housekeeping = lowest.filter(|_| cores.count() > 1).map(|core| core.cpus.clone());
        Self {
            folder: folder.into(),
            topology,
            housekeeping: housekeeping.unwrap_or_default(),
            warnings: Vec::new(),
            is_memory_known: true,
            claims: None,
            no_claims: None,
        }
    }

    pub fn of_described(folder: impl Into<PathBuf>, described: Described) -> Self {
        let Described { topology, warnings, is_memory_known } = described;
        Self { warnings, is_memory_known, ..Self::new(folder, topology) }
    }

    pub fn here() -> Result<Self, LeaseError> {
        Ok(Self::here_in(Self::FOLDER)?.on_this_machine())
    }

    /// Makes a private registry of the machine that this process runs on; processes that use another folder do not see
    /// it.
    pub fn here_in(folder: impl Into<PathBuf>) -> Result<Self, LeaseError> {
        let described = topology::read(&topology::Source::here()).map_err(LeaseError::Topology)?;
        Ok(Self::of_described(folder, described))
    }

    /// Returns which parts of the machine's description were ignored when its topology was read.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    pub fn housekeeping(&self) -> &CpuSet {
        &self.housekeeping
    }

    /// Leases CPUs for the request. If they are not available without the housekeeping core, that core is used too,
    /// with a warning.
    pub fn take(&self, request: &Request) -> Result<CpuLease, LeaseError> {
        let (wanted, allowed) = (request.cpus.get() as usize, self.topology.allowed.len());
        if wanted > allowed {
            return Err(LeaseError::TooMany { wanted, allowed });
        }
        let _choosing = self.choose()?;
        self.check_queue(None)?;
        let holders = self.holders()?;
        let placed = match allocator::allocate(&self.leases(&self.housekeeping, &holders)?, request) {
            Ok(placement) => Ok((placement, Vec::new())),
            Err(no_fit) => match allocator::allocate(&self.leases(&CpuSet::new(), &holders)?, request) {
                Ok(placement) => {
                    let kept = self.housekeeping.named();
                    let warning = format!("no core is left for everything else: the lease has {kept} too");
                    Ok((placement, vec![warning]))
                }
                // When every core was considered, the error names the holders.
                Err(all_cores) if !holders.is_empty() => Err(all_cores),
                Err(_) => Err(no_fit),
            },
        };
        let (placement, mut warnings) = placed.map_err(|no_fit| LeaseError::NoFit(no_fit, holders))?;
        let all: CpuSet = placement.cpus.iter().chain(placement.idle.iter()).collect();
        let _locks = self.lock(&all)?;
        let (claim, warning) = self.claim_cpus(&all)?;
        warnings.extend(warning);
        Ok(CpuLease {
            _locks,
            claim: claim.map(Arc::new),
            reasons: placement.explanation.sentences(),
            cpus: placement.cpus,
            idle: placement.idle,
            memory_nodes: self.believed(placement.memory_nodes),
            warnings,
        })
    }

    /// Leases these CPUs with their siblings, exclusively.
    pub fn take_these(&self, cpus: &CpuSet) -> Result<CpuLease, LeaseError> {
        let _choosing = self.choose()?;
        self.check_queue(Some(cpus))?;
        let all = self.topology.whole_cores(cpus);
        let holders: Vec<Holder> =
            self.holders()?.into_iter().filter(|holder| !holder.cpus.intersection(&all).is_empty()).collect();
        if !holders.is_empty() {
            let held: CpuSet = holders.iter().flat_map(|holder| holder.cpus.iter()).collect();
            let cpus = held.intersection(&all);
            return Err(LeaseError::Taken { cpus, holders });
        }
        let _locks = self.lock(&all)?;
        let (claim, warning) = self.claim_cpus(&all)?;
        Ok(CpuLease {
            _locks,
            claim: claim.map(Arc::new),
            idle: all.difference(cpus),
            cpus: cpus.clone(),
            memory_nodes: self.believed(self.topology.numa_nodes_of(cpus)),
            warnings: warning.into_iter().collect(),
            reasons: vec![format!("{} were requested by number", cpus.named())],
        })
    }

    pub fn take_free(&self, cpus: &CpuSet) -> Result<Vec<CpuLease>, LeaseError> {
        let mut leases: Vec<CpuLease> = Vec::new();
        for cpu in cpus.iter() {
            // It may already be leased as the sibling of an earlier CPU.
            if leases.iter().any(|lease| lease.idle.contains(cpu)) {
                continue;
            }
            match self.take_these(&CpuSet::from_iter([cpu])) {
                Ok(lease) => leases.push(lease),
                Err(LeaseError::Taken { .. } | LeaseError::Queued(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(leases)
    }

    fn check_queue(&self, cpus: Option<&CpuSet>) -> Result<(), LeaseError> {
        let before = self.before_us(cpus)?;
        if before.is_empty() { Ok(()) } else { Err(LeaseError::Queued(before)) }
    }

    /// Waits until no process holds one of these CPUs. Another process may take them right afterwards: only a lease
    /// reserves them.
    pub fn wait_for(&self, cpus: &CpuSet) -> Result<(), LeaseError> {
        for cpu in self.topology.whole_cores(cpus).iter() {
            let path = self.path(cpu);
            let waited = match own_file::open(&path) {
                Ok(file) => rustix::io::retry_on_intr(|| {
                    // Shared and released at once: a process that leases the CPU waits some seconds for it.
                    rustix::fs::flock(&file, FlockOperation::LockShared)
                })
                .map_err(io::Error::from),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                Err(error) => Err(error),
            };
            waited.map_err(|source| LeaseError::Registry { path, source })?;
            self.wait_for_claim(cpu)?;
        }
        Ok(())
    }

    pub fn holders(&self) -> Result<Vec<Holder>, LeaseError> {
        let mut holders: Vec<Holder> = Vec::new();
        for cpu in self.topology.cpus().iter() {
            let path = self.path(cpu);
            let failed = |source| LeaseError::Registry { path: path.clone(), source };
            let file = match own_file::open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            // Shared, so that two readers do not take each other for holders.
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockShared) {
                Ok(()) => continue,
                Err(rustix::io::Errno::WOULDBLOCK) => {}
                Err(error) => return Err(failed(error.into())),
            }
            let owner: Option<Owner> = owner_in(file);
            match holders.iter_mut().find(|holder| owner.is_some() && holder.owner == owner) {
                Some(holder) => {
                    holder.cpus.insert(cpu);
                }
                None => holders.push(Holder { cpus: CpuSet::from_iter([cpu]), owner }),
            }
        }
        self.add_holders_elsewhere(&mut holders)?;
        Ok(holders)
    }

    pub fn leases(&self, housekeeping: &CpuSet, holders: &[Holder]) -> Result<Leases, LeaseError> {
        let mut leases = Leases::new(Arc::new(Machine::new(&self.topology, housekeeping)?));
        for (number, holder) in holders.iter().enumerate() {
            // Cores that the allocator never grants, or that another holder shares, need no second entry.
            let kept = |cpu: &CpuId| leases.holder_of(*cpu).is_none() && self.topology.allowed.contains(*cpu);
            let cpus: CpuSet =
                holder.cpus.iter().filter(kept).filter(|cpu| !housekeeping.contains(*cpu)).collect();
            if cpus.is_empty() {
                continue;
            }
            let name = match &holder.owner {
                Some(owner) => format!("process {} ({})", owner.pid, number + 1),
                None => format!("unknown ({})", number + 1),
            };
            // This fails for a core that is allowed only in part, which the allocator cannot grant anyway.
            let _ = leases.record(Recorded {
                id: LeaseId::new(&name),
                cpus,
                class: Class::Compute,
                within: Span::Machine,
                memory: model::Bytes(0),
                pinned: true,
            });
        }
        Ok(leases)
    }

    /// Returns no nodes if it is not known which one is near: a run that is bound to the wrong node cannot use the
    /// memory of the others.
    fn believed(&self, memory_nodes: Vec<u32>) -> Vec<u32> {
        if self.is_memory_known { memory_nodes } else { Vec::new() }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn choose(&self) -> Result<Choosing, LeaseError> {
        fs::create_dir_all(&self.folder)
            .map_err(|source| LeaseError::Registry { path: self.folder.clone(), source })?;
        let path = self.folder.join("leases.lock");
        let failed = |source| LeaseError::Registry { path: path.clone(), source };
        let file = own_file::make(&path).map_err(failed)?;
        self.lock_soon(&file, &path)?;
        // Without the right to claim, only processes with the same folder are waited for.
        let claim = self.claim().0;
        claim.as_ref().map_or(Ok(()), |claim| self.claim_soon(claim, Claimable::Choosing))?;
        Ok(Choosing { _claim: claim, _file: file })
    }

    fn lock_soon(&self, file: &File, path: &Path) -> Result<(), LeaseError> {
        let start = Instant::now();
        while let Err(error) = rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
            if error != rustix::io::Errno::WOULDBLOCK {
                return Err(LeaseError::Registry { path: path.to_owned(), source: error.into() });
            }
            if start.elapsed() > CHOOSING_TIME_MAX {
                return Err(LeaseError::Busy(self.folder.clone()));
            }
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Locks the files of CPUs that no process holds. A reader may hold one for a moment.
    fn lock(&self, cpus: &CpuSet) -> Result<Vec<File>, LeaseError> {
        let owner = Owner::this_process();
        let text = serde_json::to_string(&owner).unwrap_or_default();
        let mut locks = Vec::with_capacity(cpus.len());
        for cpu in cpus.iter() {
            let path = self.path(cpu);
            let failed = |source| LeaseError::Registry { path: path.clone(), source };
            let mut file = own_file::make(&path).map_err(failed)?;
            self.lock_soon(&file, &path)?;
            file.set_len(0).and_then(|()| file.write_all(text.as_bytes())).map_err(failed)?;
            locks.push(file);
        }
        Ok(locks)
    }

    fn path(&self, cpu: CpuId) -> PathBuf {
        self.folder.join(format!("cpu-{cpu}.lock"))
    }
}

impl CpuLease {
    /// Makes a lease of CPUs that another component has assigned to this process and reserves for it: it has no files.
    pub fn assigned(cpus: CpuSet, memory_nodes: Vec<u32>) -> Self {
        Self {
            reasons: vec![format!("{} assigned by another component", cpus.named())],
            cpus,
            idle: CpuSet::new(),
            memory_nodes,
            warnings: Vec::new(),
            claim: None,
            _locks: Vec::new(),
        }
    }

    pub fn cpus(&self) -> &CpuSet {
        &self.cpus
    }

    /// Returns all CPUs of the lease, the siblings that are to stay idle included.
    pub fn whole_cores(&self) -> CpuSet {
        self.cpus.iter().chain(self.idle.iter()).collect()
    }

    /// Returns the kernel's numbers of the NUMA nodes nearest to them; empty where they are not known.
    pub fn memory_nodes(&self) -> &[u32] {
        &self.memory_nodes
    }

    /// Returns the claim on them, which outlasts the lease where another process has it open; `None` where there is none.
    pub fn claim(&self) -> Option<Arc<Claim>> {
        self.claim.clone()
    }

    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    pub fn reasons(&self) -> &[String] {
        &self.reasons
    }
}

/// Reads the owner of a locked file; `None` if it is not written yet or unreadable.
fn owner_in<T: DeserializeOwned>(file: File) -> Option<T> {
    let mut text = String::new();
    file.take(OWNER_BYTES_MAX).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}
