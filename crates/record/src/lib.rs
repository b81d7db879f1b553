//! What is left of a judging when it is over: its record, and the time limits that were derived.
//!
//! A record is a chain of JSON lines. [`Journal`] writes them so that a crash loses nothing that was done, [`verify()`]
//! says whether they are unchanged and whether each verdict follows from its runs by the recorded rule, and
//! [`Explanation`] says why a verdict is as it is. All of it works on the documents of `api`, wherever they are from.
//!
//! Architecture Invariant: nothing here runs or judges anything, and only [`journal`](Journal) and
//! [`limits`](LimitStore) touch files.

mod begin;
mod chain;
mod error;
mod explain;
mod follows;
mod journal;
mod limits;
mod read;
mod rule;
mod verify;

pub use begin::{Basis, Circumstances, KERNEL_OPTIONS};
pub use chain::Chain;
pub use error::{LimitError, RecordError};
pub use explain::{CaseExplanation, Explanation, why_not_compared};
pub use journal::{Journal, RecordFile};
pub use limits::{LimitRecord, LimitStore, derivation};
pub use read::{ExplainError, RecordedSubmission, Submissions};
pub use rule::{RuleError, recorded_rule, rule_of};
pub use verify::{PackageContent, compare_packages, verify};
