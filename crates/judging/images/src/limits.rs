//! What an image may be at most: one that is larger is a mistake, or an attack on the disk.

use model::Bytes;

/// What an image may be at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// All files, unpacked, of all layers.
    pub bytes: Bytes,
    /// Files, folders and links of all layers.
    pub entries: u64,
    pub layers: usize,
    /// A manifest, an index or a configuration.
    pub document: Bytes,
    /// Folders within each other.
    pub depth: usize,
    /// The names of all files together.
    pub names: Bytes,
    /// The name of a file with its folders, and the target of a link.
    pub name: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: Bytes(32 << 30),
            entries: 2_000_000,
            // Docker's own limit.
            layers: 127,
            // Registries take no larger manifest (OCI distribution specification, "Pushing Manifests").
            document: Bytes(4 << 20),
            depth: 128,
            names: Bytes(256 << 20),
            // PATH_MAX.
            name: 4096,
        }
    }
}
