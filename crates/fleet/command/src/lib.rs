//! The commands about fleets: policies, and fleets in virtual time.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod policy;
pub mod sim;
