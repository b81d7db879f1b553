//! The commands that judge: submissions against packages, and the languages.
//!
//! # Files
//!
//! `tauto judge`, `tauto languages`, `tauto image` (what builds images is in `image/`), and the checks of `tauto problem verify`. `judge/` has the selection of
//! submissions, the tables, the record and the advice.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod authority;
pub mod image;
pub mod judge;
pub mod languages;
mod meaning;
pub mod scratch;

pub use meaning::meaning;

/// Returns the toolchains that `--root` or `--image` names.
pub fn toolchains(root: &image::OpenRoot) -> ::judge::Toolchains {
    let image = root.image.as_ref().map(|image| image.image.digest.to_string());
    ::judge::Toolchains {
        tree: root.path.clone(),
        disk: root.disk.clone(),
        image,
        machines: root.machines.clone(),
    }
}
