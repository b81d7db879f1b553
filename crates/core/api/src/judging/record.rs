//! The record of a judging: one JSON line for each step, from which every verdict can be found again.

use crate::document::Document;
use crate::judging::judge::{CaseRun, NotJudged, Package, Repeat, Submission, TimeLimit};
use crate::machines::identity::MachineIdentity;
use crate::values::{Unavailable, VerdictId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One line of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordLine {
    /// Which line of the file it is, from 1.
    pub sequence: u64,
    /// SHA-256 of the line before, without its newline, in hexadecimal digits; empty in the first line.
    pub previous: String,
    /// What it says.
    #[serde(flatten)]
    pub entry: RecordEntry,
}

/// What a line says; `kind` tells which of these it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RecordEntry {
    /// A judging begins.
    Begin(Box<RecordBegin>),
    /// A case is done.
    Case(Box<RecordCase>),
    /// A submission is done; its cases stand in the lines before.
    Submission(Box<RecordSubmission>),
    /// A submission is left out when it is its turn, such as one whose language is not installed.
    LeftOut(NotJudged),
    /// A judging has ended by itself.
    End(RecordEnd),
}

/// What all verdicts of a judging rest on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordBegin {
    /// The version that judges.
    pub tauto_version: String,
    /// When it began, as in RFC 3339, in UTC.
    pub began_at: String,
    /// What the command was given.
    pub arguments: Vec<String>,
    /// The problem.
    pub package: Package,
    /// Whether submissions have scores, or the package has a grader, so that cases alone give no total.
    pub is_graded: bool,
    /// Whether a case is a conversation or has several passes, so that checks come between runs.
    pub has_checks_between_runs: bool,
    /// How many cases each submission has at most.
    pub case_count: u64,
    /// Whether these are not all cases of the package, but some that were asked for.
    #[serde(default)]
    pub is_selection: bool,
    /// The machine.
    pub machine: MachineIdentity,
    /// Options with which its kernel was built that matter for times.
    pub kernel_options: BTreeMap<String, String>,
    /// CPUs of timed runs, as in `1-3`.
    pub timed_cpus: String,
    /// CPUs of everything else.
    pub helper_cpus: String,
    /// The time limit and where it is from.
    pub time_limit: TimeLimit,
    /// The memory limit of a run.
    pub memory_limit_bytes: u64,
    /// The rule by which times become verdicts.
    pub rule: RecordRule,
    /// Submissions that were left out from the start, such as those that cannot be read.
    #[serde(default)]
    pub not_judged: Vec<NotJudged>,
    /// Why a field here is `null` or empty.
    pub unavailable: Unavailable,
}

/// The rule by which times become verdicts, with every number in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordRule {
    /// Its version: the same version and numbers give the same runs the same verdict.
    pub version: u32,
    /// What a run may take.
    pub limit_ns: u64,
    /// When a run is killed.
    pub kill_limit_ns: u64,
    /// When a run is ended on the clock.
    pub wall_limit_ns: u64,
    /// Whether that was asked for, and does not follow from the others.
    #[serde(default)]
    pub wall_limit_asked: bool,
    /// Two times agree when they differ by this many thousandths of the lower one.
    pub agreement_permille: u32,
    /// Two times agree when they differ by this much.
    pub agreement_floor_ns: u64,
    /// Two times agree when they differ by this part of what the lower one is over the limit.
    pub margin_parts: u64,
    /// A time over the limit needs this many runs.
    pub runs_min: u32,
    /// How many runs of one case there may be.
    pub runs_max: u32,
    /// What lies between two runs of one case, at least.
    pub spacing_ns: u64,
    /// How long repeats may wait for a core that is at its best, all of a submission together.
    #[serde(default)]
    pub patience_ns: u64,
    /// Whether one run decided each case (`--quick`).
    #[serde(default)]
    pub quick: bool,
    /// How many repeats a submission may cause.
    pub repeats_allowed: u32,
    /// Every number of the rule by its name. Records of version 5 that were written first have only those above; the others
    /// are that version's.
    #[serde(default)]
    pub numbers: BTreeMap<String, u64>,
}

/// A case that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordCase {
    /// The submission's name.
    pub submission: String,
    /// What the case came to, as in the report.
    pub case: CaseRun,
    /// Every run in the order of running, of the last pass if there were several; empty if nothing had to run.
    pub runs: Vec<Repeat>,
    /// The runs of each pass before it.
    #[serde(default)]
    pub earlier_passes: Vec<Vec<Repeat>>,
    /// What the runs come to by the rule; `null` if nothing ran.
    pub ruling: Option<RecordRuling>,
    /// How many passes the case had.
    pub passes: u32,
    /// Why it was run again, each time: after each run but the last where there is one pass.
    #[serde(default)]
    pub run_again: Vec<String>,
    /// Why we failed; `null` if we did not.
    #[serde(default)]
    pub judging_error: Option<String>,
}

/// What the runs of a case come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordRuling {
    /// What decides.
    pub decision: RulingDecision,
    /// The verdict, if the runs alone give one.
    pub verdict: Option<VerdictId>,
    /// The run that decided, from 0.
    pub run: u32,
    /// Why, in words.
    pub reason: String,
}

/// What decides a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RulingDecision {
    /// The output of the run.
    CheckOutput,
    /// The run itself, whatever its output.
    Verdict,
    /// Nothing: the runs do not tell, which is a judging error.
    Undecided,
    /// The interactor, before the time of the run was certain.
    Interactor,
}

/// A submission that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordSubmission {
    /// What it came to, as in the report; its runs stand in the lines before.
    pub submission: Submission,
    /// SHA-256 over names and contents of its files; `null` if they could not be read.
    pub source_hash: Option<String>,
    /// SHA-256 over names and contents of what was built from them; `null` if nothing was.
    pub program_hash: Option<String>,
    /// The best score that is possible; `null` in a pass-fail problem, or where there is none.
    #[serde(default)]
    pub best_score: Option<f64>,
    /// Why we failed; `null` if we did not.
    #[serde(default)]
    pub judging_error: Option<String>,
}

/// A judging has ended by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordEnd {
    /// How many submissions were judged.
    pub submissions: u64,
    /// How many cases of them.
    pub cases: u64,
    /// All submissions that were left out when it was their turn; each has a line before, but in records that were made first.
    #[serde(default)]
    pub not_judged: Vec<NotJudged>,
}

impl Document for RecordLine {
    const SCHEMA: &'static str = "tautochrone/judge-record/2";
}
