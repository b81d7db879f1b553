//! A contest's settings as files. The same settings are the same bytes.

use super::{AccountEntry, ContestFiles, ProblemEntry};
use crate::{
    Account, ContestId, ContestSettings, CountedScore, Feedback, GroupSettings, JudgingMode, Location,
    OrganizationSettings, PersonSettings, Scoring, TeamSettings,
};
use model::ScoreRules;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns the files of a contest package: JSON as the CLICS Contest API writes it, and fields of our own beside. Entries are
/// sorted by id, problems by place. No file has a password.
pub fn write(files: &ContestFiles) -> BTreeMap<String, Vec<u8>> {
    let mut written = BTreeMap::new();
    if let Some((id, settings)) = &files.contest {
        written.insert("contest.json".to_owned(), bytes(&contest(id, settings)));
    }
    let mut add = |name: &str, mut entries: Vec<(String, Value)>| {
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        if !entries.is_empty() {
            let entries = Value::Array(entries.into_iter().map(|(_, entry)| entry).collect());
            written.insert(format!("{name}.json"), bytes(&entries));
        }
    };
    let place = |one: &ProblemEntry| format!("{:06} {}", one.ordinal, one.id);
    add("problems", files.problems.iter().map(|one| (place(one), problem(one))).collect());
    let group = |one: &GroupSettings| entry(&one.id, &one.object(true));
    add("groups", files.groups.iter().map(group).collect());
    let organization = |one: &OrganizationSettings| entry(&one.id, &one.object());
    add("organizations", files.organizations.iter().map(organization).collect());
    let team = |one: &TeamSettings| entry(&one.id, &one.object(true));
    add("teams", files.teams.iter().map(team).collect());
    let person = |one: &PersonSettings| entry(&one.id, &one.object(true));
    add("persons", files.persons.iter().map(person).collect());
    // Of this contest only.
    let account = |one: &AccountEntry| {
        entry(&one.settings.id, &Account { contest_ids: None, ..one.settings.object_for_admins() })
    };
    add("accounts", files.accounts.iter().map(account).collect());
    written
}

fn entry(id: &impl ToString, object: &impl Serialize) -> (String, Value) {
    (id.to_string(), serde_json::to_value(object).unwrap_or_default())
}

fn contest(id: &ContestId, settings: &ContestSettings) -> Value {
    let (kind, penalty, compile_penalty, counted) = match settings.scoring {
        Scoring::PassFail { penalty, compile_penalty } => {
            ("pass-fail", Some(penalty.to_string()), Some(compile_penalty), None)
        }
        Scoring::Points { counted } => ("score", None, None, Some(counted)),
    };
    let limits = &settings.submission_limits;
    let removed = settings.removed.iter().map(|interval| {
        json!({ "begin": interval.begin.to_string(), "end": interval.end.map(|end| end.to_string()) })
    });
    json!({
        "id": id,
        "name": settings.name,
        "formal_name": settings.formal_name,
        "start_time": settings.start.map(|start| start.to_string()),
        "countdown_pause_time": settings.countdown_pause.map(|left| left.to_string()),
        "duration": settings.duration.to_string(),
        "scoreboard_freeze_duration": settings.freeze.map(|freeze| freeze.to_string()),
        "scoreboard_thaw_time": settings.thaw.map(|thaw| thaw.to_string()),
        "scoreboard_type": kind,
        "main_scoreboard_group_id": settings.main_group,
        "penalty_time": penalty,
        "compile_penalty": compile_penalty,
        "counted_score": counted.map(|counted| match counted {
            CountedScore::Best => "best",
            CountedScore::Last => "last",
            CountedScore::BestOfSubtasks => "best-of-subtasks",
        }),
        "languages": settings.languages,
        "strict_pool": settings.strict_pool,
        "fast_pool": settings.fast_pool,
        "replicas": settings.replicas,
        "judging": match settings.judging {
            JudgingMode::Lazy => "lazy",
            JudgingMode::Full => "full",
            JudgingMode::OnDemand => "on-demand",
        },
        "practice": settings.practice,
        "verification_required": settings.verification_required,
        "feedback": match settings.feedback {
            Feedback::Verdict => "verdict",
            Feedback::Cases => "cases",
        },
        "shows_compiler_output": settings.shows_compiler_output,
        "is_public": settings.is_public,
        "clarification_categories": settings.clarification_categories,
        "canned_answers": settings.canned_answers,
        "medals": {
            "gold": settings.medals.gold, "silver": settings.medals.silver, "bronze": settings.medals.bronze,
        },
        "submission_limits": {
            "per_minute": limits.per_minute, "in_all": limits.in_all, "files": limits.files,
            "kib": limits.bytes.0 >> 10,
        },
        "removed_intervals": removed.collect::<Vec<_>>(),
        "location": settings.location.as_ref().map(Location::object),
    })
}

fn problem(one: &ProblemEntry) -> Value {
    json!({
        "id": one.id,
        "label": one.label,
        "name": one.name,
        "ordinal": one.ordinal,
        "rgb": one.rgb,
        "color": one.color,
        "time_limit": one.time_limit.map(|limit| limit.0 as f64 / 1e9),
        "memory_limit": one.memory_limit.map(|limit| limit.0 >> 20),
        "output_limit": one.output_limit.map(|limit| limit.0 >> 20),
        "code_limit": one.code_limit.map(|limit| limit.0 >> 10),
        "max_score": one.max_score.map(|score| score.0 as f64 / 1e6),
        "scores": one.scores.map(ScoreRules::name),
        "languages": one.languages,
        "is_paused": one.is_paused,
    })
}

/// Prints a document without what is null or empty.
fn bytes(value: &Value) -> Vec<u8> {
    let text = serde_json::to_string_pretty(&without_nothing(value)).unwrap_or_default();
    (text + "\n").into_bytes()
}

fn without_nothing(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let is_something =
                |value: &Value| !value.is_null() && value.as_array().is_none_or(|list| !list.is_empty());
            let kept = members.iter().filter(|(_, value)| is_something(value));
            Value::Object(
                kept.map(|(key, value)| (key.clone(), without_nothing(value))).collect::<Map<_, _>>(),
            )
        }
        Value::Array(items) => Value::Array(items.iter().map(without_nothing).collect()),
        other => other.clone(),
    }
}
