//! The commands that judge: submissions against packages, and the languages.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod judge;
pub mod languages;
mod meaning;
pub mod scratch;

pub use meaning::meaning;
