//! Who owns the host's CPUs.

use machine::{CpuLease, Holder, LeaseError, QuietCpus, Registry, Ticket};
use model::{CpuSet, Topology};
use sched::Request;
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Whoever owns the host's CPUs and says which of us times where.
pub trait HostCpus: fmt::Debug + Send + Sync {
    /// Returns the machine's topology, with the CPUs that this process may use.
    fn topology(&self) -> &Topology;

    /// Returns what of the machine's own description was left out.
    fn warnings(&self) -> &[String];

    /// Leases so many CPUs.
    ///
    /// # Errors
    /// When the machine has not so many, others hold them, or nobody can be asked.
    fn take(&self, count: NonZeroU32) -> Result<CpuLease, LeaseError>;

    /// Leases these CPUs with their siblings.
    ///
    /// # Errors
    /// When others hold one of them, or nobody can be asked.
    fn take_these(&self, cpus: &CpuSet) -> Result<CpuLease, LeaseError>;

    /// Leases those of some CPUs that nobody holds.
    ///
    /// # Errors
    /// When nobody can be asked.
    fn take_free(&self, cpus: &CpuSet) -> Result<Vec<CpuLease>, LeaseError>;

    /// Lists who holds what at present, in this process or another.
    ///
    /// # Errors
    /// When nobody can be asked.
    fn holders(&self) -> Result<Vec<Holder>, LeaseError>;

    /// Takes a place in the queue for these CPUs, or for any; none where there is no queue, and whoever asks first has them.
    ///
    /// # Errors
    /// When nobody can be asked.
    fn queue(&self, cpus: Option<&CpuSet>) -> Result<Option<Ticket>, LeaseError>;

    /// Returns whether others than timed runs can be on these CPUs: they cannot where they are an isolated partition.
    fn is_open(&self, cpus: &CpuSet) -> bool;

    /// Keeps the kernel's own work off leased CPUs; none where that is not for us to do.
    fn keep_quiet(&self, cpus: &CpuSet) -> Option<QuietCpus>;
}

/// Returns the owner of the CPUs of this machine.
///
/// # Errors
/// When its topology cannot be read.
pub fn host_cpus() -> Result<Arc<dyn HostCpus>, LeaseError> {
    Ok(Arc::new(Registry::here()?))
}

/// All processes of ours on a machine agree by files.
impl HostCpus for Registry {
    fn topology(&self) -> &Topology {
        self.topology()
    }

    fn warnings(&self) -> &[String] {
        self.warnings()
    }

    fn take(&self, count: NonZeroU32) -> Result<CpuLease, LeaseError> {
        self.take(&Request::timed(count))
    }

    fn take_these(&self, cpus: &CpuSet) -> Result<CpuLease, LeaseError> {
        self.take_these(cpus)
    }

    fn take_free(&self, cpus: &CpuSet) -> Result<Vec<CpuLease>, LeaseError> {
        self.take_free(cpus)
    }

    fn holders(&self) -> Result<Vec<Holder>, LeaseError> {
        self.holders()
    }

    fn queue(&self, cpus: Option<&CpuSet>) -> Result<Option<Ticket>, LeaseError> {
        self.queue(cpus).map(Some)
    }

    fn is_open(&self, cpus: &CpuSet) -> bool {
        machine::may_be_on(cpus)
    }

    fn keep_quiet(&self, cpus: &CpuSet) -> Option<QuietCpus> {
        Some(QuietCpus::hold(self, cpus))
    }
}
