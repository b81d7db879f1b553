//! The files that `import-contest` sends one by one.

use super::super::import::{import_files, may_import};
use crate::auth::Auth;
use crate::extract::{Json, Path};
use crate::multipart::{Form, LaterForm};
use crate::{App, Problem, Shared};
use api::contest as api;
use axum::extract::State;
use axum::http::StatusCode;
use std::collections::BTreeMap;

/// Imports a `contest.yaml` or `contest.json`, and returns the contest's id.
pub async fn contest(
    State(app): State<Shared>,
    auth: Auth,
    form: LaterForm,
) -> Result<Json<String>, Problem> {
    may_import(&auth)?;
    let form = form.read(&app, super::super::import::BODY_BYTES_MAX).await?;
    let (kind, text) = only_file(form, &["yaml", "json"])?;
    let report = import(&app, &auth, None, format!("contest.{kind}"), text).await?;
    Ok(Json(report.contest_id))
}

/// Imports groups, organizations, teams or accounts into the one contest that has not started, and returns what was done.
pub async fn objects(
    State(app): State<Shared>,
    auth: Auth,
    Path(objects): Path<String>,
    form: LaterForm,
) -> Result<Json<String>, Problem> {
    may_import(&auth)?;
    if !["groups", "organizations", "teams", "accounts"].contains(&objects.as_str()) {
        return Err(Problem::not_found("kind of objects", objects));
    }
    let form = form.read(&app, super::super::import::BODY_BYTES_MAX).await?;
    let (kind, text) = only_file(form, &["json", "tsv", "yaml"])?;
    let is_second = objects == "teams" && kind == "tsv" && text.starts_with("File_Version\t2");
    let name = format!("{objects}{}.{kind}", if is_second { "2" } else { "" });
    let contest = next_contest(&app, &auth)?;
    let report = import(&app, &auth, Some(contest), name, text).await?;
    let warnings = report.warnings.into_iter().map(|warning| warning.message);
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
    import_files(app, auth, sent, false).await
}

/// Returns the one file of a form, and the field that it is in.
fn only_file(mut form: Form, kinds: &[&str]) -> Result<(String, String), Problem> {
    form.finish("none but the file's")?;
    let file = form.files.pop().filter(|(kind, ..)| form.files.is_empty() && kinds.contains(&kind.as_str()));
    let (kind, _, content) = file
        .ok_or_else(|| Problem::invalid(format!("send one file, in a field named {}", kinds.join(" or "))))?;
    let text = String::from_utf8(content).map_err(|_| Problem::invalid_field("file", "it is not UTF-8"))?;
    Ok((kind, text))
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
