//! Problem packages and checkers' protocols.
//!
//! Reads a package once into strong types: [`Package::open`] takes a folder or an archive of the formats `legacy`,
//! `legacy-icpc`, `2023-07-draft` or `2025-09` and returns limits, test data, validators, and jury submissions with
//! their expectations. Decisions are pure functions: [`compare`] (the default output validator), [`scoring`],
//! [`outcome`] (the result of a custom validator), the derivation of a time limit in [`limits`], and [`expectation`].
//!
//! # Files
//!
//! `Package::open` reads a folder or archive once into strong types: `archive.rs`, `tree.rs` (no path leaves the
//! package), `yaml.rs` and `fields.rs` (every key is used or reported), `metadata/`, `data/`, `program/`,
//! `submission/`. Decisions are pure functions next to it: `compare/`, `scoring/` (`rules.rs` chooses whether
//! `legacy.rs` or `domjudge.rs` reads a legacy package's points), `outcome.rs` (a validator's outcome), `limits.rs`
//! (all default limits; deriving a time limit), `expectation.rs`. `requirements/` has what the text of `2025-09` demands
//! (`docs/package-format.md`) beyond what reading needs.
//!
//! # Invariants
//!
//! - Nothing here runs a program, prints, or reads outside the package, the scratch folder and a folder of languages that the
//!   caller passes.

#![forbid(unsafe_code)]

mod archive;
mod contents;
mod error;
mod fields;
mod format;
mod ini;
mod metadata;
mod package;
mod program;
mod requirements;
mod room;
mod submission;
#[cfg(test)]
mod testing;
mod text;
mod tree;
mod yaml;

pub mod compare;
pub mod data;
pub mod expectation;
pub mod limits;
pub mod outcome;
pub mod scoring;

pub use archive::check_archive;
pub use contents::contents;
pub use data::{Group, InputValidatorArgs, StaticValidation, Step, TestCase, ValidatorCase};
pub use error::{PackageError, Warning};
pub use expectation::{CaseOutcome, Expectation, Match, Outcome};
pub use format::{Format, Kind};
pub use limits::{
    LimitMisfit, LimitSource, ProblemLimits, Rounding, TimeLimitRule, TimeMargins, check_time_limit,
    derive_time_limit,
};
pub use located::FileLocation;
pub use package::{Package, PackageOptions, Statement, is_part_of_package};
pub use program::{Includes, OutputValidator, PackageFile, Program, Protocol};
pub use submission::JurySubmission;
pub use text::{cut, cut_start};
