//! The commands about fleets: policies, and fleets in virtual time.
//!
//! # Files
//!
//! `policy.rs` is `tauto policy`, `sim.rs` and `sim/` are `tauto sim`, `arguments/` has their options.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod policy;
pub mod sim;
