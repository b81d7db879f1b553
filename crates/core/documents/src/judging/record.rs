//! The record of a judging: one JSON line for each step, from which every verdict can be found again.

use crate::judging::judge::{CaseRun, NotJudged, Package, Repeat, Submission, TimeLimit};
use crate::machines::identity::MachineIdentity;
use crate::values::{Unavailable, VerdictId};
use model::Clock;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One line of a record: one document for each step of a judging.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordLine {
    /// Number of the line in the file, from 1.
    pub sequence: u64,
    /// SHA-256 of the line before as written, without its newline, in hexadecimal digits; empty in the first line.
    pub previous: String,
    /// What it says.
    #[serde(flatten)]
    pub entry: RecordEntry,
}

/// What a line says; `kind` names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RecordEntry {
    Begin(Box<RecordBegin>),
    Case(Box<RecordCase>),
    /// A submission is done; its cases stand in the lines before.
    Submission(Box<RecordSubmission>),
    /// A submission is left out when it is its turn, such as one whose language is not installed.
    LeftOut(NotJudged),
    /// A judging has ended by itself; absent where it was interrupted.
    End(RecordEnd),
}

/// What all verdicts of a judging rest on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordBegin {
    /// The version of `tauto` that judges.
    pub tauto_version: String,
    /// When it began, as in RFC 3339, in UTC.
    pub began_at: String,
    pub arguments: Vec<String>,
    pub package: Package,
    /// Whether submissions have scores, or a grader makes the total.
    pub is_graded: bool,
    /// Whether cases are conversations or have several passes.
    pub has_checks_between_runs: bool,
    /// How many cases each submission has at most.
    pub case_count: u64,
    /// Whether these are not all cases of the package, but some that were asked for.
    #[serde(default)]
    pub is_selection: bool,
    pub machine: MachineIdentity,
    /// Kernel build options that affect times; empty if `unavailable` says why.
    pub kernel_options: BTreeMap<String, String>,
    /// CPUs of timed runs, as in `1-3`.
    pub timed_cpus: String,
    /// CPUs of everything else.
    pub helper_cpus: String,
    /// The digest of the image whose toolchains were used; `null` for those of the machine, and in older records.
    #[serde(default)]
    pub image: Option<String>,
    /// The time limit and where it is from.
    pub time_limit: TimeLimit,
    pub memory_limit_bytes: u64,
    /// The rule by which times become verdicts.
    pub rule: RecordRule,
    /// Submissions that were left out from the start; absent in older records.
    #[serde(default)]
    pub not_judged: Vec<NotJudged>,
    /// Why a field here is `null` or empty.
    pub unavailable: Unavailable,
}

/// The rule by which times become verdicts, with every number in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordRule {
    /// Its version: the same version and numbers give the same runs the same verdict.
    pub version: u32,
    pub limit_ns: u64,
    /// What `limit_ns` is in; absent in older records, which have CPU time.
    #[serde(default)]
    pub clock: Clock,
    /// CPU time at which a run is ended.
    pub kill_limit_ns: u64,
    /// Wall-clock time at which a run is ended.
    pub wall_limit_ns: u64,
    /// Whether that was asked for (`--wall-limit`), and does not follow from the others.
    #[serde(default)]
    pub wall_limit_asked: bool,
    /// Two times agree when they differ by this many thousandths of the lower one.
    pub agreement_permille: u32,
    /// Two times agree when they differ by this much.
    pub agreement_floor_ns: u64,
    /// Two times agree when they differ by this part of what the lower one is over the limit.
    pub margin_parts: u64,
    /// How many runs a time over the limit needs.
    pub runs_min: u32,
    /// How many runs of one case there may be.
    pub runs_max: u32,
    /// Time between two runs of one case, at least.
    pub spacing_ns: u64,
    /// How long repeats may wait for an undisturbed core, all of a submission together.
    #[serde(default)]
    pub patience_ns: u64,
    /// Whether one run decided each case (`--quick`).
    #[serde(default)]
    pub quick: bool,
    /// How many repeats each submission may cause.
    pub repeats_allowed: u32,
    /// All numbers of the rule's version by name; absent in the first records of version 5, for which that version's
    /// hold.
    #[serde(default)]
    pub numbers: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordCase {
    pub submission: String,
    /// The case's number among those of the package, from 1, as a contest's runs have it; `null` where it is not needed.
    #[serde(default)]
    pub ordinal: Option<u32>,
    /// The first 4 KiB of an output that was not right; `null` where there is none. What is no UTF-8 is replaced.
    #[serde(default)]
    pub output_start: Option<String>,
    /// The result of the case, as in `tautochrone/judge/1`.
    pub case: CaseRun,
    /// Every run of the case in order, also when there is one; of the last pass if there were several. Of a conversation that
    /// was repeated, the run that ended it each time, in whichever pass.
    pub runs: Vec<Repeat>,
    /// The runs of each pass before the last, in a conversation those of the last one; empty where there is one pass.
    #[serde(default)]
    pub earlier_passes: Vec<Vec<Repeat>>,
    /// The ruling on the runs; `null` if nothing ran.
    pub ruling: Option<RecordRuling>,
    pub passes: u32,
    /// Why it was run again, each time, in words: after each run but the last where there is one pass.
    #[serde(default)]
    pub run_again: Vec<String>,
    /// Why we failed; `null` if we did not.
    #[serde(default)]
    pub judging_error: Option<String>,
}

/// The ruling on the runs of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordRuling {
    /// What decides.
    pub decision: RulingDecision,
    /// The verdict; `null` unless the runs alone give one.
    pub verdict: Option<VerdictId>,
    /// The run that decided, from 0.
    pub run: u32,
    pub reason: String,
}

/// What decides a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RulingDecision {
    /// The output of the run.
    CheckOutput,
    /// The run itself, whatever its output.
    Verdict,
    /// Nothing: the runs do not allow a verdict, which is a judging error.
    Undecided,
    /// The interactor, which rejected before the time was certain.
    Interactor,
}

/// A submission that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordSubmission {
    /// As in `tautochrone/judge/1`, with `runs` empty: they are in the lines before.
    pub submission: Submission,
    /// SHA-256 over names and contents of the files handed in; `null` if there are none.
    pub source_hash: Option<String>,
    /// SHA-256 over names and contents of what was built from them; `null` if there is none.
    pub program_hash: Option<String>,
    /// The best score that is possible; `null` in a pass-fail problem, or if there is none.
    #[serde(default)]
    pub best_score: Option<f64>,
    /// Why we failed; `null` if we did not.
    #[serde(default)]
    pub judging_error: Option<String>,
}

/// A judging has ended by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecordEnd {
    pub submissions: u64,
    pub cases: u64,
    /// All submissions that were left out when it was their turn, as with `--skip-missing`; absent in older records.
    #[serde(default)]
    pub not_judged: Vec<NotJudged>,
}
