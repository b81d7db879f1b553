//! The commands about this machine: what works on it, its settings, its CPUs.
//!
//! # Files
//!
//! `machine.rs` and `machine/` are `tauto machine`, `doctor.rs` is `tauto doctor`; `arguments/` has their options and
//! those about leases, `counter.rs` finds what counts instructions, `machines.rs` what virtual machines need, `baseline.rs` what is usual on this machine.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod baseline;
mod counter;
pub mod doctor;
pub mod here;
mod judged;
pub mod machine;
pub mod machines;
mod meaning;
pub mod wire;

pub use counter::counter;
pub use meaning::{meaning, of_sandbox};
