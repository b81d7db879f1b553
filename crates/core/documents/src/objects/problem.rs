//! Problems of a contest.

mod files;
mod names;

pub use files::*;
pub use names::UsedNames;

use super::{AccountId, BlobHash, Language, LanguageId, ProblemId};
use crate::contest::FileReference;
use crate::judgehost::StatementFormat;
use located::{Field, Finding, Report, Reported, Value};
use model::{Bytes, Nanos, ScoreRules};
use names::{colour, free, letters, note};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use std::collections::BTreeSet;

/// The hash of the zip that stands for a package which is yet to come.
pub const NO_PACKAGE: &str = "bd0b5ad889e9faa6a68880c8b17510e4a6874a0c89d8313f1d06828484de7736";
/// A problem with more seconds is a typing error.
const SECONDS_MAX: f64 = 100_000.0;
const MIB_MAX: i64 = 1 << 20;
const SCORE_MAX: f64 = 1e9;
/// A score is counted in millionths.
const SCORE_UNIT: f64 = 1e6;
/// They follow from the package.
const NOT_KEPT: [&str; 5] = ["uuid", "test_data_count", "statement", "statement_pages", "attachments"];

/// A problem of a contest, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProblemSettings {
    /// Its id in the contest.
    pub id: ProblemId,
    pub uuid: Option<String>,
    pub label: String,
    /// Its place in the order.
    pub ordinal: u32,
    pub name: String,
    /// The colour of its balloon, such as `#AC00FF`.
    pub rgb: Option<String>,
    pub color: Option<String>,
    /// The package, as a zip.
    pub package: BlobHash,
    /// The limit on CPU time; `None` until a judgehost has derived it.
    pub time_limit: Option<Nanos>,
    pub memory_limit: Bytes,
    pub output_limit: Bytes,
    pub code_limit: Bytes,
    pub test_data_count: u32,
    /// How many of them, the first ones, are samples; 0 in stores of older versions.
    #[serde(default)]
    pub sample_count: u32,
    /// The highest score; only for points.
    pub max_score: Option<Score>,
    /// By which rules points are computed; `None` for a problem without, and in stores of older versions.
    pub scores: Option<ScoreRules>,
    /// Which languages are allowed; empty for the contest's.
    pub languages: BTreeSet<LanguageId>,
    /// Whether the jury lets judging wait.
    pub is_paused: bool,
    /// Why, if a reason was given.
    pub pause_reason: Option<String>,
    /// The account that verified the package, which is not the one that added it.
    pub verified_by: Option<AccountId>,
    /// What people get of the package.
    #[serde(default)]
    pub files: ProblemFiles,
}

/// A score, in millionths of a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Score(pub i64);

/// A problem as files and requests set it. What is `None` stays, or follows from its package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProblemEntry {
    /// Its id: the folder of its package below `problems/`.
    pub id: ProblemId,
    pub label: String,
    /// Its place in the order.
    pub ordinal: u32,
    pub name: Option<String>,
    /// The colour of its balloon.
    pub rgb: Option<String>,
    pub color: Option<String>,
    pub time_limit: Option<Nanos>,
    pub memory_limit: Option<Bytes>,
    pub output_limit: Option<Bytes>,
    pub code_limit: Option<Bytes>,
    pub max_score: Option<Score>,
    /// By which rules points are computed.
    pub scores: Option<ScoreRules>,
    /// Which languages are allowed; empty for the contest's.
    pub languages: Option<BTreeSet<LanguageId>>,
    /// Whether judging waits.
    pub is_paused: Option<bool>,
    /// Where its package is, if not below `problems/`: for readers of the folder. Never written.
    pub package: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    pub label: String,
    pub name: String,
    /// Its place in the order.
    pub ordinal: u32,
    /// The colour of its balloon, such as `#AC00FF`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rgb: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The limit on CPU time in seconds; absent until it is derived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// The limit on memory in MiB.
    pub memory_limit: u64,
    /// The limit on output in MiB.
    pub output_limit: u64,
    /// The limit on source code in KiB.
    pub code_limit: u64,
    pub test_data_count: u32,
    /// The highest score; only for points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_score: Option<f64>,
    /// The package, for those who may have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<Vec<FileReference>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<Vec<FileReference>>,
    /// The statement as the part of a page (HTML), in each language, which is its tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement_pages: Option<Vec<FileReference>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<FileReference>>,
}

/// A new problem, from a package that the server has, or a change of one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewProblem {
    /// Its id; from the package if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its letter; the next free one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its place in the order; the last if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    /// The SHA-256 hash of its package.
    pub package: String,
    /// Its name; from the package if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The colour of its balloon, such as `#AC00FF`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rgb: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// The limit on CPU time in seconds; from the package if absent, derived if that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<f64>,
    /// Allowed languages; empty for the contest's. Absent: as they were, of a problem that is replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub languages: Option<Vec<String>>,
    /// By which rules points are computed; absent: those that the package's files show.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<ScoreRules>,
}

/// A change of a problem. What is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProblemPatch {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its place in the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The colour of its balloon; `null` for none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::contest::present")]
    pub rgb: Option<Option<String>>,
    /// The colour's name; `null` for none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::contest::present")]
    pub color: Option<Option<String>>,
    /// The limit on CPU time in seconds; `null` for the package's, which is derived if the package has none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "crate::contest::present")]
    pub time_limit: Option<Option<f64>>,
    /// Allowed languages; empty for the contest's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub languages: Option<Vec<String>>,
    /// Whether judging waits. After a judging error `POST /api/pauses/resume` lets it go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_paused: Option<bool>,
    /// Why it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_reason: Option<String>,
    /// Whether the caller has verified the package, which another account added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_verified: Option<bool>,
}

/// What the jury set of a problem, in addition to what everybody sees.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemState {
    pub id: String,
    /// Allowed languages; empty for the contest's.
    pub languages: Vec<String>,
    /// Whether the jury lets judging wait.
    pub is_paused: bool,
    /// `null` if the jury gave no reason.
    pub pause_reason: Option<String>,
    /// Why its package is not judged for now, after a judging error; `null` if it is.
    pub paused_because: Option<String>,
    pub added_by: Option<String>,
    pub verified_by: Option<String>,
    pub package: String,
    /// By which rules points are computed; `null` if it has none, or was added by an older version.
    pub scores: Option<ScoreRules>,
    /// The forms of its statement that are there, or are to be made of the package. Empty if the package has no statement.
    #[serde(default)]
    pub statements: Vec<StatementState>,
}

/// One form of a problem's statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementState {
    pub language: String,
    pub format: StatementFormat,
    pub state: StatementProgress,
    /// Programs that the judgehost lacked, if that is why it is plain or impossible.
    pub lacking: Vec<String>,
    /// What is wrong, or warnings, a line each; `null` for nothing.
    pub text: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StatementProgress {
    Ready,
    /// It is there, rendered more plainly than it is meant.
    Plain,
    /// It could not be made.
    Impossible,
    /// A judgehost makes it now.
    Making,
    /// It waits for a judgehost that has nothing to judge.
    Waiting,
}

impl Problem {
    pub const OF_ALL: &[&str] = &[
        "id",
        "uuid",
        "label",
        "name",
        "ordinal",
        "rgb",
        "color",
        "time_limit",
        "memory_limit",
        "output_limit",
        "code_limit",
        "test_data_count",
        "statement",
        "attachments",
    ];

    /// Those that are only in contests with points.
    pub const OF_POINTS: &[&str] = &["max_score"];

    pub const OF_JURY: &[&str] = &["package"];
}

impl ProblemSettings {
    /// Returns a problem of whose package nothing is known.
    pub fn new(id: ProblemId, label: impl Into<String>, ordinal: u32, package: BlobHash) -> Self {
        Self {
            name: id.to_string(),
            id,
            uuid: None,
            label: label.into(),
            ordinal,
            rgb: None,
            color: None,
            package,
            time_limit: None,
            memory_limit: Bytes(2 << 30),
            output_limit: Bytes(8 << 20),
            code_limit: Bytes(128 << 10),
            test_data_count: 1,
            sample_count: 0,
            max_score: None,
            scores: None,
            languages: BTreeSet::new(),
            is_paused: false,
            pause_reason: None,
            verified_by: None,
            files: ProblemFiles::default(),
        }
    }

    /// Returns whether its package is yet to come, so that nothing can be judged.
    pub fn waits_for_package(&self) -> bool {
        *self.package.0 == *NO_PACKAGE
    }

    /// Returns it as everybody sees it, without its files.
    pub fn object(&self) -> Problem {
        Problem {
            id: self.id.to_string(),
            uuid: self.uuid.clone(),
            label: self.label.clone(),
            name: self.name.clone(),
            ordinal: self.ordinal,
            rgb: self.rgb.clone(),
            color: self.color.clone(),
            // At most three digits after the point, as CLICS wants them.
            time_limit: self.time_limit.map(Nanos::as_clics_secs),
            memory_limit: self.memory_limit.0 >> 20,
            output_limit: self.output_limit.0 >> 20,
            code_limit: self.code_limit.0 >> 10,
            test_data_count: self.test_data_count,
            max_score: self.max_score.map(Score::points),
            package: None,
            statement: None,
            statement_pages: None,
            attachments: None,
        }
    }

    /// Returns what a change makes of it; a colour that is `null` goes.
    pub fn changed(mut self, change: &Map<String, serde_json::Value>) -> Result<Self, Finding> {
        let mut object = json!({ "id": self.id, "label": self.label, "ordinal": self.ordinal });
        for (name, value) in change {
            object[name] = value.clone();
        }
        let entry = super::from_request(&object, ProblemEntry::read_one)?;
        self.rgb.take_if(|_| change.contains_key("rgb"));
        self.color.take_if(|_| change.contains_key("color"));
        Ok(entry.over(self))
    }
}

impl ProblemEntry {
    /// Reads the problem at this place of the list.
    ///
    /// A letter or short name that is used gets a number: PC^2 has several problems of one letter or folder for several groups.
    pub fn read(report: &Report, field: &Field<'_>, place: u32, used: &mut UsedNames) -> Option<Self> {
        let mut object = field.object().reported(report)?;
        let short_name = object.take_any(&["short-name", "short_name", "shortname"]);
        let (id, folder) = match (object.take_any(&["id"]), short_name) {
            (None, Some(field)) => {
                let name: Option<ProblemId> = field.parse(report);
                let name = name.map(String::from);
                let free = name.clone().and_then(|name| free(report, &field, name, "-", &used.ids));
                let folder = name.filter(|name| Some(name) != free.as_ref());
                (free.and_then(|id| id.parse().ok()), folder)
            }
            (Some(field), _) => (field.parse(report), None),
            (None, None) => {
                object.error(report, "id", "is missing");
                (None, None)
            }
        };
        let id: Option<ProblemId> = id;
        if let Some(id) = &id {
            note(&mut used.ids, id.as_str(), folder.as_deref(), "-");
        }
        let letter = object.take_any(&["letter"]);
        let written = letter.as_ref().and_then(|letter| letter.trimmed().reported(report));
        let label = match (object.name(report, &["label"]), &letter, &written) {
            (Some(label), ..) => label,
            (None, Some(letter), Some(text)) => free(report, letter, text.clone(), "", &used.labels)?,
            _ => letters(place),
        };
        note(&mut used.labels, &label, written.as_deref(), "");
        let ordinal = object
            .take_any(&["ordinal"])
            .and_then(|field| field.integer(0..=i64::from(u32::MAX)).reported(report));
        let name = object.name(report, &["name"]);
        let rgb = object.take_any(&["rgb"]).and_then(|field| colour(report, &field));
        let color = object.name(report, &["color"]);
        let time_limit = object.take_any(&["time_limit", "time-limit"]);
        let time_limit = time_limit.and_then(|field| {
            let seconds = field.number(0.001..=SECONDS_MAX).reported(report)?;
            Some(Nanos((seconds * 1e9).round() as u64))
        });
        let mut size = |names: &[&'static str], unit: u64| {
            let number = object.take_any(names)?.integer(1..=MIB_MAX).reported(report)?;
            Some(Bytes(number.unsigned_abs() * unit))
        };
        let memory_limit = size(&["memory_limit"], 1 << 20);
        let output_limit = size(&["output_limit"], 1 << 20);
        let code_limit = size(&["code_limit"], 1 << 10);
        let max_score =
            object.take_any(&["max_score"]).and_then(|field| field.number(0.0..=SCORE_MAX).reported(report));
        let scores = object.take_any(&["scores"]);
        let scores = scores.and_then(|field| field.word(&ScoreRules::WORDS).reported(report));
        let languages = object.take_any(&["languages"]).map(|field| Language::read_all(report, &field));
        let is_paused = object.boolean(report, &["is_paused", "paused"]);
        let package = match object.take_any(&["package"]) {
            Some(field) if matches!(field.node.value, Value::Text(_)) => field.trimmed().reported(report),
            // As the API has it: a list of references.
            _ => folder,
        };
        object.finish(report, &NOT_KEPT);
        Some(Self {
            id: id?,
            label,
            ordinal: ordinal.map_or(place + 1, |ordinal| ordinal as u32),
            name,
            rgb,
            color,
            time_limit,
            memory_limit,
            output_limit,
            code_limit,
            max_score: max_score.map(|score| Score((score * SCORE_UNIT).round() as i64)),
            scores,
            languages,
            is_paused,
            package,
        })
    }

    /// Reads one problem that has a letter and a place.
    pub fn read_one(report: &Report, field: &Field<'_>) -> Option<Self> {
        Self::read(report, field, 0, &mut UsedNames::default())
    }

    /// Returns what the files say of a problem.
    pub fn of(settings: &ProblemSettings) -> Self {
        Self {
            id: settings.id.clone(),
            label: settings.label.clone(),
            ordinal: settings.ordinal,
            name: Some(settings.name.clone()),
            rgb: settings.rgb.clone(),
            color: settings.color.clone(),
            time_limit: settings.time_limit,
            memory_limit: Some(settings.memory_limit),
            output_limit: Some(settings.output_limit),
            code_limit: Some(settings.code_limit),
            max_score: settings.max_score,
            scores: settings.scores,
            languages: Some(settings.languages.clone()),
            is_paused: Some(settings.is_paused),
            package: None,
        }
    }

    /// Returns what was set for a problem that has no package: all that differs from [`ProblemSettings::new`].
    pub fn of_waiting(settings: &ProblemSettings) -> Self {
        let none =
            ProblemSettings::new(settings.id.clone(), settings.label.clone(), 0, settings.package.clone());
        Self {
            name: Some(settings.name.clone()).filter(|name| *name != none.name),
            memory_limit: Some(settings.memory_limit).filter(|limit| *limit != none.memory_limit),
            output_limit: Some(settings.output_limit).filter(|limit| *limit != none.output_limit),
            code_limit: Some(settings.code_limit).filter(|limit| *limit != none.code_limit),
            ..Self::of(settings)
        }
    }

    /// Returns it, with what is absent taken from another one.
    pub fn or(self, other: Self) -> Self {
        Self {
            name: self.name.or(other.name),
            rgb: self.rgb.or(other.rgb),
            color: self.color.or(other.color),
            time_limit: self.time_limit.or(other.time_limit),
            memory_limit: self.memory_limit.or(other.memory_limit),
            output_limit: self.output_limit.or(other.output_limit),
            code_limit: self.code_limit.or(other.code_limit),
            max_score: self.max_score.or(other.max_score),
            scores: self.scores.or(other.scores),
            languages: self.languages.or(other.languages),
            is_paused: self.is_paused.or(other.is_paused),
            ..self
        }
    }

    /// Returns the settings with what is set here in their place.
    pub fn over(self, settings: ProblemSettings) -> ProblemSettings {
        let is_paused = self.is_paused.unwrap_or(settings.is_paused);
        ProblemSettings {
            label: self.label,
            ordinal: self.ordinal,
            name: self.name.unwrap_or(settings.name),
            rgb: self.rgb.or(settings.rgb),
            color: self.color.or(settings.color),
            time_limit: self.time_limit.or(settings.time_limit),
            memory_limit: self.memory_limit.unwrap_or(settings.memory_limit),
            output_limit: self.output_limit.unwrap_or(settings.output_limit),
            code_limit: self.code_limit.unwrap_or(settings.code_limit),
            max_score: self.max_score.or(settings.max_score),
            scores: self.scores.or(settings.scores),
            languages: self.languages.unwrap_or(settings.languages),
            is_paused,
            pause_reason: settings.pause_reason.filter(|_| is_paused),
            ..settings
        }
    }

    /// Returns the settings with what is set here and, where that is absent, with what was set for the problem before:
    /// all that does not follow from its package.
    pub fn over_package(self, package: ProblemSettings, old: Option<&ProblemSettings>) -> ProblemSettings {
        let Some(old) = old.cloned() else { return self.over(package) };
        self.over(ProblemSettings {
            rgb: old.rgb,
            color: old.color,
            languages: old.languages,
            is_paused: old.is_paused,
            pause_reason: old.pause_reason,
            ..package
        })
    }

    pub fn object(&self) -> serde_json::Value {
        json!({
            "id": self.id,
            "label": self.label,
            "name": self.name,
            "ordinal": self.ordinal,
            "rgb": self.rgb,
            "color": self.color,
            "time_limit": self.time_limit.map(Nanos::as_secs_f64),
            "memory_limit": self.memory_limit.map(|limit| limit.0 >> 20),
            "output_limit": self.output_limit.map(|limit| limit.0 >> 20),
            "code_limit": self.code_limit.map(|limit| limit.0 >> 10),
            "max_score": self.max_score.map(Score::points),
            "scores": self.scores.map(ScoreRules::name),
            "languages": self.languages,
            "is_paused": self.is_paused,
        })
    }
}

impl Score {
    pub fn points(self) -> f64 {
        self.0 as f64 / SCORE_UNIT
    }
}

#[cfg(test)]
pub(super) const EXAMPLE: &str = "{id: p, label: A, name: P, ordinal: 3, rgb: '#fff', color: white, time_limit: 1.5, memory_limit: 64, \
     output_limit: 2, code_limit: 16, max_score: 100, scores: domjudge, languages: [cpp], is_paused: true}";
