//! What `problem.yaml` has.

use crate::scoring::LegacyGrading;
use crate::{Format, Kind, LimitSource, ProblemLimits, TimeMargins};
use model::{Nanos, ScoreRules};
use std::collections::BTreeMap;

pub(crate) const PROBLEM_YAML: &str = "problem.yaml";

/// The content of `problem.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Metadata {
    pub(crate) format: Format,
    pub(crate) names: BTreeMap<String, String>,
    pub(crate) uuid: Option<String>,
    pub(crate) kind: Kind,
    pub(crate) limits: ProblemLimits,
    pub(crate) time_limit: Option<(Nanos, LimitSource)>,
    pub(crate) time_margins: TimeMargins,
    pub(crate) languages: Option<Vec<String>>,
    pub(crate) allow_file_writing: bool,
    pub(crate) constants: BTreeMap<String, String>,
    /// Whether the legacy formats' `validation` requires a validator in the package.
    pub(crate) custom_validation: Option<bool>,
    /// The legacy formats' `validator_flags`.
    pub(crate) validator_flags: Vec<String>,
    /// The legacy formats' `grading`, which the root group starts from.
    pub(crate) legacy_grading: LegacyGrading,
    /// By which rules points are computed: chosen once all files are known.
    pub(crate) score_rules: ScoreRules,
}
