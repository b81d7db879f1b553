//! The commands that judge: submissions against packages, and the languages.
//!
//! # Files
//!
//! `tauto judge`, `tauto languages`, and the checks of `tauto problem verify`. `judge/` has the selection of
//! submissions, the tables, the record and the advice.
#![forbid(unsafe_code)]

pub mod arguments;
pub mod judge;
pub mod languages;
mod meaning;
pub mod scratch;

pub use meaning::meaning;
