//! Documents of judging: submissions, their records, and the result of verifying one.

pub(crate) mod judge;
mod languages;
mod read_back;
mod record;
mod time_limit;
mod verification;

pub use judge::{
    CaseRun, Compile, Difference, Differs, GroupResult, JudgeReport, NotJudged, OtherOutput, Package, Repeat,
    RunAgain, ScoreBasis, Slowest, Submission, Summary, TimeLimit, WrittenOutput,
};
pub use languages::{LanguageEntry, LanguagesReport};
pub use read_back::NotARun;
pub use record::{
    RecordBegin, RecordCase, RecordEnd, RecordEntry, RecordLine, RecordRule, RecordRuling, RecordSubmission,
    RulingDecision,
};
pub use time_limit::{Derivation, StoredLimit};
pub use verification::{PackageCheck, RecordExplanation, RecordFinding, RecordVerification};
