//! What tests of several crates share: skips that are counted, waiting, archives, images and CPUs.

#![forbid(unsafe_code)]

mod archive;
mod cpus;
pub mod oci;
mod skips;
mod wait;

pub use archive::{Files, files_of, unzip, zip, zip_of};
pub use cpus::{allowed_cpus, last_cpu};
pub use skips::{count, lacks, needs, needs_program, needs_root, skipped};
pub use wait::until;
