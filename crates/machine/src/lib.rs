//! Writes: the lease registry, CPU partitions, and settings with the record that brings them back.

mod affinity;
mod latency;
mod lease;
mod pace;
pub mod tune;

pub use affinity::{allowed_cpus, stay_on};
pub use latency::WakefulCpus;
pub use lease::{CpuLease, Holder, LeaseError, Owner, Registry};
pub use pace::BestPace;
