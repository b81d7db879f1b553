//! Problems and their packages, languages, judgement types.

use super::created;
use super::import::with_package;
use crate::auth::Auth;
use crate::collection::Filters;
use crate::extract::{Json, Query};
use crate::handlers::{Id, InContest};
use crate::wire::{from_request, id, judgement_types, named, refused, texts, wire_languages, wire_problem};
use crate::{Problem, Shared, package_texts, packages};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contest_rules::roles::Resource;
use contest_rules::view::JuryProblemView;
use contest_rules::{
    Action, Command, ContestId, ProblemEntry, ProblemId, ProblemSettings, StatementForm, WantedStatement,
};
use documents::contest as api;
use documents::judgehost::StatementFormat;
use model::Nanos;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::time::Instant;
use store::StoredBlob;

/// How much of each text of a case is sent by default.
const CASE_BYTES: u64 = 64 << 10;
/// For more there is the package.
const CASE_BYTES_MAX: u64 = 4 << 20;

pub async fn list(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    at.list(&filters, |view| {
        Ok(view.problems().iter().map(|problem| wire_problem(&at.contest, problem)).collect())
    })
}

pub(super) fn read(at: &InContest, problem: &str) -> Result<api::Problem, Problem> {
    at.view(|view| Ok(wire_problem(&at.contest, &view.problem(&named("problem", problem)?)?)))
}

pub async fn get(at: InContest, Id(problem): Id) -> Result<Json<api::Problem>, Problem> {
    Ok(Json(read(&at, &problem)?))
}

#[derive(Deserialize)]
pub struct PackageName {
    #[serde(default)]
    name: Option<String>,
    /// The hash of one that was uploaded before.
    #[serde(default)]
    uploaded: Option<String>,
}

pub async fn package(
    State(app): State<Shared>,
    auth: Auth,
    Query(query): Query<PackageName>,
    request: Request,
) -> Result<Response, Problem> {
    // Before gigabytes are read from a client that may not add a package.
    auth.may_read(Resource::Packages)?;
    let limit = app.config.limits.package_bytes;
    let stored = match &query.uploaded {
        Some(hash) => super::blobs::stored(&app, &auth, "uploaded", hash).await?,
        None => super::blobs::receive(&app, &auth, request, limit, None).await?,
    };
    let name = query.name.unwrap_or_default();
    let report = app.blocking(move |app| packages::report(app, &stored, &name)).await?;
    Ok(created(&format!("/api/blobs/{}", report.package), report))
}

/// Whether something is only tried.
#[derive(Deserialize)]
pub struct Trial {
    #[serde(default)]
    dry_run: bool,
}

/// Adds a problem from a package, or replaces one.
pub async fn add(
    at: InContest,
    Query(Trial { dry_run }): Query<Trial>,
    Json(problem): Json<api::NewProblem>,
) -> Result<Response, Problem> {
    at.auth.may_read(Resource::Packages)?;
    let stored = super::blobs::stored(&at.app, &at.auth, "package", &problem.package).await?;
    let (id, _) = set_from_package(&at, (stored, problem), dry_run).await?;
    if dry_run {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let object = read(&at, &id)?;
    Ok(at.created(&format!("problems/{id}"), object))
}

/// Adds a problem from a package that is stored, or replaces one, or only tries to. Returns its id, and what is odd in the package.
pub(super) async fn set_from_package(
    at: &InContest,
    (stored, problem): (StoredBlob, api::NewProblem),
    dry_run: bool,
) -> Result<(String, Vec<api::ImportMessage>), Problem> {
    let name = problem.id.clone().unwrap_or_default();
    let earlier_scores = at.view(|view| {
        let known = problem.id.as_deref().and_then(|id| id.parse().ok()).map(|id| view.problem(&id));
        let settings = known.and_then(Result::ok).and_then(|known| Some(known.jury?.settings));
        Ok(settings.filter(|known| known.waits_for_package()).and_then(|waiting| waiting.scores))
    })?;
    let scores = problem.scores.or(earlier_scores);
    let package = packages::read_and_store(&at.app, &at.auth, stored, name, (dry_run, scores)).await?;
    let warnings = package.report.warnings.clone();
    let settings = at.view(|view| {
        let taken = view.problems();
        let id: ProblemId = id("id", problem.id.as_deref().unwrap_or(&package.report.suggested_id))?;
        let old = taken.iter().find(|entry| *entry.id == id);
        let labels: BTreeSet<&str> = taken.iter().map(|entry| entry.object.label.as_str()).collect();
        let last = taken.iter().map(|entry| entry.object.ordinal).max();
        let label = problem.label.clone().or_else(|| old.map(|old| old.object.label.clone()));
        let ordinal = problem.ordinal.or_else(|| old.map(|old| old.object.ordinal));
        let whole = api::NewProblem {
            id: Some(id.to_string()),
            label: Some(label.unwrap_or_else(|| free_label(&labels))),
            ordinal: Some(ordinal.unwrap_or_else(|| last.map_or(0, |last| last + 1))),
            ..problem.clone()
        };
        let whole = serde_json::to_value(whole).map_err(Problem::internal)?;
        let entry = from_request(&whole, ProblemEntry::read_one)?;
        let old = old.and_then(|old| Some(old.jury.as_ref()?.settings));
        let package = package.settings(&entry)?;
        Ok(with_package(entry, package, old))
    })?;
    let id = settings.id.to_string();
    let command = Command::In(at.id()?, Action::SetProblem(Box::new(settings)));
    match dry_run {
        true => at.app.try_all(&at.auth, vec![command]).await?,
        false => at.app.act(&at.auth, command).await.map(|_| ())?,
    }
    Ok((id, warnings))
}

/// Returns the first letter that no problem has, then numbers.
fn free_label(taken: &BTreeSet<&str>) -> String {
    let letters = ('A'..='Z').map(String::from);
    let numbers = (1..).map(|number: u32| format!("P{number}"));
    letters.chain(numbers).find(|label| !taken.contains(label.as_str())).unwrap_or_default()
}

/// Returns the limit on time that a problem's package sets.
async fn of_package(app: &Shared, problem: &ProblemSettings) -> Result<Option<Nanos>, Problem> {
    let (package, name) = (problem.package.0.parse().map_err(Problem::internal)?, problem.id.to_string());
    let report = app.blocking(move |app| {
        let size_bytes = app.blobs.size(&package)?.unwrap_or_default();
        packages::report(app, &StoredBlob { hash: package, size_bytes }, &name)
    });
    Ok(report.await?.time_limit.and_then(Nanos::from_secs_f64))
}

pub async fn change(
    at: InContest,
    Id(problem): Id,
    Json(patch): Json<api::ProblemPatch>,
) -> Result<Json<api::Problem>, Problem> {
    let id: ProblemId = named("problem", &problem)?;
    let contest_id: ContestId = at.id()?;
    let mut actions = Vec::new();
    let change = serde_json::to_value(&patch).map_err(Problem::internal)?;
    let mut change = change.as_object().cloned().unwrap_or_default();
    change.retain(|name, _| !["is_paused", "pause_reason", "is_verified"].contains(&name.as_str()));
    if !change.is_empty() {
        let mut old = at.view(|view| Ok(view.jury_problem(&id)?.settings.clone()))?;
        if patch.time_limit == Some(None) {
            old.time_limit = of_package(&at.app, &old).await?;
        }
        actions.push(Action::SetProblem(Box::new(old.changed(&change).map_err(refused)?)));
    }
    let reason = patch.pause_reason;
    actions.extend(patch.is_paused.map(|is_paused| Action::PauseProblem(id.clone(), is_paused, reason)));
    actions.extend(patch.is_verified.filter(|is| *is).map(|_| Action::VerifyProblem(id.clone())));
    let commands = actions.into_iter().map(|action| Command::In(contest_id.clone(), action)).collect();
    at.app.act_all(&at.auth, commands).await?;
    Ok(Json(read(&at, &problem)?))
}

pub async fn remove(at: InContest, Id(problem): Id) -> Result<StatusCode, Problem> {
    at.done(Action::RemoveProblem(named("problem", &problem)?)).await
}

pub async fn get_package(at: InContest, Id(problem): Id, request: Request) -> Result<Response, Problem> {
    let id: ProblemId = named("problem", &problem)?;
    let hash = at.view(|view| Ok(view.jury_problem(&id)?.settings.package.clone()))?;
    super::blobs::send(&at.app, &hash, request.headers(), "application/zip", &format!("{problem}.zip")).await
}

/// Returns what the jury set of a problem.
pub async fn state(at: InContest, Id(problem): Id) -> Result<Json<api::ProblemState>, Problem> {
    let id: ProblemId = named("problem", &problem)?;
    at.view(|view| Ok(Json(wire_state(&at, &view.jury_problem(&id)?)?)))
}

/// Returns what the jury set of all problems, in their order.
pub async fn states(at: InContest) -> Result<Json<Vec<api::ProblemState>>, Problem> {
    at.view(|view| {
        view.require_jury()?;
        let problems = view.problems();
        let states = problems.iter().filter_map(|problem| Some(wire_state(&at, problem.jury.as_ref()?)));
        Ok(Json(states.collect::<Result<_, _>>()?))
    })
}

fn wire_state(at: &InContest, jury: &JuryProblemView<'_>) -> Result<api::ProblemState, Problem> {
    let waits = jury.settings.waits_for_package();
    let reason = jury.settings.pause_reason.as_deref().or(waits.then_some("its package is missing"));
    Ok(api::ProblemState {
        id: jury.settings.id.to_string(),
        languages: texts(&jury.settings.languages),
        is_paused: jury.settings.is_paused || waits,
        pause_reason: reason.map(str::to_owned),
        paused_because: jury.paused_because.map(ToOwned::to_owned),
        added_by: jury.added_by.map(ToString::to_string),
        verified_by: jury.settings.verified_by.as_ref().map(ToString::to_string),
        package: jury.settings.package.0.to_string(),
        scores: jury.settings.scores,
        statements: statements(at, jury.settings)?,
    })
}

/// Returns the forms of a problem's statement: those that are there, and those that can be made.
pub(super) fn statements(
    at: &InContest,
    settings: &ProblemSettings,
) -> Result<Vec<api::StatementState>, Problem> {
    let files = &settings.files;
    let of = |files: &[contest_rules::ProblemFile], form: fn(String) -> StatementForm| {
        files.iter().filter_map(|file| file.language.clone()).map(form).collect::<Vec<_>>()
    };
    let there = [of(&files.pages, StatementForm::page), of(&files.statements, StatementForm::pdf)].concat();
    let forms: BTreeSet<StatementForm> = files.statement_forms().chain(there).collect();
    let contest = at.id()?;
    let state = |form: StatementForm| {
        let report = files.statement_report(&form);
        let wanted = WantedStatement {
            contest: contest.clone(),
            problem: settings.id.clone(),
            package: settings.package.clone(),
            form: form.clone(),
        };
        let lacking = report.map(|report| report.lacking.clone()).unwrap_or_default();
        let state = match (files.statement(&form), report) {
            (Some(_), Some(_)) if !lacking.is_empty() => api::StatementProgress::Plain,
            (Some(_), _) => api::StatementProgress::Ready,
            _ if at.app.statements.is_making(&wanted, Instant::now()) => api::StatementProgress::Making,
            (None, Some(_)) => api::StatementProgress::Impossible,
            (None, None) => api::StatementProgress::Waiting,
        };
        api::StatementState {
            format: if form.is_page { StatementFormat::Html } else { StatementFormat::Pdf },
            language: form.language,
            state,
            lacking,
            text: report.map(|report| report.text.clone()).filter(|text| !text.is_empty()),
        }
    };
    Ok(forms.into_iter().map(state).collect())
}

#[derive(Deserialize)]
pub struct CaseQuery {
    name: String,
    #[serde(default)]
    max_bytes: Option<u64>,
}

/// Returns the texts of a case.
pub async fn case(
    at: InContest,
    Id(problem): Id,
    Query(query): Query<CaseQuery>,
) -> Result<Json<api::CaseTexts>, Problem> {
    let id: ProblemId = named("problem", &problem)?;
    let package = at.view(|view| Ok(view.jury_problem(&id)?.settings.package.clone()))?;
    let bytes_max = query.max_bytes.unwrap_or(CASE_BYTES).min(CASE_BYTES_MAX);
    let texts = at.app.blocking(move |app| {
        let package = package.0.parse().map_err(Problem::internal)?;
        package_texts::of_case(app, &package, &query.name, bytes_max)
    });
    Ok(Json(texts.await?))
}

pub async fn languages(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    at.list(&filters, |view| Ok(wire_languages(view)))
}

pub async fn language(at: InContest, Id(language): Id) -> Result<Json<api::Language>, Problem> {
    let all = at.view(|view| Ok(wire_languages(view)))?;
    let found = all.into_iter().find(|entry| entry.id == language);
    found.map(Json).ok_or_else(|| Problem::not_found("language", language))
}

pub async fn types(at: InContest, Query(filters): Query<Filters>) -> Result<Response, Problem> {
    at.list(&filters, |view| Ok(judgement_types(view.contest().scoring)))
}

pub async fn one_type(at: InContest, Id(wanted): Id) -> Result<Json<api::JudgementType>, Problem> {
    let all = at.view(|view| Ok(judgement_types(view.contest().scoring)))?;
    let found = all.into_iter().find(|entry| entry.id == wanted);
    found.map(Json).ok_or_else(|| Problem::not_found("judgement type", wanted))
}
