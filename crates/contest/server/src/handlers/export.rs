//! A contest as the files of a contest package.

use crate::contest_package::{self, Options};
use crate::extract::{Json, Query};
use crate::handlers::InContest;
use crate::{Problem, attachments, zips};
use axum::response::Response;
use contest_rules::ContestId;
use contest_rules::files;
use documents::contest as api;
use serde::Deserialize;

/// Returns a contest's files and the hashes of its packages. No file has a password.
pub async fn export(at: InContest) -> Result<Json<api::ImportFiles>, Problem> {
    let id: ContestId = at.id()?;
    let (attachments, packages) = at.view(|view| {
        view.jury()?;
        let settings =
            view.problems().into_iter().filter_map(|problem| problem.jury).map(|jury| jury.settings);
        let packages = settings.map(|one| (one.id.to_string(), one.package.0.to_string()));
        Ok((attachments::exported(view), packages.collect()))
    })?;
    let files = contest_package::present(&at.app, &at.auth, &id)?;
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
