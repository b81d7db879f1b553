//! Contests.

mod clock;
mod older;
mod parts;

pub use clock::Phase;
pub use parts::*;

use super::{
    ContestId, GroupId, Instant, Language, LanguageId, Location, LocationSettings, Millis, PoolId, span,
};
use crate::contest::{FileReference, RelTime, Time};
use located::{Object, Report, Reported};
use model::Clock;
use older::{read_freeze, read_id, read_start};
use parts::{PENALTY_USUAL, read_clock, read_image};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

pub const DURATION_MAX: Millis = Millis::minutes(366 * 24 * 60);
/// The most replicas: more would say nothing more.
pub const REPLICAS_MAX: u32 = 10;
const POOL_USUAL: &str = "default";

/// A contest, as it is stored. A change replaces all of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContestSettings {
    pub name: String,
    pub formal_name: Option<String>,
    /// When it starts; `None` while unknown or paused.
    pub start: Option<Instant>,
    /// The time left to the start while the countdown is paused.
    pub countdown_pause: Option<Millis>,
    /// How long it lasts, without removed intervals.
    pub duration: Millis,
    /// How long before the end the public board freezes.
    pub freeze: Option<Millis>,
    /// When the board thaws; `None` until it is known.
    pub thaw: Option<Instant>,
    /// Intervals of real time that do not count.
    pub removed: Vec<RemovedInterval>,
    pub scoring: Scoring,
    /// Which languages are allowed; empty for all.
    pub languages: BTreeSet<LanguageId>,
    pub strict_pool: PoolId,
    /// The pool that judges first, if any.
    pub fast_pool: Option<PoolId>,
    /// What time is where it is judged; `None` for what its pools judge by.
    #[serde(default)]
    pub clock: Option<Clock>,
    /// The digest of the image whose toolchains its pools have; `None` for any toolchains.
    #[serde(default)]
    pub image: Option<String>,
    /// What is between runs and machines; `None` for what its pools have.
    #[serde(default)]
    pub isolation: Option<RunIsolation>,
    /// On how many judgehosts each submission is judged.
    pub replicas: u32,
    /// When cases run.
    pub judging: JudgingMode,
    /// Whether teams can submit after the end, outside the board.
    pub practice: bool,
    /// Whether a verdict counts only after a second person has verified it.
    pub verification_required: bool,
    /// What others than the jury learn of a judgement. Contests from before there was a choice show the cases.
    #[serde(default = "Feedback::of_old_contests")]
    pub feedback: Feedback,
    /// Whether teams see what the compiler printed.
    #[serde(default = "crate::values::yes")]
    pub shows_compiler_output: bool,
    /// The group whose teams are on the main board; `None` for all.
    pub main_group: Option<GroupId>,
    /// Whether people without an account may see the public part.
    pub is_public: bool,
    /// Categories of clarifications in addition to the problems.
    pub clarification_categories: Vec<String>,
    pub canned_answers: Vec<String>,
    pub medals: Medals,
    /// Limits on what a team may send.
    pub submission_limits: SubmissionLimits,
    /// How teams register themselves.
    #[serde(default)]
    pub registration: Registration,
    pub location: Option<LocationSettings>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contest {
    pub id: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub formal_name: Option<String>,
    /// When it starts; `null` while that is unknown, or the countdown is paused.
    pub start_time: Option<Time>,
    /// The time left while the countdown is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub countdown_pause_time: Option<RelTime>,
    pub duration: RelTime,
    /// How long before the end the public board freezes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoreboard_freeze_duration: Option<RelTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scoreboard_thaw_time: Option<Time>,
    pub scoreboard_type: ScoreboardType,
    /// The group whose teams are on the main board; `null` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_scoreboard_group_id: Option<String>,
    /// What a rejected submission costs once the problem is solved; only for `pass-fail`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub penalty_time: Option<RelTime>,
    /// Its broad picture, about 8:1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub banner: Option<Vec<FileReference>>,
    /// Its square picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<Vec<FileReference>>,
    /// What limits and times of runs are: by instructions they are nominal. CPU time if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<Clock>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

/// All settings of a contest. A new one needs only `id`, `name` and `duration`; a change by PATCH only what changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ContestSettings")]
pub struct ContestFile {
    pub id: String,
    pub name: String,
    pub formal_name: Option<String>,
    /// When it starts; `null` while that is unknown, or the countdown is paused.
    pub start_time: Option<Time>,
    /// The time left while the countdown is paused.
    pub countdown_pause_time: Option<RelTime>,
    /// How long it lasts, without removed intervals.
    pub duration: RelTime,
    /// How long before the end the public board freezes.
    pub scoreboard_freeze_duration: Option<RelTime>,
    pub scoreboard_thaw_time: Option<Time>,
    /// Intervals that do not count, such as during a power failure.
    #[serde(default)]
    pub removed_intervals: Vec<RemovedTime>,
    #[serde(default)]
    pub scoreboard_type: ScoreboardType,
    /// What a rejected submission costs once the problem is solved; 20 minutes if absent.
    #[serde(default = "twenty_minutes")]
    pub penalty_time: RelTime,
    /// Whether a compile error costs it too.
    #[serde(default)]
    pub compile_penalty: bool,
    /// Which submissions count in a contest with points.
    #[serde(default)]
    pub counted_score: CountedScore,
    /// Allowed languages; empty for all.
    #[serde(default)]
    pub languages: Vec<String>,
    /// The pool whose verdict counts; `default` if absent.
    #[serde(default = "default_pool")]
    pub strict_pool: String,
    /// The pool that judges first, if any.
    pub fast_pool: Option<String>,
    /// What time is where it is judged: a pool with another clock is refused. What its pools judge by if absent.
    #[serde(default)]
    pub clock: Option<Clock>,
    /// The digest of the image (docs/images.md) with which it is judged, `sha256:` and 64 digits: a pool with another one, or with
    /// none, is refused. What its pools have if absent.
    #[serde(default)]
    pub image: Option<String>,
    /// What is between a run and the machine: a pool with something else is refused. What its pools have if absent.
    #[serde(default)]
    pub isolation: Option<RunIsolation>,
    /// On how many judgehosts each submission is judged.
    #[serde(default = "crate::values::one")]
    pub replicas: u32,
    /// When cases run.
    #[serde(default)]
    pub judging: JudgingMode,
    /// Whether teams can submit after the end, outside the board.
    #[serde(default)]
    pub practice: bool,
    /// Whether a verdict counts only after a second person has verified it.
    #[serde(default)]
    pub verification_required: bool,
    /// What others than the jury learn of a judgement; `verdict` if absent.
    #[serde(default)]
    pub feedback: Feedback,
    /// Whether teams see what the compiler printed; `true` if absent.
    #[serde(default = "crate::values::yes")]
    pub shows_compiler_output: bool,
    /// The group whose teams are on the main board; `null` for all.
    pub main_scoreboard_group_id: Option<String>,
    /// Whether people without an account may see the public part; `true` if absent.
    #[serde(default = "crate::values::yes")]
    pub is_public: bool,
    /// Categories of clarifications in addition to the problems.
    #[serde(default)]
    pub clarification_categories: Vec<String>,
    #[serde(default)]
    pub canned_answers: Vec<String>,
    #[serde(default)]
    pub medals: Medals,
    /// Limits on what a team may send.
    #[serde(default)]
    pub submission_limits: SendLimits,
    /// How teams register themselves; the mode `closed` if absent.
    #[serde(default)]
    pub registration: Registration,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
}

fn twenty_minutes() -> RelTime {
    RelTime(PENALTY_USUAL.0)
}

fn default_pool() -> String {
    POOL_USUAL.to_owned()
}

impl Contest {
    pub const OF_ALL: &[&str] = &[
        "id",
        "name",
        "formal_name",
        "start_time",
        "countdown_pause_time",
        "duration",
        "scoreboard_freeze_duration",
        "scoreboard_thaw_time",
        "scoreboard_type",
        "main_scoreboard_group_id",
        "banner",
        "logo",
        "clock",
        "location",
    ];

    /// Those that are only in contests without points.
    pub const OF_PASS_FAIL: &[&str] = &["penalty_time"];
}

impl ContestSettings {
    pub const FILES: &[&str] = &["banner", "logo"];

    /// Returns whether a pool judges for it.
    pub fn has_pool(&self, pool: &PoolId) -> bool {
        self.strict_pool == *pool || self.fast_pool.as_ref() == Some(pool)
    }

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
            scoring: Scoring::USUAL,
            languages: BTreeSet::new(),
            strict_pool,
            fast_pool: None,
            clock: None,
            image: None,
            isolation: None,
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
            medals: Medals::default(),
            submission_limits: SubmissionLimits::default(),
            registration: Registration::default(),
            location: None,
        }
    }

    /// Reads a contest over the settings that it has, or the usual ones: what is not there stays.
    pub fn read(
        report: &Report,
        object: &mut Object<'_>,
        old: impl FnOnce(&ContestId) -> Self,
    ) -> Option<(ContestId, Self)> {
        let id = read_id(report, object);
        let old = id.as_ref().map_or_else(|| Self::usual("", Millis::ZERO), old);
        let settings = old.read_over(report, object);
        Some((id?, settings?))
    }

    fn read_over(mut self, report: &Report, object: &mut Object<'_>) -> Option<Self> {
        let name = object.require(report, &["name"]).and_then(|field| field.name().reported(report));
        let duration_field = object.require(report, &["duration"]);
        let duration = duration_field.as_ref().and_then(|field| span(report, field));
        if let (Some(field), Some(duration)) = (&duration_field, duration)
            && (duration <= Millis::ZERO || duration > DURATION_MAX)
        {
            field.reject(report, "a duration above 0 and of at most 366 days");
        }
        self.duration = duration.unwrap_or_default();
        self.formal_name = object.name(report, &["formal_name", "formal-name"]).or(self.formal_name);
        let start =
            object.take_any(&["start_time", "start-time"]).and_then(|field| read_start(report, &field));
        let pause = object.take_any(&["countdown_pause_time", "countdown-pause-time"]);
        let pause = pause.and_then(|field| span(report, &field));
        match (start, pause) {
            (None, None) => {}
            (Some(_), Some(_)) => {
                let message = "is set together with start_time; leave out one of them";
                object.error(report, "countdown_pause_time", message);
            }
            (start, pause) => (self.start, self.countdown_pause) = (start, pause),
        }
        let kept = self.freeze.filter(|freeze| *freeze <= self.duration);
        self.freeze = read_freeze(report, object, duration).or(kept);
        self.thaw = object.parse(report, &["scoreboard_thaw_time", "scoreboard-thaw-time"]).or(self.thaw);
        self.scoring.read_over(report, object);
        self.main_group = object.parse(report, &["main_scoreboard_group_id"]).or(self.main_group);
        if let Some(field) = object.take_any(&["languages"]) {
            self.languages = Language::read_all(report, &field);
        }
        self.strict_pool = object.parse(report, &["strict_pool"]).unwrap_or(self.strict_pool);
        self.fast_pool = object.parse(report, &["fast_pool"]).or(self.fast_pool);
        if let Some(field) = object.take_any(&["clock"]) {
            self.clock = read_clock(report, &field);
        }
        if let Some(field) = object.take_any(&["image"]) {
            self.image = read_image(report, &field);
        }
        if let Some(field) = object.take_any(&["isolation"]) {
            self.isolation = field.word(&RunIsolation::WORDS).reported(report);
        }
        let replicas = object.take_any(&["replicas"]);
        let replicas = replicas.and_then(|field| field.integer(1..=i64::from(REPLICAS_MAX)).reported(report));
        self.replicas = replicas.map_or(self.replicas, |replicas| replicas as u32);
        let judging =
            object.take_any(&["judging"]).and_then(|field| field.word(&JudgingMode::WORDS).reported(report));
        self.judging = judging.unwrap_or(self.judging);
        let feedback =
            object.take_any(&["feedback"]).and_then(|field| field.word(&Feedback::WORDS).reported(report));
        self.feedback = feedback.unwrap_or(self.feedback);
        let mut boolean = |names: &[&'static str], into: &mut bool| {
            *into = object.boolean(report, names).unwrap_or(*into);
        };
        boolean(&["practice"], &mut self.practice);
        boolean(&["verification_required"], &mut self.verification_required);
        boolean(&["shows_compiler_output"], &mut self.shows_compiler_output);
        boolean(&["is_public", "public"], &mut self.is_public);
        let (categories, answers) = Self::read_texts(report, object);
        self.clarification_categories = categories.unwrap_or(self.clarification_categories);
        self.canned_answers = answers.unwrap_or(self.canned_answers);
        let medals = object.take_any(&["medals"]).and_then(|field| Medals::read(report, &field));
        self.medals = medals.unwrap_or(self.medals);
        if let Some(field) = object.take_any(&["submission_limits"]) {
            self.submission_limits.read_over(report, &field);
        }
        if let Some(field) = object.take_any(&["registration"]) {
            self.registration.read_over(report, &field);
        }
        if let Some(field) = object.take_any(&["removed_intervals"]) {
            let intervals = field.each();
            self.removed = intervals.iter().filter_map(|item| RemovedInterval::read(report, item)).collect();
        }
        let location = object.take_any(&["location"]);
        let location = location.and_then(|field| LocationSettings::read(report, &field));
        self.location = location.or(self.location);
        duration?;
        Some(Self { name: name?, ..self })
    }

    /// Reads categories of clarifications and usual answers, which older systems have in a file of their own.
    pub fn read_texts(
        report: &Report,
        object: &mut Object<'_>,
    ) -> (Option<Vec<String>>, Option<Vec<String>>) {
        let mut list =
            |names: &[&'static str]| object.take_any(names).map(|field| field.list::<String, Vec<_>>(report));
        (
            list(&["clarification_categories", "clar_categories", "clar-categories"]),
            list(&["canned_answers", "clar_answers", "clar-answers", "default-clars"]),
        )
    }

    /// Returns it as everybody sees it, without its files.
    pub fn object(&self, id: &ContestId) -> Contest {
        let (scoreboard_type, penalty_time) = match self.scoring {
            Scoring::PassFail { penalty, .. } => (ScoreboardType::PassFail, Some(RelTime(penalty.0))),
            Scoring::Points { .. } => (ScoreboardType::Score, None),
        };
        Contest {
            id: id.to_string(),
            name: self.name.clone(),
            formal_name: self.formal_name.clone(),
            start_time: self.start.map(|start| Time(start.0)),
            countdown_pause_time: self.countdown_pause.map(|left| RelTime(left.0)),
            duration: RelTime(self.duration.0),
            scoreboard_freeze_duration: self.freeze.map(|freeze| RelTime(freeze.0)),
            scoreboard_thaw_time: self.thaw.map(|thaw| Time(thaw.0)),
            scoreboard_type,
            main_scoreboard_group_id: self.main_group.as_ref().map(ToString::to_string),
            penalty_time,
            banner: None,
            logo: None,
            clock: self.clock,
            location: self.location.as_ref().map(LocationSettings::object),
        }
    }

    /// Returns all settings, as the jury and files have them.
    pub fn file(&self, id: &ContestId) -> ContestFile {
        let object = self.object(id);
        let (penalty, compile_penalty, counted_score) = match self.scoring {
            Scoring::PassFail { penalty, compile_penalty } => (penalty, compile_penalty, CountedScore::Best),
            Scoring::Points { counted } => (PENALTY_USUAL, false, counted),
        };
        ContestFile {
            id: object.id,
            name: object.name,
            formal_name: object.formal_name,
            start_time: object.start_time,
            countdown_pause_time: object.countdown_pause_time,
            duration: object.duration,
            scoreboard_freeze_duration: object.scoreboard_freeze_duration,
            scoreboard_thaw_time: object.scoreboard_thaw_time,
            removed_intervals: self.removed.iter().map(|interval| interval.object()).collect(),
            scoreboard_type: object.scoreboard_type,
            penalty_time: RelTime(penalty.0),
            compile_penalty,
            counted_score,
            languages: self.languages.iter().map(ToString::to_string).collect(),
            strict_pool: self.strict_pool.to_string(),
            fast_pool: self.fast_pool.as_ref().map(ToString::to_string),
            clock: self.clock,
            image: self.image.clone(),
            isolation: self.isolation,
            replicas: self.replicas,
            judging: self.judging,
            practice: self.practice,
            verification_required: self.verification_required,
            feedback: self.feedback,
            shows_compiler_output: self.shows_compiler_output,
            main_scoreboard_group_id: object.main_scoreboard_group_id,
            is_public: self.is_public,
            clarification_categories: self.clarification_categories.clone(),
            canned_answers: self.canned_answers.clone(),
            medals: self.medals,
            submission_limits: self.submission_limits.object(),
            registration: self.registration.clone(),
            location: object.location,
        }
    }
}

#[cfg(test)]
pub(super) const EXAMPLE: &str = "{id: c, name: C, formal_name: Cc, start_time: '2026-11-23T15:00:00Z', duration: '5:00:00', \
     scoreboard_freeze_duration: '1:00:00', scoreboard_thaw_time: '2026-11-23T21:00:00Z', scoreboard_type: pass-fail, \
     penalty_time: 10, compile_penalty: true, languages: [cpp], strict_pool: s, fast_pool: f, \
     clock: {kind: instructions, per_nanosecond: 2}, isolation: microvm, \
     image: 'sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef', replicas: 2, judging: full, \
     practice: true, verification_required: true, feedback: cases, shows_compiler_output: false, \
     main_scoreboard_group_id: g, is_public: false, clarification_categories: [a], canned_answers: [b], \
     medals: {gold: 1, silver: 2, bronze: 3}, submission_limits: {per_minute: 1, in_all: 2, files: 3, kib: 4}, \
     registration: {mode: code, code: abcdefgh, teams_max: 5, group_id: g}, \
     removed_intervals: [{begin: '2026-11-23T15:00:00Z', end: '2026-11-23T16:00:00Z'}], \
     location: {latitude: 1, longitude: -2.5}}";
