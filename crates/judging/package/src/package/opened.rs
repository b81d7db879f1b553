//! A package that was read.

use crate::scoring::ChosenRules;
use crate::{
    Format, Group, Includes, JurySubmission, Kind, OutputValidator, PackageFile, ProblemLimits, Program,
    Statement, TimeLimitRule, TimeMargins, ValidatorCase, Warning,
};
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq)]
pub struct Package {
    /// The folder with `problem.yaml`; it is inside the scratch folder if the package was an archive.
    pub root: PathBuf,
    pub format: Format,
    /// The name of its folder or archive, without extension.
    pub short_name: String,
    pub uuid: Option<String>,
    /// The problem's name by language, such as `en`.
    pub names: BTreeMap<String, String>,
    /// How submissions are run and judged.
    pub kind: Kind,
    /// Limits other than time.
    pub limits: ProblemLimits,
    pub time_limit: TimeLimitRule,
    /// The margins between the limit and the times of the jury's submissions, even if the package sets the limit.
    pub time_margins: TimeMargins,
    /// Codes of the allowed languages; `None` for all.
    pub languages: Option<Vec<String>>,
    /// Whether submissions may write files in their working directory.
    pub allow_file_writing: bool,
    /// A colour for balloons, such as `#2f7fbf`.
    pub colour: Option<String>,
    /// Values that replace `{{name}}` in programs and statements.
    pub constants: BTreeMap<String, String>,
    /// `sample` and `secret` below one root.
    pub data: Group,
    /// Inputs that the input validators must reject.
    pub invalid_inputs: Vec<ValidatorCase>,
    /// Outputs that the output validator must reject.
    pub invalid_outputs: Vec<ValidatorCase>,
    /// Outputs that the output validator must accept.
    pub valid_outputs: Vec<ValidatorCase>,
    /// Outputs that samples show; the output validator must accept them, too.
    pub sample_outputs: Vec<ValidatorCase>,
    /// The checker of a submission's output; callers may change its protocol.
    pub output_validator: OutputValidator,
    pub input_validators: Vec<Program>,
    /// A program that checks the source files of a submission.
    pub static_validator: Option<Program>,
    /// A program that grades the groups for which the test data require it.
    pub grader: Option<Program>,
    /// Files that are added to every submission.
    pub includes: Includes,
    /// The jury's submissions, by name.
    pub submissions: Vec<JurySubmission>,
    pub statements: Vec<Statement>,
    pub attachments: Vec<PackageFile>,
    /// By which rules points are computed; `None` for a pass-fail problem.
    pub scores: Option<ChosenRules>,
    /// Unusual things that do not stop the judge, including things that the format forbids and that were still read.
    pub warnings: Vec<Warning>,
}
