//! Changes the machine: the lease registry, what is kept off leased CPUs, and settings with the record that restores
//! them.
//!
//! # Files
//!
//! `lease.rs`: a locked file for each CPU in `/run/tauto`, the highest numbers first, since the lowest serve most
//! interrupts; `lease/elsewhere.rs` claims the same CPUs in the control groups' tree. `tune/`: `plan.rs` is what would
//! be written, `apply.rs` writes it, `record.rs` is the journal of the previous values, `restore.rs` restores them.
//! `pace.rs`: the best contention-probe reading of each CPU. `quiet.rs`: keeps movable kernel work off leased CPUs,
//! `quiet/record.rs` records where it was before.
//!
//! # Invariants
//!
//! - The journal has a setting's previous value on disk before the setting is written, and the record has the position
//!   of an interrupt or thread before it is moved. So everything can be restored after a crash between any two writes.

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
