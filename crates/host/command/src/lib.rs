//! The commands about this machine: what works on it, its settings, its CPUs.
//!
//! # Files
//!
//! `machine.rs` and `machine/` are `tauto machine`, `doctor.rs` is `tauto doctor`; `arguments/` has their options and
//! those about leases, `emulator.rs` is the emulator that counts instructions, `baseline.rs` what is usual on this machine.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod baseline;
pub mod doctor;
mod emulator;
pub mod here;
mod judged;
pub mod machine;
mod meaning;
pub mod wire;

pub use emulator::emulator;
pub use meaning::{meaning, of_sandbox};
