//! Objects as a viewer may see them now: exactly what the endpoints answer.

use super::lines::Lines;
use crate::Problem;
use crate::events::name;
use crate::handlers::awards::wire_award;
use crate::wire::{
    judgement_types, wire_clarification, wire_commentary, wire_contest, wire_judgement, wire_languages,
    wire_organization, wire_person, wire_problem, wire_run, wire_state, wire_submission, wire_team,
};
use contest_rules::view::View;
use contest_rules::{JudgementKey, Object, SubmissionNumber};

/// Adds an object, and returns whether the viewer may know of it.
pub fn put(lines: &mut Lines, view: &View<'_>, object: &Object) -> Result<bool, Problem> {
    let contest = view.id().as_str();
    let (kind, id) = name(object);
    let id = id.as_deref();
    match object {
        Object::Contest => lines.put(kind, None, &wire_contest(view))?,
        Object::State => lines.put(kind, None, &wire_state(&view.state()))?,
        Object::Problem(key) => match view.problem(key) {
            Ok(problem) => lines.put(kind, id, &wire_problem(contest, &problem))?,
            Err(_) => return Ok(false),
        },
        Object::Group(key) => match view.groups().find(|group| group.id == *key) {
            Some(group) => lines.put(kind, id, &group.object(view.is_jury()))?,
            None => return Ok(false),
        },
        Object::Organization(key) => match view.organization(key) {
            Some(organization) => lines.put(kind, id, &wire_organization(view, organization))?,
            None => return Ok(false),
        },
        Object::Team(key) => match view.team(key) {
            Ok(team) => lines.put(kind, id, &wire_team(view, team))?,
            Err(_) => return Ok(false),
        },
        Object::Person(key) => match view.person(key) {
            Ok(person) => lines.put(kind, id, &wire_person(view, person))?,
            Err(_) => return Ok(false),
        },
        Object::Account(key) => {
            let account = view.accounts().ok().and_then(|mut all| all.find(|account| account.id == *key));
            match account {
                Some(account) => lines.put(kind, id, &account.object())?,
                None => return Ok(false),
            }
        }
        Object::Commentary(number) => match view.one_commentary(*number) {
            Ok(commentary) => lines.put(kind, id, &wire_commentary(&commentary))?,
            Err(_) => return Ok(false),
        },
        Object::Submission(number) => match view.submission(*number) {
            Ok(submission) => lines.put(kind, id, &wire_submission(view, &submission))?,
            Err(_) => return Ok(false),
        },
        Object::Judgement(key) => match view.judgement(*key) {
            Ok(judgement) => lines.put(kind, id, &wire_judgement(&judgement))?,
            Err(_) => return Ok(false),
        },
        Object::Clarification(number) => match view.clarification(*number) {
            Ok(clarification) => lines.put(kind, id, &wire_clarification(&clarification, view.is_jury()))?,
            Err(_) => return Ok(false),
        },
        // They are no objects of the standard, or are whole collections.
        Object::Runs { .. }
        | Object::Awards
        | Object::Board
        | Object::Balloon(..)
        | Object::Rejudging(_)
        | Object::Judging => return Ok(false),
    }
    Ok(true)
}

/// Adds a submission with its judgements and their runs.
pub fn put_history(lines: &mut Lines, view: &View<'_>, number: SubmissionNumber) -> Result<(), Problem> {
    if !put(lines, view, &Object::Submission(number))? {
        return Ok(());
    }
    for judgement in view.judgements_of_submission(number)? {
        lines.put("judgements", Some(&judgement.key.to_string()), &wire_judgement(&judgement))?;
        for run in view.runs(judgement.key).unwrap_or_default() {
            let run = wire_run(&run);
            lines.put("runs", Some(&run.id), &run)?;
        }
    }
    Ok(())
}

/// Adds these judgements of a submission. The one that counts comes last: there are never two.
pub fn put_judgements(lines: &mut Lines, view: &View<'_>, keys: &[JudgementKey]) -> Result<(), Problem> {
    let mut judgements: Vec<_> = keys.iter().filter_map(|key| view.judgement(*key).ok()).collect();
    judgements.sort_by_key(|judgement| judgement.is_current);
    for judgement in judgements {
        lines.put("judgements", Some(&judgement.key.to_string()), &wire_judgement(&judgement))?;
    }
    Ok(())
}

/// Adds runs of a judgement, of which some may be gone.
pub fn put_runs(
    lines: &mut Lines,
    view: &View<'_>,
    judgement: JudgementKey,
    ordinals: std::ops::RangeInclusive<u32>,
) -> Result<(), Problem> {
    let runs = view.runs(judgement).unwrap_or_default();
    for ordinal in ordinals {
        match runs.iter().find(|run| run.ordinal == ordinal) {
            Some(run) => {
                let run = wire_run(run);
                lines.put("runs", Some(&run.id), &run)?;
            }
            None => lines.delete("runs", &format!("{judgement}-{ordinal}")),
        }
    }
    Ok(())
}

/// A collection whose notices do not name what changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Collection {
    JudgementTypes,
    Languages,
    Awards,
}

impl Collection {
    pub fn kind(self) -> &'static str {
        match self {
            Self::JudgementTypes => "judgement-types",
            Self::Languages => "languages",
            Self::Awards => "awards",
        }
    }

    /// Returns its objects, each by id as JSON.
    pub fn objects(self, view: &View<'_>) -> Result<Vec<(String, serde_json::Value)>, Problem> {
        let value = |id: &str, object: Result<serde_json::Value, serde_json::Error>| {
            object.map(|object| (id.to_owned(), object)).map_err(Problem::internal)
        };
        match self {
            Self::JudgementTypes => judgement_types(view.contest().scoring)
                .iter()
                .map(|entry| value(&entry.id, serde_json::to_value(entry)))
                .collect(),
            Self::Languages => wire_languages(view)
                .iter()
                .map(|entry| value(&entry.id, serde_json::to_value(entry)))
                .collect(),
            Self::Awards => view
                .awards()
                .iter()
                .map(|award| value(&award.id, serde_json::to_value(wire_award(award))))
                .collect(),
        }
    }
}
