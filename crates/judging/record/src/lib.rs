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
//! # Files
//!
//! The lasting result of a judging, usable without running programs: by the judgehost that writes it, a server or a
//! simulator. It works on documents alone, so it depends on neither `judge` nor `sandbox`. `chain.rs` is a record as
//! bytes: lines, their hashes, and where a torn file ends; `journal.rs` appends to it, `read.rs` reads submissions from
//! it. `verify.rs` checks one and `follows.rs` rules again, by the rule of the recorded version, which `rule.rs`
//! restores. `explain.rs` explains verdicts in sentences that the command line lays out; `contestant.rs` is what of a
//! record its team may see; `begin.rs` is what verdicts are based on, `points.rs` adds points up again. `limits.rs` is
//! the store of derived time limits. `tests/records/` has records of all kinds of problems, which every later version
//! verifies.
//!
//! # Invariants
//!
//! - Nothing here runs or judges anything.
//! - Only `journal.rs` and `limits.rs` access files; everything else works on values and bytes.
//! - An explanation uses only what was recorded. Nothing is judged again for it.

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

pub use begin::{Basis, Circumstances, JudgingMachine, KERNEL_OPTIONS, PackageFacts};
pub use chain::Chain;
pub use content::{PackageContent, compare_packages};
pub use contestant::for_contestant;
pub use error::RecordError;
pub use explain::{CaseExplanation, Explanation, why_not_compared};
pub use journal::{Journal, RecordFile};
pub use limits::{LimitRecord, LimitStore};
pub use points::PackagePoints;
pub use read::{ExplainError, RecordedSubmission, Submissions};
pub use rule::{RuleError, recorded_rule, rule_of};
pub use verify::verify;
