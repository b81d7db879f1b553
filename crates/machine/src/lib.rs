//! Writes: the lease registry and CPU partitions.

mod latency;
mod lease;

pub use latency::WakefulCpus;
pub use lease::{CpuLease, LeaseError};
