//! DOMjudge's API, for its own clients: `submit`, `export-contest`, readers of its scoreboard.

use crate::attachments::FILE_BYTES_MAX;
use crate::handlers::domjudge;
use crate::multipart::FRAME_BYTES_MAX;
use crate::routes::{Routes, get, post, put};
use crate::sources;
use ::documents::contest as api;
use axum::http::Method;

const FORM: &str = "multipart/form-data";
/// A submission's files as they are, and the form around them.
const SUBMISSION_BYTES_MAX: usize = sources::BYTES_MAX as usize + FRAME_BYTES_MAX;
const IMPORT_BYTES_MAX: usize = crate::handlers::import::BODY_BYTES_MAX + FRAME_BYTES_MAX;
const PICTURE_BYTES_MAX: usize = FILE_BYTES_MAX as usize + FRAME_BYTES_MAX;

pub fn add(routes: Routes) -> Routes {
    sent_by_import_contest(in_other_shape(as_in_the_standard(routes)))
}

/// Adds what DOMjudge has in another shape, or the standard does not have.
fn in_other_shape(routes: Routes) -> Routes {
    routes
        .below("/api/v4")
        .add(
            get("", "What this API is, for DOMjudge's clients.").returns::<api::DomjudgeInformation>(),
            domjudge::information,
        )
        .add(
            get("/", "What this API is, for DOMjudge's clients.").returns::<api::DomjudgeInformation>(),
            domjudge::information,
        )
        .add(
            get("/info", "What this API is, for DOMjudge's clients.").returns::<api::DomjudgeInformation>(),
            domjudge::information,
        )
        .add(
            get("/version", "The version of DOMjudge's API.").returns::<api::DomjudgeVersion>(),
            domjudge::version,
        )
        .add(get("/user", "The caller's own account.").returns::<api::DomjudgeUser>(), domjudge::user)
        .add(
            get("/contests", "The contests that are not over.")
                .query("onlyActive", "`false`: those that are over as well.")
                .returns::<Vec<api::DomjudgeContest>>(),
            domjudge::contests,
        )
        .add(
            post("/contests", "Imports a contest.yaml or contest.json, and returns the contest's id.")
                .takes_bytes(FORM, IMPORT_BYTES_MAX)
                .returns::<String>()
                .unlimited_time(),
            domjudge::import_contest,
        )
        .add(
            post(
                "/users/{objects}",
                "Imports groups, organizations, teams or accounts into the one contest that has not started.",
            )
            .takes_bytes(FORM, IMPORT_BYTES_MAX)
            .returns::<String>()
            .unlimited_time(),
            domjudge::import_objects,
        )
        .add(get("/contests/{contest}", "A contest.").returns::<api::DomjudgeContest>(), domjudge::contest)
        .add(
            get("/contests/{contest}/status", "How much is judged, for the jury.")
                .returns::<api::DomjudgeStatus>(),
            domjudge::status,
        )
        .add(
            get("/contests/{contest}/languages", "The languages, each with an extension.")
                .returns::<Vec<api::Language>>(),
            domjudge::languages,
        )
        .add(
            get("/contests/{contest}/problems", "The problems.").returns::<Vec<api::DomjudgeProblem>>(),
            domjudge::problems,
        )
        .add(
            get("/contests/{contest}/problems/{problem}", "A problem.").returns::<api::DomjudgeProblem>(),
            domjudge::problem,
        )
        .add(
            get("/contests/{contest}/scoreboard", "The scoreboard, with an ETag.")
                .query("category", "Only the teams of this group.")
                .query("public", "`true`: as the public sees it, also for the jury.")
                .query("allteams", "`true`: with the teams that are out of the ranking, for the jury.")
                .returns::<api::DomjudgeScoreboard>(),
            domjudge::scoreboard,
        )
        .add(
            get("/contests/{contest}/balloons", "The balloons.")
                .query("todo", "`true`: only those that were not brought yet.")
                .returns::<Vec<api::DomjudgeBalloon>>(),
            domjudge::balloons,
        )
        .add(
            post("/contests/{contest}/submissions", "Submits a program, as a form with files.")
                .takes_bytes(FORM, SUBMISSION_BYTES_MAX)
                .returns::<api::Submission>(),
            domjudge::submit,
        )
        .add(
            put(
                "/contests/{contest}/submissions/{submission}",
                "Submits with an id and a time, from an admin.",
            )
            .takes_bytes(FORM, SUBMISSION_BYTES_MAX)
            .returns::<api::Submission>(),
            domjudge::put_submission,
        )
        .add(
            get(
                "/contests/{contest}/submissions/{submission}/source-code",
                "A submission's files, each by itself.",
            )
            .returns::<Vec<api::DomjudgeSource>>(),
            domjudge::source_code,
        )
        .add(
            get("/contests/{contest}/results.tsv", "The results as the ICPC takes them.")
                .returns_bytes("text/tab-separated-values"),
            domjudge::results,
        )
}

/// Adds pictures and packages of problems.
fn sent_by_import_contest(routes: Routes) -> Routes {
    let picture = |path, summary| post(path, summary).takes_bytes(FORM, PICTURE_BYTES_MAX).unlimited_time();
    routes
        .add(
            post(
                "/contests/{contest}/problems/add-data",
                "Imports a list of problems, which are paused until their packages come, and returns their ids.",
            )
            .takes_bytes(FORM, IMPORT_BYTES_MAX)
            .returns::<Vec<String>>()
            .unlimited_time(),
            domjudge::problem_data,
        )
        .add(
            post("/contests/{contest}/problems", "Adds a problem from a package, or replaces one.")
                .takes_bytes(FORM, usize::MAX)
                .returns::<api::DomjudgeAddedProblem>()
                .unlimited_time(),
            domjudge::add_problem,
        )
        .add(picture("/contests/{contest}/banner", "Sets the contest's banner."), domjudge::set_banner)
        .add(
            picture(
                "/contests/{contest}/organizations/{organization}/logo",
                "Sets an organization's logo.",
            ),
            domjudge::set_logo,
        )
        .add(
            picture("/contests/{contest}/teams/{team}/photo", "Sets a team's photo."),
            domjudge::set_photo,
        )
        .add(
            picture(
                "/organizations/{organization}/logo",
                "Sets the logo of an organization of the one contest that has not started.",
            ),
            domjudge::set_next_logo,
        )
        .add(
            picture(
                "/teams/{team}/photo",
                "Sets the photo of a team of the one contest that has not started.",
            ),
            domjudge::set_next_photo,
        )
}

const STANDARD: [&str; 33] = [
    "/access",
    "/account",
    "/accounts",
    "/accounts/{account}",
    "/state",
    "/judgement-types",
    "/judgement-types/{type}",
    "/languages/{language}",
    "/groups",
    "/groups/{group}",
    "/organizations",
    "/organizations/{organization}",
    "/teams",
    "/teams/{team}",
    "/submissions",
    "/submissions/{submission}",
    "/submissions/{submission}/files",
    "/judgements",
    "/judgements/{judgement}",
    "/runs",
    "/runs/{run}",
    "/clarifications",
    "/clarifications/{clarification}",
    "/awards",
    "/awards/{award}",
    "/event-feed",
    "/scoreboard.zip",
    "/samples.zip",
    "/problems/{problem}/statement",
    "/problems/{problem}/package",
    "/problems/{problem}/files/{filename}",
    "/files/{property}/{filename}",
    "/{endpoint}/{id}/files/{property}/{filename}",
];

/// Adds it, by the standard's handlers.
fn as_in_the_standard(routes: Routes) -> Routes {
    let (from, to) = ("/api/contests/{contest}", "/api/v4/contests/{contest}");
    routes.add_again(&Method::GET, from, to, &STANDARD).add_again(
        &Method::POST,
        from,
        to,
        &["/clarifications"],
    )
}
