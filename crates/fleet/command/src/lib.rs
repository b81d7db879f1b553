//! The commands about fleets: pools of judgehosts on Kubernetes, policies, and fleets in virtual time.
//!
//! # Files
//!
//! `fleet.rs` and `fleet/` are `tauto fleet`, `policy.rs` is `tauto policy`, `sim.rs` and `sim/` are `tauto sim`, `arguments/` has their options.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod fleet;
pub mod policy;
pub mod sim;
