//! Writes: the lease registry and CPU partitions.

mod lease;

pub use lease::{CpuLease, LeaseError};
