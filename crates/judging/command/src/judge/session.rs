//! What is judged for one package, and how.

use crate::arguments::JudgeArguments;
use documents::NotJudged;
use judge::Judged;
use package::Package;
use record::LimitRecord;
use ruling::TimeRule;

/// Everything that is reported at the end.
pub struct Session<'s> {
    pub(super) arguments: &'s JudgeArguments,
    pub(super) package: &'s Package,
    /// The package as shown in the report.
    pub(super) description: documents::Package,
    /// How many cases each submission has to pass.
    pub(super) case_count: usize,
    pub(super) judged: Vec<Judged>,
    pub(super) left_out: Vec<NotJudged>,
    pub(super) time_limit: judge::TimeLimit,
    /// What is stored about the limit.
    pub(super) limit_record: LimitRecord,
    pub(super) rule: TimeRule,
    /// What counts instructions, if these are the clock.
    pub(super) counter: Option<String>,
    pub(super) machine: system::MachineIdentity,
    /// The digest of the image whose toolchains are used, if it is one.
    pub(super) image: Option<String>,
    /// Why the judging is incomplete.
    pub(super) cut_short: Option<String>,
    /// Each is printed once.
    pub(super) warnings: Vec<String>,
}
