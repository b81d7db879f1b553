//! DOMjudge's API, for its own clients: `submit`, `export-contest`, readers of its scoreboard.

use crate::attachments::FILE_BYTES_MAX;
use crate::handlers::{
    access, awards, board, clarifications, contests, domjudge, files, judging, people, problem_files,
    problems, submissions,
};
use crate::multipart::FRAME_BYTES_MAX;
use crate::routes::{Routes, get, post, put};
use crate::{feed, sources};
use ::documents::contest as api;

const FORM: &str = "multipart/form-data";
/// A submission's files as they are, and the form around them.
const SUBMISSION_BYTES_MAX: usize = sources::BYTES_MAX as usize + FRAME_BYTES_MAX;
const IMPORT_BYTES_MAX: usize = crate::handlers::import::BODY_BYTES_MAX + FRAME_BYTES_MAX;
const PICTURE_BYTES_MAX: usize = FILE_BYTES_MAX as usize + FRAME_BYTES_MAX;

/// Adds them.
pub fn add(routes: Routes) -> Routes {
    sent_by_import_contest(in_other_shape(as_in_the_standard(routes)))
}

/// Adds what DOMjudge has in another shape, or the standard does not have.
fn in_other_shape(routes: Routes) -> Routes {
    routes
        .add(
            get("/api/v4", "What this API is, for DOMjudge's clients.").returns::<api::DomjudgeInformation>(),
            domjudge::information,
        )
        .add(get("/api/v4/", "The same.").returns::<api::DomjudgeInformation>(), domjudge::information)
        .add(get("/api/v4/info", "The same.").returns::<api::DomjudgeInformation>(), domjudge::information)
        .add(
            get("/api/v4/version", "The version of DOMjudge's API.").returns::<api::DomjudgeVersion>(),
            domjudge::version,
        )
        .add(get("/api/v4/user", "The caller's own account.").returns::<api::DomjudgeUser>(), domjudge::user)
        .add(
            get("/api/v4/contests", "The contests that are not over.")
                .query("onlyActive", "`false`: those that are over as well.")
                .returns::<Vec<api::DomjudgeContest>>(),
            domjudge::contests,
        )
        .add(
            post("/api/v4/contests", "Imports a contest.yaml or contest.json, and returns the contest's id.")
                .takes_bytes(FORM, IMPORT_BYTES_MAX)
                .returns::<String>()
                .unlimited_time(),
            domjudge::import_contest,
        )
        .add(
            post(
                "/api/v4/users/{objects}",
                "Imports groups, organizations, teams or accounts into the one contest that has not started.",
            )
            .takes_bytes(FORM, IMPORT_BYTES_MAX)
            .returns::<String>()
            .unlimited_time(),
            domjudge::import_objects,
        )
        .add(
            get("/api/v4/contests/{contest}", "A contest.").returns::<api::DomjudgeContest>(),
            domjudge::contest,
        )
        .add(
            get("/api/v4/contests/{contest}/status", "How much is judged, for the jury.")
                .returns::<api::DomjudgeStatus>(),
            domjudge::status,
        )
        .add(
            get("/api/v4/contests/{contest}/languages", "The languages, each with an extension.")
                .returns::<Vec<api::Language>>(),
            domjudge::languages,
        )
        .add(
            get("/api/v4/contests/{contest}/problems", "The problems.")
                .returns::<Vec<api::DomjudgeProblem>>(),
            domjudge::problems,
        )
        .add(
            get("/api/v4/contests/{contest}/problems/{problem}", "A problem.")
                .returns::<api::DomjudgeProblem>(),
            domjudge::problem,
        )
        .add(
            get("/api/v4/contests/{contest}/scoreboard", "The scoreboard, with an ETag.")
                .query("category", "Only the teams of this group.")
                .query("public", "`true`: as the public sees it, also for the jury.")
                .query("allteams", "`true`: with the teams that are out of the ranking, for the jury.")
                .returns::<api::DomjudgeScoreboard>(),
            domjudge::scoreboard,
        )
        .add(
            get("/api/v4/contests/{contest}/balloons", "The balloons.")
                .query("todo", "`true`: only those that were not brought yet.")
                .returns::<Vec<api::DomjudgeBalloon>>(),
            domjudge::balloons,
        )
        .add(
            post("/api/v4/contests/{contest}/submissions", "Submits a program, as a form with files.")
                .takes_bytes(FORM, SUBMISSION_BYTES_MAX)
                .returns::<api::Submission>(),
            domjudge::submit,
        )
        .add(
            put(
                "/api/v4/contests/{contest}/submissions/{submission}",
                "Submits with an id and a time, from an admin.",
            )
            .takes_bytes(FORM, SUBMISSION_BYTES_MAX)
            .returns::<api::Submission>(),
            domjudge::put_submission,
        )
        .add(
            get(
                "/api/v4/contests/{contest}/submissions/{submission}/source-code",
                "A submission's files, each by itself.",
            )
            .returns::<Vec<api::DomjudgeSource>>(),
            domjudge::source_code,
        )
        .add(
            get("/api/v4/contests/{contest}/results.tsv", "The results as the ICPC takes them.")
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
                "/api/v4/contests/{contest}/problems/add-data",
                "Imports a list of problems, which are paused until their packages come, and returns their ids.",
            )
            .takes_bytes(FORM, IMPORT_BYTES_MAX)
            .returns::<Vec<String>>()
            .unlimited_time(),
            domjudge::problem_data,
        )
        .add(
            post("/api/v4/contests/{contest}/problems", "Adds a problem from a package, or replaces one.")
                .takes_bytes(FORM, usize::MAX)
                .returns::<api::DomjudgeAddedProblem>()
                .unlimited_time(),
            domjudge::add_problem,
        )
        .add(picture("/api/v4/contests/{contest}/banner", "Sets the contest's banner."), domjudge::set_banner)
        .add(
            picture(
                "/api/v4/contests/{contest}/organizations/{organization}/logo",
                "Sets an organization's logo.",
            ),
            domjudge::set_logo,
        )
        .add(
            picture("/api/v4/contests/{contest}/teams/{team}/photo", "Sets a team's photo."),
            domjudge::set_photo,
        )
        .add(
            picture(
                "/api/v4/organizations/{organization}/logo",
                "Sets the logo of an organization of the one contest that has not started.",
            ),
            domjudge::set_next_logo,
        )
        .add(
            picture(
                "/api/v4/teams/{team}/photo",
                "Sets the photo of a team of the one contest that has not started.",
            ),
            domjudge::set_next_photo,
        )
}

/// Adds what DOMjudge has as the standard has it: by the standard's handlers.
fn as_in_the_standard(routes: Routes) -> Routes {
    routes
        .add(
            get("/api/v4/contests/{contest}/access", "What the caller can ever see and do.")
                .returns::<api::Access>(),
            access::get,
        )
        .add(
            get("/api/v4/contests/{contest}/account", "The caller's own account.").returns::<api::Account>(),
            access::account,
        )
        .add(
            get("/api/v4/contests/{contest}/accounts", "The accounts, for the jury.")
                .returns::<Vec<api::Account>>(),
            access::accounts,
        )
        .add(
            get("/api/v4/contests/{contest}/accounts/{account}", "An account, for the jury.")
                .returns::<api::Account>(),
            access::one_account,
        )
        .add(
            get("/api/v4/contests/{contest}/state", "What has happened.").returns::<api::ContestState>(),
            contests::state,
        )
        .add(
            get("/api/v4/contests/{contest}/judgement-types", "The kinds of verdicts.")
                .returns::<Vec<api::JudgementType>>(),
            problems::types,
        )
        .add(
            get("/api/v4/contests/{contest}/judgement-types/{type}", "A kind of verdict.")
                .returns::<api::JudgementType>(),
            problems::one_type,
        )
        .add(
            get("/api/v4/contests/{contest}/languages/{language}", "A language.").returns::<api::Language>(),
            problems::language,
        )
        .add(
            get("/api/v4/contests/{contest}/groups", "The groups.").returns::<Vec<api::Group>>(),
            people::groups,
        )
        .add(
            get("/api/v4/contests/{contest}/groups/{group}", "A group.").returns::<api::Group>(),
            people::group,
        )
        .add(
            get("/api/v4/contests/{contest}/organizations", "The organizations.")
                .returns::<Vec<api::Organization>>(),
            people::organizations,
        )
        .add(
            get("/api/v4/contests/{contest}/organizations/{organization}", "An organization.")
                .returns::<api::Organization>(),
            people::organization,
        )
        .add(get("/api/v4/contests/{contest}/teams", "The teams.").returns::<Vec<api::Team>>(), people::teams)
        .add(get("/api/v4/contests/{contest}/teams/{team}", "A team.").returns::<api::Team>(), people::team)
        .add(
            get("/api/v4/contests/{contest}/submissions", "The submissions.")
                .returns::<Vec<api::Submission>>(),
            submissions::list,
        )
        .add(
            get("/api/v4/contests/{contest}/submissions/{submission}", "A submission.")
                .returns::<api::Submission>(),
            submissions::get,
        )
        .add(
            get("/api/v4/contests/{contest}/submissions/{submission}/files", "A submission's files.")
                .returns_bytes("application/zip"),
            submissions::files,
        )
        .add(
            get("/api/v4/contests/{contest}/judgements", "The judgements.").returns::<Vec<api::Judgement>>(),
            judging::list,
        )
        .add(
            get("/api/v4/contests/{contest}/judgements/{judgement}", "A judgement.")
                .returns::<api::Judgement>(),
            judging::get,
        )
        .add(get("/api/v4/contests/{contest}/runs", "The runs.").returns::<Vec<api::Run>>(), judging::runs)
        .add(get("/api/v4/contests/{contest}/runs/{run}", "A run.").returns::<api::Run>(), judging::run)
        .add(
            get("/api/v4/contests/{contest}/clarifications", "The clarifications.")
                .returns::<Vec<api::Clarification>>(),
            clarifications::list,
        )
        .add(
            post(
                "/api/v4/contests/{contest}/clarifications",
                "Sends a question, an answer or an announcement.",
            )
            .takes::<api::NewClarification>()
            .creates::<api::Clarification>(),
            clarifications::send,
        )
        .add(
            get("/api/v4/contests/{contest}/clarifications/{clarification}", "A clarification.")
                .returns::<api::Clarification>(),
            clarifications::get,
        )
        .add(
            get("/api/v4/contests/{contest}/awards", "The awards.").returns::<Vec<api::Award>>(),
            awards::list,
        )
        .add(
            get("/api/v4/contests/{contest}/awards/{award}", "An award.").returns::<api::Award>(),
            awards::get,
        )
        .add(
            get("/api/v4/contests/{contest}/event-feed", "What the caller may see, and each change of it.")
                .query("since_token", "Only what came after the line with this token.")
                .query("stream", "`false`: ends when everything was sent.")
                .returns_bytes("application/x-ndjson")
                .unlimited_time(),
            feed::event_feed,
        )
        .add(
            get(
                "/api/v4/contests/{contest}/scoreboard.zip",
                "The scoreboard as a page that needs no server.",
            )
            .returns_bytes("application/zip")
            .unlimited_time(),
            board::archive,
        )
        .add(
            get("/api/v4/contests/{contest}/samples.zip", "The samples of all problems.")
                .returns_bytes("application/zip")
                .unlimited_time(),
            problem_files::all_samples,
        )
        .add(
            get("/api/v4/contests/{contest}/problems/{problem}/statement", "A problem's statement.")
                .returns_bytes("application/pdf")
                .unlimited_time(),
            problem_files::statement,
        )
        .add(
            get(
                "/api/v4/contests/{contest}/problems/{problem}/package",
                "A problem's package, for the jury.",
            )
            .returns_bytes("application/zip")
            .unlimited_time(),
            problems::get_package,
        )
        .add(
            get(
                "/api/v4/contests/{contest}/problems/{problem}/files/{filename}",
                "A statement or an attachment.",
            )
            .returns_bytes("application/octet-stream")
            .unlimited_time(),
            problem_files::file,
        )
        .add(
            get("/api/v4/contests/{contest}/files/{property}/{filename}", "A file of the contest.")
                .returns_bytes("application/octet-stream")
                .unlimited_time(),
            files::get_of_contest,
        )
        .add(
            get(
                "/api/v4/contests/{contest}/{endpoint}/{id}/files/{property}/{filename}",
                "A file of a team, an organization, a person or a submission.",
            )
            .returns_bytes("application/octet-stream")
            .unlimited_time(),
            files::get,
        )
}
