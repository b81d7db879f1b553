//! Parts of a contest's settings.

use crate::contest::Time;
use crate::objects::{GroupId, Instant, Millis, span};
use located::{Field, Object, Report, Reported};
use model::clock::{PER_NANOSECOND_MAX, PER_NANOSECOND_USUAL};
use model::{Bytes, Clock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most files of a submission: a form has no more parts.
pub const FILES_MAX: u32 = 200;
const MEDALS_MAX: i64 = 10_000;
const TEAMS_MAX: u32 = 5000;
/// Fewer could be guessed, slow as guessing is.
const CODE_SIGNS_MIN: usize = 8;
const CODE_SIGNS_MAX: usize = 64;
const SUBMISSIONS_MAX: u32 = 1_000_000;
const KIB_MAX: i64 = 1 << 20;
/// As DOMjudge and the ICPC have it.
pub(super) const PENALTY_USUAL: Millis = Millis::minutes(20);

model::words! {
    /// What others than the jury learn of a judgement.
    #[derive(Default, JsonSchema)]
    pub enum Feedback, word {
        /// The verdict and the score; of a compile error what the compiler printed, to its team; of a time limit exceeded the
        /// highest time.
        #[default]
        Verdict = "verdict",
        /// Also the verdict, the time and the memory of each case as it is judged, and the record of the runs: with them a
        /// program can pass on what it reads in secret test data.
        Cases = "cases",
    }
}

model::words! {
    /// What is between a run and the machine.
    #[derive(JsonSchema)]
    pub enum RunIsolation, word {
        /// A container, on the machine's kernel.
        Container = "container",
        /// A virtual machine for each run.
        Microvm = "microvm",
    }
}

impl std::fmt::Display for RunIsolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

impl Feedback {
    pub(super) fn of_old_contests() -> Self {
        Self::Cases
    }
}

/// Real time that is removed from a contest, such as during a power failure; as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedInterval {
    pub begin: Instant,
    /// Its end; `None` while it lasts: the contest is paused.
    pub end: Option<Instant>,
}

/// Real time that does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RemovedInterval")]
pub struct RemovedTime {
    pub begin: Time,
    /// Its end; `null` while the contest is paused.
    pub end: Option<Time>,
}

/// How submissions become a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scoring {
    /// Problems solved, then penalty time (ICPC).
    PassFail {
        /// What a rejected submission costs once the problem is solved.
        penalty: Millis,
        /// Whether a compile error costs it too.
        compile_penalty: bool,
    },
    Points {
        /// Which submissions count.
        counted: CountedScore,
    },
}

/// How submissions become a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ScoreboardType {
    /// Problems solved, then penalty time.
    #[default]
    PassFail,
    /// Points.
    Score,
}

model::words! {
    /// Which of a team's submissions to a problem count in a contest with points.
    #[derive(Default, JsonSchema)]
    pub enum CountedScore, word {
        /// The one with the highest score.
        #[default]
        Best = "best",
        Last = "last",
        /// The sum of the best results of each subtask (test data group).
        BestOfSubtasks = "best-of-subtasks",
    }
}

model::words! {
    #[derive(Default, JsonSchema)]
    pub enum JudgingMode, word {
        /// Until the verdict is known.
        #[default]
        Lazy = "lazy",
        /// Every case.
        Full = "full",
        /// Nothing, until a jury asks for it.
        OnDemand = "on-demand",
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Medals {
    pub gold: u32,
    pub silver: u32,
    /// Bronze medals, without the extra ones of finalising.
    pub bronze: u32,
}

impl Default for Medals {
    fn default() -> Self {
        Self { gold: 4, silver: 4, bronze: 4 }
    }
}

model::words! {
    /// Which teams may register themselves.
    #[derive(Default, JsonSchema)]
    pub enum RegistrationMode, word {
        /// No team: admins add all of them.
        #[default]
        Closed = "closed",
        /// Those that have the code.
        Code = "code",
        /// Those that log in at the server's OpenID provider.
        Oidc = "oidc",
        /// All.
        Open = "open",
    }
}

/// How teams register themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Registration {
    pub mode: RegistrationMode,
    /// The code for the mode `code`: 8 to 64 letters, digits and signs.
    pub code: Option<String>,
    /// No team registers once the contest has as many.
    pub teams_max: u32,
    /// The group that such teams get.
    pub group_id: Option<GroupId>,
}

impl Default for Registration {
    fn default() -> Self {
        Self { mode: RegistrationMode::Closed, code: None, teams_max: 200, group_id: None }
    }
}

impl Registration {
    /// Reads settings; those that are not there stay.
    pub(super) fn read_over(&mut self, report: &Report, field: &Field<'_>) {
        let Some(mut object) = field.object().reported(report) else { return };
        let mode = object.take_any(&["mode"]);
        let mode = mode.and_then(|field| field.word(&RegistrationMode::WORDS).reported(report));
        self.mode = mode.unwrap_or(self.mode);
        if let Some(field) = object.take_any(&["code"]) {
            let code = field.text().reported(report).map(str::trim);
            let signs = code.map_or(0, |code| code.chars().count());
            if !(CODE_SIGNS_MIN..=CODE_SIGNS_MAX).contains(&signs) {
                field.reject(report, format!("{CODE_SIGNS_MIN} to {CODE_SIGNS_MAX} signs"));
            }
            self.code = code.map(str::to_owned);
        }
        let teams = object.take_any(&["teams_max"]);
        let teams = teams.and_then(|field| field.integer(1..=i64::from(TEAMS_MAX)).reported(report));
        self.teams_max = teams.map_or(self.teams_max, |teams| teams as u32);
        self.group_id = object.parse(report, &["group_id"]).or(self.group_id.take());
        if self.mode == RegistrationMode::Code && self.code.is_none() {
            object.error(report, "code", "is missing: the mode 'code' needs one");
        }
        object.finish(report, &[]);
    }
}

/// Limits on what a team may send, as they are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubmissionLimits {
    /// Submissions of one team within a minute.
    pub per_minute: u32,
    /// Submissions of one team in the whole contest.
    pub in_all: u32,
    pub files: u32,
    /// Bytes of a submission.
    pub bytes: Bytes,
}

impl Default for SubmissionLimits {
    fn default() -> Self {
        Self { per_minute: 10, in_all: 1000, files: 10, bytes: Bytes(256 << 10) }
    }
}

/// Limits on what a team may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "SubmissionLimits")]
pub struct SendLimits {
    /// Submissions of one team within a minute.
    pub per_minute: u32,
    /// Submissions of one team in the whole contest.
    pub in_all: u32,
    pub files: u32,
    /// KiB of a submission.
    pub kib: u64,
}

impl Default for SendLimits {
    fn default() -> Self {
        SubmissionLimits::default().object()
    }
}

impl SubmissionLimits {
    pub(super) fn object(self) -> SendLimits {
        let Self { per_minute, in_all, files, bytes } = self;
        SendLimits { per_minute, in_all, files, kib: bytes.0 >> 10 }
    }

    /// Reads limits; those that are not there stay.
    pub(super) fn read_over(&mut self, report: &Report, field: &Field<'_>) {
        let Some(mut object) = field.object().reported(report) else { return };
        let mut number = |name: &'static str, max: u32, into: &mut u32| {
            let read =
                object.take_any(&[name]).and_then(|field| field.integer(1..=i64::from(max)).reported(report));
            *into = read.map_or(*into, |number| number as u32);
        };
        number("per_minute", SUBMISSIONS_MAX, &mut self.per_minute);
        number("in_all", SUBMISSIONS_MAX, &mut self.in_all);
        number("files", FILES_MAX, &mut self.files);
        let kib = object.take_any(&["kib"]).and_then(|field| field.integer(1..=KIB_MAX).reported(report));
        self.bytes = kib.map_or(self.bytes, |kib| Bytes(kib.unsigned_abs() << 10));
        object.finish(report, &[]);
    }
}

/// Reads a clock: its kind alone, or with its rate; `None` for a kind that is empty.
pub(super) fn read_clock(report: &Report, field: &Field<'_>) -> Option<Clock> {
    const KINDS: [(&str, bool); 2] = [("cpu_time", false), ("instructions", true)];
    let (is_counted, rate) = if field.text().is_ok() {
        (field.word(&KINDS).reported(report)?, None)
    } else {
        let mut object = field.object().reported(report)?;
        let kind = object.take_any(&["kind"]);
        let rate = object.take_any(&["per_nanosecond"]);
        let rate = rate.and_then(|rate| rate.integer(1..=PER_NANOSECOND_MAX.into()).reported(report));
        object.finish(report, &[]);
        (kind?.word(&KINDS).reported(report)?, rate)
    };
    let per_nanosecond = rate.map_or(PER_NANOSECOND_USUAL, |rate| rate as u32);
    Some(if is_counted { Clock::Instructions { per_nanosecond } } else { Clock::CpuTime })
}

/// Reads the digest of an image; `None` for one that is empty.
pub(super) fn read_image(report: &Report, field: &Field<'_>) -> Option<String> {
    let text = field.text().reported(report)?;
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    if digits.len() == 64 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
        return Some(text.to_owned());
    }
    if !text.is_empty() {
        field.reject(
            report,
            "the digest of an image, 'sha256:' and 64 digits ('tauto image list --json' shows it)",
        );
    }
    None
}

impl Medals {
    pub(super) fn read(report: &Report, field: &Field<'_>) -> Option<Self> {
        let mut object = field.object().reported(report)?;
        let mut number = |name: &'static str| {
            let number = object.require(report, &[name])?.integer(0..=MEDALS_MAX).reported(report)?;
            Some(number as u32)
        };
        let (gold, silver, bronze) = (number("gold"), number("silver"), number("bronze"));
        object.finish(report, &[]);
        Some(Self { gold: gold?, silver: silver?, bronze: bronze? })
    }
}

impl RemovedInterval {
    pub fn object(self) -> RemovedTime {
        RemovedTime { begin: Time(self.begin.0), end: self.end.map(|end| Time(end.0)) }
    }

    pub fn read(report: &Report, field: &Field<'_>) -> Option<Self> {
        let mut object = field.object().reported(report)?;
        let begin = object.require(report, &["begin"]).and_then(|field| field.parse::<Instant>(report));
        let end = object.parse::<Instant>(report, &["end"]);
        if let (Some(begin), Some(end)) = (begin, end)
            && end < begin
        {
            object.error(report, "end", "is before begin");
        }
        object.finish(report, &[]);
        Some(Self { begin: begin?, end })
    }
}

impl From<RemovedTime> for RemovedInterval {
    fn from(time: RemovedTime) -> Self {
        Self { begin: Instant(time.begin.0), end: time.end.map(|end| Instant(end.0)) }
    }
}

impl Scoring {
    pub(super) const USUAL: Self = Self::PassFail { penalty: PENALTY_USUAL, compile_penalty: false };

    pub(super) fn read_over(&mut self, report: &Report, object: &mut Object<'_>) {
        let kinds = [("pass-fail", false), ("score", true), ("scoring", true)];
        let has_points = object
            .take_any(&["scoreboard_type", "scoreboard-type"])
            .and_then(|field| field.word(&kinds).reported(report));
        let penalty = object.take_any(&["penalty_time", "penalty-time", "penalty"]).and_then(|field| {
            let penalty = span(report, &field);
            if penalty.is_some_and(|penalty| penalty < Millis::ZERO) {
                field.reject(report, "at least 0");
            }
            penalty
        });
        let compile_penalty = object.boolean(report, &["compile_penalty"]);
        let counted = object.take_any(&["counted_score"]);
        let counted = counted.and_then(|field| field.word(&CountedScore::WORDS).reported(report));
        *self = match (*self, has_points) {
            (Self::Points { .. }, Some(false)) => Self::USUAL,
            (Self::PassFail { .. }, Some(true)) => Self::Points { counted: CountedScore::Best },
            (same, _) => same,
        };
        match self {
            Self::PassFail { penalty: time, compile_penalty: counts } => {
                *time = penalty.unwrap_or(*time);
                *counts = compile_penalty.unwrap_or(*counts);
            }
            Self::Points { counted: which } => *which = counted.unwrap_or(*which),
        }
    }
}
