//! Changes the machine: the lease registry, what is kept off leased CPUs, and settings with the record that restores
//! them.

#![forbid(unsafe_code)]

mod affinity;
mod latency;
mod lease;
mod pace;
mod quiet;
pub mod tune;

pub use affinity::{allowed_cpus, may_be_on, stay_on};
pub use lease::{CpuLease, Holder, LeaseError, Owner, Registry, Ticket, Waiter};
pub use pace::BestPace;
pub use quiet::{QuietCpus, QuietError};
