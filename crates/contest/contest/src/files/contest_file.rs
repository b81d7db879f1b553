//! `contest.yaml` and `contest.json`.

use super::languages::languages;
use super::{Contents, Kind, Placed};
use crate::{
    ContestId, ContestSettings, CountedScore, Feedback, Instant, JudgingMode, Location, Medals, Millis,
    PoolId, RemovedInterval, Scoring, SubmissionLimits, span,
};
use located::{Field, Node, Object, Report, Value};
use model::Bytes;
use std::collections::BTreeSet;

/// A contest of a month is a typing error.
const DURATION_MAX: Millis = Millis::minutes(31 * 24 * 60);
/// As DOMjudge and the ICPC have it.
const PENALTY_USUAL: Millis = Millis::minutes(20);
const MEDALS_USUAL: Medals = Medals { gold: 4, silver: 4, bronze: 4 };
const LIMITS_USUAL: SubmissionLimits =
    SubmissionLimits { per_minute: 10, in_all: 1000, files: 10, bytes: Bytes(256 << 10) };
const POOL_USUAL: &str = "default";
const REPLICAS_MAX: i64 = 10;
/// The zones that have names in times (RFC 5322, section 4.3).
const ZONES: [(&str, &str); 10] = [
    ("UTC", "Z"),
    ("GMT", "Z"),
    ("EST", "-05:00"),
    ("EDT", "-04:00"),
    ("CST", "-06:00"),
    ("CDT", "-05:00"),
    ("MST", "-07:00"),
    ("MDT", "-06:00"),
    ("PST", "-08:00"),
    ("PDT", "-07:00"),
];

impl ContestSettings {
    /// Returns the settings of a contest about which only the name and the duration are known: ICPC rules, public, judged
    /// by the pool `default`.
    ///
    /// # Panics
    /// Never: the name of that pool is an id.
    pub fn usual(name: impl Into<String>, duration: Millis) -> Self {
        #[allow(clippy::expect_used)]
        let strict_pool: PoolId = POOL_USUAL.parse().expect("an id");
        Self {
            name: name.into(),
            formal_name: None,
            start: None,
            countdown_pause: None,
            duration,
            freeze: None,
            thaw: None,
            removed: Vec::new(),
            scoring: Scoring::PassFail { penalty: PENALTY_USUAL, compile_penalty: false },
            languages: Default::default(),
            strict_pool,
            fast_pool: None,
            replicas: 1,
            judging: JudgingMode::Lazy,
            practice: false,
            verification_required: false,
            feedback: Feedback::Verdict,
            shows_compiler_output: true,
            main_group: None,
            is_public: true,
            clarification_categories: Vec::new(),
            canned_answers: Vec::new(),
            medals: MEDALS_USUAL,
            submission_limits: LIMITS_USUAL,
            location: None,
        }
    }
}

/// Reads the file. Its own list of problems, as DOMjudge writes it, counts too.
pub fn read(contents: &mut Contents, report: &Report, name: &str, root: &Node) {
    let whole = Field { file: name, path: String::new(), line: root.line, node: root };
    let Some(mut object) = whole.object(report) else { return };
    let short_name = object.take(&["short-name", "short_name", "shortname"]);
    let id = match (object.take(&["id", "external_id"]), short_name) {
        (Some(field), _) => field.parse(report),
        (None, Some(field)) => id_of_name(report, &field),
        (None, None) => {
            object.error(report, "id", "is missing, expected the contest's id, such as swerc2026");
            None
        }
    };
    let settings = settings(report, &mut object);
    if let Some(problems) = object.take(&["problems", super::PROBLEMSET]) {
        match &contents.problem_file {
            Some(other) => {
                let message = format!("is not read, since {other} is there");
                report.warning(name, Some(problems.line), Some(&problems.path), message);
            }
            None => contents.read_entries(report, Kind::Problems, &problems.items()),
        }
    }
    object.finish_with_files(report, &["banner", "logo"]);
    if let (Some(id), Some(settings)) = (id, settings) {
        contents.contest = Some(Placed { file: name.to_owned(), line: root.line, value: (id, settings) });
    }
}

/// Reads `system.yaml`.
pub fn read_system(contents: &mut Contents, report: &Report, name: &str, root: &Node) {
    if root.value == Value::Null {
        return;
    }
    let whole = Field { file: name, path: String::new(), line: root.line, node: root };
    let Some(mut object) = whole.object(report) else { return };
    let known = object.take(&["languages"]).map(|field| languages::<BTreeSet<_>>(report, &field));
    contents.languages.extend(known.into_iter().flatten());
    (contents.categories, contents.answers) = (categories(report, &mut object), answers(report, &mut object));
    object.finish(report, &[]);
}

/// Returns the id that a short name comes to, as DOMjudge makes it.
fn id_of_name(report: &Report, field: &Field<'_>) -> Option<ContestId> {
    let text = field.text(report)?;
    if let Ok(id) = text.parse() {
        return Some(id);
    }
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let id: String =
        text.chars().map(|c| if is_allowed(c) { c } else { '_' }).take(crate::ID_LENGTH_MAX).collect();
    match id.parse() {
        Ok(taken) => {
            let message = format!("is '{text}', the contest's id is '{id}'");
            report.warning(field.file, Some(field.line), Some(&field.path), message);
            Some(taken)
        }
        Err(_) => field.parse(report),
    }
}

/// Reads a time, in older files with the name of a zone.
fn start(report: &Report, field: &Field<'_>) -> Option<Instant> {
    let text = field.text(report)?;
    let named = ZONES
        .iter()
        .find_map(|(name, offset)| Some(format!("{}{offset}", text.strip_suffix(name)?.trim_end())));
    match named.and_then(|text| text.parse().ok()) {
        Some(start) => Some(start),
        None => field.parse(report),
    }
}

/// Reads how long before the end the board freezes: that, or when in the contest.
fn freeze(report: &Report, object: &mut Object<'_>, duration: Option<Millis>) -> Option<Millis> {
    let after = object.take(&["scoreboard-freeze", "freeze"]);
    let before = object.take(&[
        "scoreboard_freeze_duration",
        "scoreboard-freeze-duration",
        "scoreboard_freeze_length",
        "scoreboard-freeze-length",
    ]);
    let (field, freeze) = match (before, after) {
        (Some(field), _) => (field.clone(), span(report, &field)?),
        (None, Some(field)) => {
            let (after, duration) = (span(report, &field)?, duration?);
            let message = format!(
                "the board freezes {after} after the start, as DOMjudge takes it; PC^2 takes it as the time before the \
                 end, which is scoreboard_freeze_duration"
            );
            report.warning(field.file, Some(field.line), Some(&field.path), message);
            (field, Millis(duration.0 - after.0))
        }
        (None, None) => return None,
    };
    if freeze < Millis::ZERO || duration.is_some_and(|all| freeze > all) {
        field.wrong(report, "at least 0 and at most the contest's duration");
    }
    Some(freeze)
}

fn categories(report: &Report, object: &mut Object<'_>) -> Vec<String> {
    object.list(report, &["clarification_categories", "clar_categories", "clar-categories"])
}

fn answers(report: &Report, object: &mut Object<'_>) -> Vec<String> {
    object.list(report, &["canned_answers", "clar_answers", "clar-answers", "default-clars"])
}

fn settings(report: &Report, object: &mut Object<'_>) -> Option<ContestSettings> {
    let name = object.require(report, &["name"]).and_then(|field| field.text(report));
    let duration_field = object.require(report, &["duration"]);
    let duration = duration_field.as_ref().and_then(|field| span(report, field));
    if let (Some(field), Some(duration)) = (&duration_field, duration)
        && (duration <= Millis::ZERO || duration > DURATION_MAX)
    {
        field.wrong(report, "a duration above 0 and of at most 31 days");
    }
    let mut settings = ContestSettings::usual(name.clone().unwrap_or_default(), duration.unwrap_or_default());
    settings.formal_name = object.text(report, &["formal_name", "formal-name"]);
    settings.start = object.take(&["start_time", "start-time"]).and_then(|field| start(report, &field));
    settings.countdown_pause =
        object.take(&["countdown_pause_time", "countdown-pause-time"]).and_then(|field| span(report, &field));
    if settings.start.is_some() && settings.countdown_pause.is_some() {
        object.error(
            report,
            "countdown_pause_time",
            "is set together with start_time; leave out one of them",
        );
    }
    settings.freeze = freeze(report, object, duration);
    settings.thaw = object.parse(report, &["scoreboard_thaw_time", "scoreboard-thaw-time"]);
    settings.scoring = scoring(report, object);
    settings.main_group = object.parse(report, &["main_scoreboard_group_id"]);
    settings.languages =
        object.take(&["languages"]).map(|field| languages(report, &field)).unwrap_or_default();
    settings.strict_pool = object.parse(report, &["strict_pool"]).unwrap_or(settings.strict_pool);
    settings.fast_pool = object.parse(report, &["fast_pool"]);
    if let Some(field) = object.take(&["replicas"]) {
        settings.replicas = field.integer(report, 1..=REPLICAS_MAX).unwrap_or(1) as u32;
    }
    let modes =
        [("lazy", JudgingMode::Lazy), ("full", JudgingMode::Full), ("on-demand", JudgingMode::OnDemand)];
    let mode = object.take(&["judging"]).and_then(|field| field.word(report, &modes));
    settings.judging = mode.unwrap_or(settings.judging);
    settings.practice = object.boolean(report, &["practice"]).unwrap_or(false);
    settings.verification_required = object.boolean(report, &["verification_required"]).unwrap_or(false);
    let feedback = [("verdict", Feedback::Verdict), ("cases", Feedback::Cases)];
    let feedback = object.take(&["feedback"]).and_then(|field| field.word(report, &feedback));
    settings.feedback = feedback.unwrap_or(settings.feedback);
    settings.shows_compiler_output = object.boolean(report, &["shows_compiler_output"]).unwrap_or(true);
    settings.is_public = object.boolean(report, &["is_public", "public"]).unwrap_or(true);
    settings.clarification_categories = categories(report, object);
    settings.canned_answers = answers(report, object);
    if let Some(mut inner) = object.take(&["medals"]).and_then(|field| field.object(report)) {
        let mut number = |name: &'static str| {
            inner.take(&[name]).and_then(|field| field.integer(report, 0..=10_000)).unwrap_or(0) as u32
        };
        settings.medals = Medals { gold: number("gold"), silver: number("silver"), bronze: number("bronze") };
        inner.finish(report, &[]);
    }
    if let Some(field) = object.take(&["submission_limits"]) {
        settings.submission_limits = submission_limits(report, &field);
    }
    settings.removed = object
        .take(&["removed_intervals"])
        .map(|field| field.items().iter().filter_map(|item| removed(report, item)).collect())
        .unwrap_or_default();
    settings.location = object.take(&["location"]).and_then(|field| Location::read(report, &field));
    (name.is_some() && duration.is_some()).then_some(settings)
}

fn scoring(report: &Report, object: &mut Object<'_>) -> Scoring {
    let kinds = [("pass-fail", false), ("score", true), ("scoring", true)];
    let has_points =
        object.take(&["scoreboard_type", "scoreboard-type"]).and_then(|field| field.word(report, &kinds));
    let penalty = object.take(&["penalty_time", "penalty-time", "penalty"]);
    let penalty = penalty.and_then(|field| {
        let penalty = span(report, &field);
        if penalty.is_some_and(|penalty| penalty < Millis::ZERO) {
            field.wrong(report, "at least 0");
        }
        penalty
    });
    let compile_penalty = object.boolean(report, &["compile_penalty"]).unwrap_or(false);
    let counted = [
        ("best", CountedScore::Best),
        ("last", CountedScore::Last),
        ("best-of-subtasks", CountedScore::BestOfSubtasks),
    ];
    let counted = object.take(&["counted_score"]).and_then(|field| field.word(report, &counted));
    if has_points == Some(true) {
        return Scoring::Points { counted: counted.unwrap_or(CountedScore::Best) };
    }
    Scoring::PassFail { penalty: penalty.unwrap_or(PENALTY_USUAL), compile_penalty }
}

fn submission_limits(report: &Report, field: &Field<'_>) -> SubmissionLimits {
    let mut limits = LIMITS_USUAL;
    let Some(mut object) = field.object(report) else { return limits };
    let mut number = |name: &'static str, usual: u32| {
        let field = object.take(&[name]);
        field.and_then(|field| field.integer(report, 1..=1_000_000)).map_or(usual, |number| number as u32)
    };
    limits.per_minute = number("per_minute", limits.per_minute);
    limits.in_all = number("in_all", limits.in_all);
    limits.files = number("files", limits.files);
    if let Some(field) = object.take(&["kib"])
        && let Some(kib) = field.integer(report, 1..=(1 << 20))
    {
        limits.bytes = Bytes(kib.unsigned_abs() << 10);
    }
    object.finish(report, &[]);
    limits
}

fn removed(report: &Report, field: &Field<'_>) -> Option<RemovedInterval> {
    let mut object = field.object(report)?;
    let begin = object.require(report, &["begin"]).and_then(|field| field.parse::<Instant>(report));
    let end = object.parse::<Instant>(report, &["end"]);
    if let (Some(begin), Some(end)) = (begin, end)
        && end < begin
    {
        object.error(report, "end", "is before begin");
    }
    object.finish(report, &[]);
    Some(RemovedInterval { begin: begin?, end })
}
