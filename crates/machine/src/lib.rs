//! Writes: the lease registry and CPU partitions.

mod latency;
mod lease;

pub use latency::WakefulCpus;
mod affinity;
mod lease;

pub use affinity::{allowed_cpus, stay_on};
pub use lease::{CpuLease, LeaseError};
