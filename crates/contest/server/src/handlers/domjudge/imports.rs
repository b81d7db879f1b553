//! What `import-contest` sends one by one: files, pictures and packages of problems.

use super::super::files::set_only;
use super::super::import::{BODY_BYTES_MAX, Trial, import_files};
use super::super::problems::set_from_package;
use crate::auth::Auth;
use crate::extract::{Json, Path};
use crate::handlers::{Id, InContest};
use crate::multipart::{Form, LaterForm, not_one_file};
use crate::wire::named;
use crate::{App, Problem, Shared};
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use contest_rules::roles::Resource;
use contest_rules::{FileOwner, FileProperty};
use documents::contest as api;
use std::collections::BTreeMap;

/// Has one warning each, where the client's answer has no place for it.
const WARNING: HeaderName = HeaderName::from_static("tautochrone-warning");
/// More headers are refused by clients.
const WARNINGS_MAX: usize = 20;
/// All of them fit into what clients take.
const WARNING_BYTES_MAX: usize = 300;

/// Imports a `contest.yaml` or `contest.json`, and returns the contest's id.
pub async fn contest(State(app): State<Shared>, auth: Auth, form: LaterForm) -> Result<Response, Problem> {
    auth.may_read(Resource::Packages)?;
    let form = form.read(&app, BODY_BYTES_MAX).await?;
    let (kind, _, text) = only_file(form, &["yaml", "json"])?;
    let report = import(&app, &auth, None, format!("contest.{kind}"), text).await?;
    Ok(with_warnings(Json(report.contest_id), &report.warnings))
}

/// Imports a list of problems whose packages come later, and returns their ids.
pub async fn problem_data(at: InContest, form: LaterForm) -> Result<Response, Problem> {
    at.auth.may_read(Resource::Packages)?;
    let form = form.read(&at.app, BODY_BYTES_MAX).await?;
    let (_, name, text) = only_file(form, &["data"])?;
    // JSON is YAML, too.
    let is_known = |name: &&str| ["problems.json", "problemset.yaml"].contains(name);
    let name = name.rsplit(['/', '\\']).next().filter(is_known).unwrap_or("problems.yaml");
    let (name, sent) = (name.to_owned(), text.clone());
    let report = import(&at.app, &at.auth, Some(at.contest), name.clone(), text).await?;
    let read = at
        .app
        .blocking(move |_| Ok(contest_rules::files::read_one(&name, "problems", sent.as_bytes()).0.problems));
    let ids: Vec<String> = read.await?.iter().map(|problem| problem.id.to_string()).collect();
    Ok(with_warnings(Json(ids), &report.warnings))
}

/// Adds a problem from a package, or replaces one.
pub async fn add_problem(at: InContest, form: LaterForm) -> Result<Json<api::DomjudgeAddedProblem>, Problem> {
    at.auth.may_read(Resource::Packages)?;
    at.view(|_| Ok(()))?;
    let limit = at.app.config.limits.package_bytes;
    let store = |request| super::super::blobs::receive(&at.app, &at.auth, request, limit, None);
    let (mut form, name, stored) = form.read_one(&["zip"], limit, store).await?;
    let id = form.take("problem")?;
    form.finish("problem, and the file zip")?;
    let problem = api::NewProblem {
        id: id.or_else(|| Some(name.strip_suffix(".zip").unwrap_or(&name).to_owned())),
        package: stored.hash.to_string(),
        ..api::NewProblem::default()
    };
    let (problem_id, warnings) = set_from_package(&at, (stored, problem), false).await?;
    let warning = warnings.iter().map(text_of).collect();
    Ok(Json(api::DomjudgeAddedProblem { problem_id, messages: api::DomjudgeMessages { warning } }))
}

pub async fn set_banner(at: InContest, form: LaterForm) -> Result<StatusCode, Problem> {
    set_only(&at, FileOwner::Contest, FileProperty::Banner, form).await
}

pub async fn set_logo(at: InContest, Id(organization): Id, form: LaterForm) -> Result<StatusCode, Problem> {
    let of = FileOwner::Organization(named("organization", &organization)?);
    set_only(&at, of, FileProperty::Logo, form).await
}

pub async fn set_photo(at: InContest, Id(team): Id, form: LaterForm) -> Result<StatusCode, Problem> {
    let of = FileOwner::Team(named("team", &team)?);
    set_only(&at, of, FileProperty::Photo, form).await
}

/// Sets the logo of an organization of the one contest that has not started.
pub async fn set_next_logo(
    State(app): State<Shared>,
    auth: Auth,
    Path(organization): Path<String>,
    form: LaterForm,
) -> Result<StatusCode, Problem> {
    auth.may_read(Resource::Packages)?;
    let contest = next_contest(&app, &auth)?;
    set_logo(InContest { app, auth, contest }, Id(organization), form).await
}

/// Sets the photo of a team of the one contest that has not started.
pub async fn set_next_photo(
    State(app): State<Shared>,
    auth: Auth,
    Path(team): Path<String>,
    form: LaterForm,
) -> Result<StatusCode, Problem> {
    auth.may_read(Resource::Packages)?;
    let contest = next_contest(&app, &auth)?;
    set_photo(InContest { app, auth, contest }, Id(team), form).await
}

/// Imports groups, organizations, teams or accounts into the one contest that has not started, and returns what was done.
pub async fn objects(
    State(app): State<Shared>,
    auth: Auth,
    Path(objects): Path<String>,
    form: LaterForm,
) -> Result<Json<String>, Problem> {
    auth.may_read(Resource::Packages)?;
    if !["groups", "organizations", "teams", "accounts"].contains(&objects.as_str()) {
        return Err(Problem::not_found("kind of objects", objects));
    }
    let form = form.read(&app, BODY_BYTES_MAX).await?;
    let (kind, _, text) = only_file(form, &["json", "tsv", "yaml"])?;
    let is_second = objects == "teams" && kind == "tsv" && text.starts_with("File_Version\t2");
    let name = format!("{objects}{}.{kind}", if is_second { "2" } else { "" });
    let contest = next_contest(&app, &auth)?;
    let report = import(&app, &auth, Some(contest), name, text).await?;
    let warnings = report.warnings.iter().map(text_of);
    let done: Vec<String> = report.changes.into_iter().chain(warnings).collect();
    Ok(Json(format!("{}: {}", report.contest_id, done.join("; "))))
}

async fn import(
    app: &Shared,
    auth: &Auth,
    contest_id: Option<String>,
    name: String,
    text: String,
) -> Result<api::ImportReport, Problem> {
    let sent = api::ImportFiles { contest_id, files: BTreeMap::from([(name, text)]), ..Default::default() };
    import_files(app, auth, sent, Trial { may_lack_packages: true, ..Trial::default() }).await
}

fn text_of(warning: &api::ImportMessage) -> String {
    let file = warning.file.iter().map(|file| format!("{file}:"));
    let line = warning.line.iter().map(|line| format!("{line}:"));
    let place: String = file.chain(line).collect();
    if place.is_empty() { warning.message.clone() } else { format!("{place} {}", warning.message) }
}

/// Returns an answer with warnings in headers, and writes them to the log: the client shows nothing but what it expects.
fn with_warnings(answer: impl IntoResponse, warnings: &[api::ImportMessage]) -> Response {
    let mut answer = answer.into_response();
    let texts: Vec<String> = warnings.iter().map(text_of).collect();
    texts.iter().for_each(|warning| tracing::warn!(warning, "an import of DOMjudge's client"));
    let left = texts.len().saturating_sub(WARNINGS_MAX);
    let rest = (left > 0).then(|| format!("and {left} more, which are in the server's log"));
    for text in texts.iter().take(WARNINGS_MAX).chain(&rest) {
        let text = text[..text.floor_char_boundary(WARNING_BYTES_MAX)].replace(char::is_control, " ");
        if let Ok(value) = HeaderValue::from_bytes(text.as_bytes()) {
            answer.headers_mut().append(WARNING, value);
        }
    }
    answer
}

/// Returns the one file of a form: the field that it is in, its name and its text.
fn only_file(mut form: Form, kinds: &[&str]) -> Result<(String, String, String), Problem> {
    form.finish("none but the file's")?;
    let file = form.files.pop().filter(|(kind, ..)| form.files.is_empty() && kinds.contains(&kind.as_str()));
    let (kind, name, content) = file.ok_or_else(|| not_one_file(kinds))?;
    let text = String::from_utf8(content).map_err(|_| Problem::invalid_field("file", "it is not UTF-8"))?;
    Ok((kind, name, text))
}

/// DOMjudge's objects belong to no contest, those here do.
fn next_contest(app: &App, auth: &Auth) -> Result<String, Problem> {
    let state = app.published.state();
    let views = state.views(&auth.caller);
    let mut next = views.iter().filter(|view| view.state().started.is_none());
    let contest = next.next().map(|view| view.id().to_string());
    let contest = contest.filter(|_| next.next().is_none());
    contest.ok_or_else(|| {
        let detail = "groups, organizations, teams and accounts belong to a contest here, and it is not clear to which: make \
                      one contest that has not started, or use tauto contest import";
        Problem::new(StatusCode::CONFLICT, "no-contest", detail)
    })
}
