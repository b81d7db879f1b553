//! Toolchain images: root file systems with a digest, unpacked once and then used by every run.
//!
//! # Files
//!
//! `source.rs` reads an OCI image layout, a folder or an archive; `registry.rs` a registry. `store.rs` is where images are kept, which is an OCI image
//! layout as well, and `unpack.rs` makes a root of layers, by `tree.rs`, which writes below one folder and never outside of it. `name.rs` has what an image may be called, `limits.rs` what it may be at most, and `contents.rs` what it says is in it.
//!
//! Image and layer formats: OCI image specification 1.1 (github.com/opencontainers/image-spec); Docker's media types for
//! the same content are read, too.
//!
//! # Invariants
//!
//! - What is in the store under a digest has this digest, and a root is there completely or not at all.
//! - No content of an image makes anything happen outside the root that is being made.
//! - A root in use holds a lock, so that `prune` leaves it.

#![forbid(unsafe_code)]

mod contents;
mod digest;
mod error;
mod limits;
mod name;
mod registry;
mod source;
mod store;
mod tree;
mod unpack;

pub use contents::{Contents, Package};
pub use digest::Digest;
pub use error::{ImageError, PartError};
pub use limits::Limits;
pub use name::is_name;
pub use registry::{Access, Remote};
pub use source::{Blob, Blobs, Chosen, Source};
pub use store::{BUILD, Image, InUse, Pruned, Pushed, Store};
pub use unpack::Unpacked;
