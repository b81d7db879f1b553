//! Toolchain images of a machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImageEntry {
    /// All names it has here, such as `judge/cpp:2026-1`; empty if the last one was removed.
    pub names: Vec<String>,
    /// `sha256:` and 64 hexadecimal digits: that of the manifest, by which nothing but this content is meant.
    pub digest: String,
    /// Files, folders and links of all layers.
    pub entries: u64,
    /// Bytes of the files of all layers, unpacked.
    pub bytes: u64,
    /// Bytes of its layers, as they came.
    pub compressed_bytes: u64,
    pub layers: u64,
}

/// The images of a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImagesReport {
    /// The folder with the images.
    pub store: String,
    /// By name.
    pub images: Vec<ImageEntry>,
}

/// What was done with an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImageReport {
    /// The folder with the images.
    pub store: String,
    pub image: ImageEntry,
    /// Whether it was unpacked now; `false` if it was there already, and where it is only looked at.
    pub unpacked: bool,
    /// Devices, pipes and sockets of its layers, which a root does not get.
    pub left_out: u64,
    /// What is not as the digest says (`verify`), twenty at most, or as the file of `--lock` says (`build`); empty if all is.
    pub differences: Vec<String>,
    /// The name with the digest by which a registry has it (`push`, `build --push`); absent if it was not sent to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pushed: Option<String>,
}

/// What is in an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImageContents {
    /// The digest of the image.
    pub digest: String,
    /// Its distribution with the version, such as `debian 12`; `null` if it does not say.
    pub distribution: Option<String>,
    /// The languages whose compilers and interpreters are in it.
    pub languages: Vec<ImageLanguage>,
    /// All packages that its package manager has noted, by name.
    pub packages: Vec<ImagePackage>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImageLanguage {
    /// The language's id, such as `cpp`.
    pub id: String,
    /// As its compiler says; `null` if it does not.
    pub version: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ImagePackage {
    pub name: String,
    pub version: String,
    pub architecture: String,
}

/// What was removed since no image needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImagesPruneReport {
    /// Roots that were removed.
    pub roots: u64,
    /// Layers, configurations and manifests that were removed.
    pub blobs: u64,
    /// Bytes of these blobs.
    pub blob_bytes: u64,
    /// Roots that were left, since runs use them.
    pub in_use: u64,
}
