//! Writes: the lease registry and CPU partitions.

mod affinity;
mod latency;
mod lease;

pub use affinity::{allowed_cpus, stay_on};
pub use latency::WakefulCpus;
pub use lease::{CpuLease, LeaseError};
