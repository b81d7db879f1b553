//! A contest as the files of a contest package.

use crate::contest_package::{self, Options};
use crate::extract::{Json, Query};
use crate::handlers::InContest;
use crate::{Problem, attachments, zips};
use axum::response::Response;
use contest_rules::files::{self, AccountEntry, ContestFiles};
use contest_rules::{ContestId, ProblemEntry};
use documents::contest as api;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Returns a contest's files and the hashes of its packages. No file has a password.
pub async fn export(at: InContest) -> Result<Json<api::ImportFiles>, Problem> {
    let id: ContestId = at.id()?;
    let state = at.app.published.state();
    let view = state.view(&at.auth.caller, &id)?;
    let jury = view.jury().map_err(|refusal| at.auth.explain(refusal))?;
    let mut packages = BTreeMap::new();
    let mut problems = Vec::new();
    for settings in view.problems().into_iter().filter_map(|problem| problem.jury).map(|jury| jury.settings) {
        packages.insert(settings.id.to_string(), settings.package.0.to_string());
        problems.push(ProblemEntry::of(settings));
    }
    // Only admins see accounts.
    let accounts = state.server(&at.auth.caller).accounts().unwrap_or_default();
    let accounts = accounts.into_iter().filter(|settings| settings.contests.contains(&id));
    let attachments = attachments::exported(&view);
    let files = ContestFiles {
        contest: Some((id.clone(), jury.settings.clone())),
        problems,
        groups: view.groups().cloned().collect(),
        organizations: view.organizations().cloned().collect(),
        teams: view.team_settings()?.cloned().collect(),
        persons: view.person_settings()?.cloned().collect(),
        accounts: accounts
            .map(|settings| AccountEntry { settings: settings.clone(), password: None })
            .collect(),
    };
    let texts = files::write(&files);
    let texts = texts.into_iter().map(|(name, bytes)| (name, String::from_utf8_lossy(&bytes).into_owned()));
    Ok(Json(api::ImportFiles {
        contest_id: Some(id.to_string()),
        files: texts.collect(),
        packages,
        attachments,
    }))
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct PackageQuery {
    /// Whether it says that nothing changes any more, which the ICPC resolver waits for.
    resolver: bool,
}

pub async fn package(at: InContest, Query(query): Query<PackageQuery>) -> Result<Response, Problem> {
    at.view(|view| {
        view.require_jury()?;
        if query.resolver && view.state().finalized.is_none() {
            return Err(Problem::conflict(
                "not-final",
                "the resolver shows final results: finalize them first",
            ));
        }
        Ok(())
    })?;
    let id: ContestId = at.id()?;
    // A copy: the archive is made as slowly as its client takes it.
    let (state, caller) = (at.app.published.state().only(&id), at.auth.caller.clone());
    let options = Options { for_resolver: query.resolver };
    zips::answer(&at.app, &format!("{}.zip", at.contest), move |app, zip| {
        contest_package::write(app, zip, &state.view(&caller, &id)?, options)
    })
    .await
}
