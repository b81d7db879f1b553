//! What remains after a judging: its record, and the derived time limits.
//!
//! A record is a chain of JSON lines. [`Journal`] writes them so that a crash loses nothing that was done, [`verify()`]
//! checks that they are unchanged and that each verdict follows from its runs by the recorded rule, and [`Explanation`]
//! explains a verdict. All of it works on the `documents`, wherever they come from.
//!
//! Programs that write records, such as a judgehost, and programs that read them, such as a server, share these lines:
//!
//! ```no_run
//! # use documents::{RecordBegin, RecordCase, RecordSubmission};
//! # use record::{Journal, RecordError, RecordFile, Submissions, verify};
//! # use std::{fs::File, io::BufReader, path::Path};
//! # type Error = Box<dyn std::error::Error>;
//! fn keep(begin: RecordBegin, cases: Vec<RecordCase>, submission: RecordSubmission) -> Result<(), RecordError> {
//!     let mut journal = Journal::begin(RecordFile::open(Path::new("r.jsonl"))?, begin)?;
//!     cases.into_iter().try_for_each(|case| journal.case(case))?;
//!     journal.submission(submission)?;
//!     journal.end()
//! }
//!
//! fn explain() -> Result<(), Error> {
//!     let open = || File::open("r.jsonl").map(BufReader::new);
//!     assert!(verify(open()?, "r.jsonl")?.holds);
//!     for submission in Submissions::new(open()?, "r.jsonl") {
//!         let sentences: Vec<String> = submission?.explain()?.sentences();
//!     }
//!     Ok(())
//! }
//! ```
//!
//! Architecture Invariant: nothing here runs or judges anything, and only [`journal`](Journal) and
//! [`limits`](LimitStore) touch files.

#![forbid(unsafe_code)]

mod begin;
mod chain;
mod content;
mod contestant;
mod error;
mod explain;
mod follows;
mod journal;
mod limits;
mod points;
mod read;
mod rule;
mod verify;

pub use begin::{Basis, Circumstances, KERNEL_OPTIONS, PackageFacts};
pub use chain::Chain;
pub use content::{PackageContent, compare_packages};
pub use contestant::for_contestant;
pub use error::{LimitError, RecordError};
pub use explain::{CaseExplanation, Explanation, why_not_compared};
pub use journal::{Journal, RecordFile};
pub use limits::{LimitRecord, LimitStore, derivation};
pub use points::PackagePoints;
pub use read::{ExplainError, RecordedSubmission, Submissions};
pub use rule::{RuleError, recorded_rule, rule_of};
pub use verify::verify;
