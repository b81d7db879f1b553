//! The owner of the host's CPUs.

use allocator::Request;
use cpus::{CpuLease, Holder, LeaseError, QuietCpus, Registry, Ticket};
use model::{CpuSet, Topology};
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

/// The owner of the host's CPUs, which assigns CPUs to timed runs.
pub trait HostCpus: fmt::Debug + Send + Sync {
    fn topology(&self) -> &Topology;

    fn warnings(&self) -> &[String];

    fn take(&self, count: NonZeroU32) -> Result<CpuLease, LeaseError>;

    /// Leases these CPUs with their siblings.
    fn take_these(&self, cpus: &CpuSet) -> Result<CpuLease, LeaseError>;

    fn take_free(&self, cpus: &CpuSet) -> Result<Vec<CpuLease>, LeaseError>;

    fn holders(&self) -> Result<Vec<Holder>, LeaseError>;

    /// Takes a place in the queue for these CPUs, or for any; `None` if there is no queue and the first to ask gets
    /// them.
    fn queue(&self, cpus: Option<&CpuSet>) -> Result<Option<Ticket>, LeaseError>;

    /// Returns whether processes other than timed runs can use these CPUs: they cannot if these are an isolated
    /// partition.
    fn is_open(&self, cpus: &CpuSet) -> bool;

    /// Keeps the kernel's own work off leased CPUs; `None` if this process is not responsible for that.
    fn keep_quiet(&self, cpus: &CpuSet) -> Option<QuietCpus>;
}

pub fn host_cpus() -> Result<Arc<dyn HostCpus>, LeaseError> {
    Ok(Arc::new(Registry::here()?))
}

/// All processes of tauto's on a machine coordinate through files.
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
        cpus::may_be_on(cpus)
    }

    fn keep_quiet(&self, cpus: &CpuSet) -> Option<QuietCpus> {
        Some(QuietCpus::hold(self, cpus))
    }
}
