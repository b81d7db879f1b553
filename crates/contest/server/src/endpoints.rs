//! All endpoints.

use crate::handlers::{
    accounts, blobs, board, clarifications, contests, judgehosts, judging, login, people, problems,
    rejudgings, root, staff, submissions,
};
use crate::routes::{Routes, delete, get, patch, post, put};
use crate::{Shared, guard};
use ::api::contest as api;
use ::api::judgehost as host;
use axum::{Router, middleware};

/// More than 5,000 teams or accounts.
const BULK_BYTES_MAX: usize = 8 << 20;
/// 512 reports, some with compiler output.
const REPORTS_BYTES_MAX: usize = 64 << 20;

/// Returns the OpenAPI document.
pub fn document() -> serde_json::Value {
    routes().document()
}

/// Returns the router of all endpoints.
pub fn router(app: Shared) -> Router {
    let router = routes().into_router();
    router.layer(middleware::from_fn(guard::headers)).with_state(app)
}

fn routes() -> Routes {
    let routes = server(Routes::default());
    let routes = contest(routes);
    let routes = people(routes);
    let routes = judging(routes);
    judgehosts(routes)
}

fn server(routes: Routes) -> Routes {
    routes
        .add(get("/api/", "What this API is.").returns::<api::ApiInformation>(), root::information)
        .add(get("/api/openapi.json", "This document.").returns_bytes("application/json"), root::openapi)
        .add(
            post("/api/login", "Logs in by password, or by address without one; sets a cookie.")
                .takes::<api::Login>()
                .returns::<api::Session>(),
            login::login,
        )
        .add(post("/api/logout", "Ends the session."), login::logout)
        .add(get("/api/account", "The caller's own account.").returns::<api::Account>(), login::account)
        .add(get("/api/accounts", "All accounts.").returns::<Vec<api::Account>>(), accounts::list)
        .add(
            post("/api/accounts", "Makes an account, or replaces its settings.")
                .takes::<api::NewAccount>()
                .creates::<api::Account>(),
            accounts::set,
        )
        .add(
            put("/api/accounts", "Makes or replaces many accounts: all of them, or none.")
                .takes::<Vec<api::NewAccount>>()
                .at_most(BULK_BYTES_MAX)
                .unlimited_time(),
            accounts::set_all,
        )
        .add(get("/api/accounts/{account}", "An account.").returns::<api::Account>(), accounts::get)
        .add(
            patch("/api/accounts/{account}", "Changes an account.")
                .takes::<api::AccountPatch>()
                .returns::<api::Account>(),
            accounts::change,
        )
        .add(delete("/api/accounts/{account}", "Removes an account."), accounts::remove)
        .add(
            get("/api/tokens", "The caller's tokens; all of them for admins.").returns::<Vec<api::Token>>(),
            accounts::tokens,
        )
        .add(
            post("/api/tokens", "Makes a token. Its secret is shown once.")
                .takes::<api::NewToken>()
                .creates::<api::IssuedToken>(),
            accounts::issue_token,
        )
        .add(delete("/api/tokens/{token}", "Revokes a token."), accounts::revoke_token)
        .add(
            post("/api/packages", "Stores and reads a problem package; problems name it by its hash.")
                .query("name", "The name of its file, which suggests an id.")
                .takes_bytes("application/zip", usize::MAX)
                .creates::<api::PackageReport>()
                .unlimited_time(),
            problems::package,
        )
        .add(
            get("/api/audit", "A page of the audit log, the newest first.")
                .query("contest_id", "Only in this contest.")
                .query("account_id", "Only by this account.")
                .query("kind", "Only of this kind.")
                .query("from", "Not before this time.")
                .query("until", "Before this time.")
                .query("text", "Only with this text, in any case.")
                .query("before", "Only entries before this number: the next page.")
                .query("max", "How many entries, at most 1000; 100 if absent.")
                .returns::<api::AuditPage>(),
            staff::audit,
        )
}

fn contest(routes: Routes) -> Routes {
    routes
        .add(get("/api/contests", "The contests.").returns::<Vec<api::Contest>>(), contests::list)
        .add(
            post("/api/contests", "Makes a contest.")
                .takes::<api::ContestSettings>()
                .creates::<api::Contest>(),
            contests::create,
        )
        .add(get("/api/contests/{contest}", "A contest.").returns::<api::Contest>(), contests::get)
        .add(
            patch(
                "/api/contests/{contest}",
                "Sets a contest's start or thaw. A thaw that is set exactly answers 204.",
            )
            .takes::<api::ContestPatch>()
            .returns::<api::Contest>(),
            contests::patch,
        )
        .add(delete("/api/contests/{contest}", "Removes a contest without submissions."), contests::remove)
        .add(
            get("/api/contests/{contest}/settings", "All settings of a contest.")
                .returns::<api::ContestSettings>(),
            contests::get_settings,
        )
        .add(
            patch("/api/contests/{contest}/settings", "Replaces those settings that the body has.")
                .takes::<serde_json::Map<String, serde_json::Value>>()
                .returns::<api::ContestSettings>(),
            contests::patch_settings,
        )
        .add(
            get("/api/contests/{contest}/state", "What has happened in a contest.")
                .returns::<api::ContestState>(),
            contests::state,
        )
        .add(
            post("/api/contests/{contest}/freeze", "Freezes the public board now.")
                .returns::<api::ContestState>(),
            contests::freeze,
        )
        .add(
            post("/api/contests/{contest}/thaw", "Thaws the board now.").returns::<api::ContestState>(),
            contests::thaw,
        )
        .add(
            post("/api/contests/{contest}/extend", "Lets a contest last longer.")
                .takes::<api::Extend>()
                .returns::<api::ContestState>(),
            contests::extend,
        )
        .add(
            post("/api/contests/{contest}/pause", "Lets a contest's time stand still.")
                .returns::<api::ContestState>(),
            contests::pause,
        )
        .add(
            post("/api/contests/{contest}/resume", "Lets a contest's time go on.")
                .returns::<api::ContestState>(),
            contests::resume,
        )
        .add(
            put("/api/contests/{contest}/removed-intervals", "Replaces the intervals that do not count.")
                .takes::<Vec<api::RemovedInterval>>()
                .returns::<api::ContestState>(),
            contests::set_removed,
        )
        .add(
            post("/api/contests/{contest}/finalize", "Makes the result final.")
                .takes::<api::Finalize>()
                .returns::<api::ContestState>(),
            contests::finalize,
        )
        .add(
            post("/api/contests/{contest}/unfinalize", "Opens the result again.")
                .takes::<api::Because>()
                .returns::<api::ContestState>(),
            contests::unfinalize,
        )
        .add(
            get("/api/contests/{contest}/check", "What stands against making the result final.")
                .returns::<api::CheckReport>(),
            contests::check,
        )
        .add(
            get("/api/contests/{contest}/scoreboard", "The scoreboard, with an ETag.")
                .query("group_id", "Only the teams of this group.")
                .query("public", "`true`: as the public sees it, also for the jury.")
                .returns::<api::Scoreboard>(),
            board::scoreboard,
        )
        .add(get("/api/contests/{contest}/awards", "The awards.").returns::<Vec<api::Award>>(), board::awards)
        .add(get("/api/contests/{contest}/awards/{award}", "An award.").returns::<api::Award>(), board::award)
        .add(
            put("/api/contests/{contest}/awards/{award}", "Edits an award.").takes::<api::NewAward>(),
            staff::set_award,
        )
        .add(
            get("/api/contests/{contest}/results", "The results.")
                .query("format", "`json` or `tsv`.")
                .returns::<api::Results>(),
            board::results,
        )
}

fn people(routes: Routes) -> Routes {
    routes
        .add(
            get("/api/contests/{contest}/groups", "The groups.").returns::<Vec<api::Group>>(),
            people::groups,
        )
        .add(
            put("/api/contests/{contest}/groups", "Adds or replaces groups: all of them, or none.")
                .takes::<Vec<api::Group>>()
                .at_most(BULK_BYTES_MAX),
            people::set_groups,
        )
        .add(get("/api/contests/{contest}/groups/{group}", "A group.").returns::<api::Group>(), people::group)
        .add(delete("/api/contests/{contest}/groups/{group}", "Removes a group."), people::remove_group)
        .add(
            get("/api/contests/{contest}/organizations", "The organizations.")
                .returns::<Vec<api::Organization>>(),
            people::organizations,
        )
        .add(
            put(
                "/api/contests/{contest}/organizations",
                "Adds or replaces organizations: all of them, or none.",
            )
            .takes::<Vec<api::Organization>>()
            .at_most(BULK_BYTES_MAX),
            people::set_organizations,
        )
        .add(
            get("/api/contests/{contest}/organizations/{organization}", "An organization.")
                .returns::<api::Organization>(),
            people::organization,
        )
        .add(
            delete("/api/contests/{contest}/organizations/{organization}", "Removes an organization."),
            people::remove_organization,
        )
        .add(get("/api/contests/{contest}/teams", "The teams.").returns::<Vec<api::Team>>(), people::teams)
        .add(
            put("/api/contests/{contest}/teams", "Adds or replaces teams: all of them, or none.")
                .takes::<Vec<api::Team>>()
                .at_most(BULK_BYTES_MAX),
            people::set_teams,
        )
        .add(get("/api/contests/{contest}/teams/{team}", "A team.").returns::<api::Team>(), people::team)
        .add(delete("/api/contests/{contest}/teams/{team}", "Removes a team."), people::remove_team)
        .add(
            get("/api/contests/{contest}/clarifications", "The clarifications.")
                .returns::<Vec<api::Clarification>>(),
            clarifications::list,
        )
        .add(
            post("/api/contests/{contest}/clarifications", "Sends a question, an answer or an announcement.")
                .takes::<api::NewClarification>()
                .creates::<api::Clarification>(),
            clarifications::send,
        )
        .add(
            get("/api/contests/{contest}/clarifications/{clarification}", "A clarification.")
                .returns::<api::Clarification>(),
            clarifications::get,
        )
        .add(
            post(
                "/api/contests/{contest}/clarifications/{clarification}/claim",
                "Claims a question, or gives it back.",
            )
            .takes::<api::ClaimClarification>(),
            clarifications::claim,
        )
        .add(
            get("/api/contests/{contest}/balloons", "The balloons.").returns::<Vec<api::Balloon>>(),
            staff::balloons,
        )
        .add(
            post("/api/contests/{contest}/balloons", "Notes that a balloon was brought.")
                .takes::<api::DeliverBalloon>(),
            staff::deliver,
        )
}

fn judging(routes: Routes) -> Routes {
    routes
        .add(
            get("/api/contests/{contest}/judgement-types", "The kinds of verdicts.")
                .returns::<Vec<api::JudgementType>>(),
            problems::types,
        )
        .add(
            get("/api/contests/{contest}/judgement-types/{type}", "A kind of verdict.")
                .returns::<api::JudgementType>(),
            problems::one_type,
        )
        .add(
            get("/api/contests/{contest}/languages", "The languages.").returns::<Vec<api::Language>>(),
            problems::languages,
        )
        .add(
            get("/api/contests/{contest}/languages/{language}", "A language.").returns::<api::Language>(),
            problems::language,
        )
        .add(
            get("/api/contests/{contest}/problems", "The problems.").returns::<Vec<api::Problem>>(),
            problems::list,
        )
        .add(
            post("/api/contests/{contest}/problems", "Adds a problem from a package, or replaces one.")
                .takes::<api::NewProblem>()
                .creates::<api::Problem>(),
            problems::add,
        )
        .add(
            get("/api/contests/{contest}/problems/{problem}", "A problem.").returns::<api::Problem>(),
            problems::get,
        )
        .add(
            patch("/api/contests/{contest}/problems/{problem}", "Changes a problem.")
                .takes::<api::ProblemPatch>()
                .returns::<api::Problem>(),
            problems::change,
        )
        .add(delete("/api/contests/{contest}/problems/{problem}", "Removes a problem."), problems::remove)
        .add(
            get("/api/contests/{contest}/problems/{problem}/package", "A problem's package.")
                .returns_bytes("application/zip")
                .unlimited_time(),
            problems::get_package,
        )
        .add(
            get("/api/contests/{contest}/submissions", "The submissions.").returns::<Vec<api::Submission>>(),
            submissions::list,
        )
        .add(
            post("/api/contests/{contest}/submissions", "Submits a program.")
                .takes::<api::NewSubmission>()
                .at_most(submissions::BODY_BYTES_MAX)
                .creates::<api::Submission>(),
            submissions::submit,
        )
        .add(
            get("/api/contests/{contest}/submissions/{submission}", "A submission.")
                .returns::<api::Submission>(),
            submissions::get,
        )
        .add(
            get("/api/contests/{contest}/submissions/{submission}/files", "A submission's files.")
                .returns_bytes("application/zip"),
            submissions::files,
        )
        .add(
            post(
                "/api/contests/{contest}/submissions/{submission}/ignore",
                "Lets a submission count no more, or again.",
            )
            .takes::<api::IgnoreSubmission>(),
            submissions::ignore,
        )
        .add(
            post(
                "/api/contests/{contest}/submissions/{submission}/judge",
                "Judges a submission that nobody judges by itself.",
            ),
            submissions::judge,
        )
        .add(
            post(
                "/api/contests/{contest}/submissions/{submission}/override",
                "Sets a verdict by hand, or takes that back.",
            )
            .takes::<api::NewOverride>(),
            submissions::set_verdict,
        )
        .add(
            get("/api/contests/{contest}/judgements", "The judgements.").returns::<Vec<api::Judgement>>(),
            judging::list,
        )
        .add(
            get("/api/contests/{contest}/judgements/{judgement}", "A judgement.").returns::<api::Judgement>(),
            judging::get,
        )
        .add(
            get(
                "/api/contests/{contest}/judgements/{judgement}/details",
                "What else is known about a judgement.",
            )
            .returns::<api::JudgementDetails>(),
            judging::details,
        )
        .add(
            get(
                "/api/contests/{contest}/judgements/{judgement}/evidence",
                "The record of all runs of a judgement.",
            )
            .returns_bytes("application/x-ndjson")
            .unlimited_time(),
            judging::evidence,
        )
        .add(
            post(
                "/api/contests/{contest}/judgements/{judgement}/verify",
                "States that a second person has verified a judgement.",
            )
            .takes::<api::Verify>(),
            judging::verify,
        )
        .add(
            get("/api/contests/{contest}/runs", "The runs.")
                .query("judgement_id", "Only of this judgement.")
                .query("judgement_type_id", "Only with this verdict.")
                .returns::<Vec<api::Run>>(),
            judging::runs,
        )
        .add(get("/api/contests/{contest}/runs/{run}", "A run.").returns::<api::Run>(), judging::run)
        .add(
            get("/api/contests/{contest}/rejudgings", "The rejudgings, without their submissions.")
                .returns::<Vec<api::Rejudging>>(),
            rejudgings::list,
        )
        .add(
            post(
                "/api/contests/{contest}/rejudgings",
                "Judges submissions again; nothing counts before it is applied.",
            )
            .takes::<api::NewRejudging>()
            .creates::<api::Rejudging>(),
            rejudgings::open,
        )
        .add(
            get("/api/contests/{contest}/rejudgings/{rejudging}", "A rejudging, with what it changes.")
                .returns::<api::Rejudging>(),
            rejudgings::get,
        )
        .add(
            post("/api/contests/{contest}/rejudgings/{rejudging}/apply", "Lets a rejudging count."),
            rejudgings::apply,
        )
        .add(
            post("/api/contests/{contest}/rejudgings/{rejudging}/cancel", "Drops a rejudging."),
            rejudgings::cancel,
        )
}

fn judgehosts(routes: Routes) -> Routes {
    routes
        .add(get("/api/pools", "The pools.").returns::<Vec<api::Pool>>(), staff::pools)
        .add(
            post("/api/pools", "Makes a pool, or replaces its settings.")
                .takes::<api::NewPool>()
                .creates::<api::Pool>(),
            staff::set_pool,
        )
        .add(delete("/api/pools/{pool}", "Removes a pool."), staff::remove_pool)
        .add(
            post("/api/pools/{pool}/ratios", "Notes how much slower a strict pool is than a fast one.")
                .takes::<api::NewPoolRatio>(),
            staff::set_ratio,
        )
        .add(get("/api/jobs", "What waits and what is being judged.").returns::<api::Jobs>(), staff::jobs)
        .add(get("/api/judgehosts", "The judgehosts.").returns::<Vec<api::Judgehost>>(), judgehosts::list)
        .add(get("/api/judgehosts/{judgehost}", "A judgehost.").returns::<api::Judgehost>(), judgehosts::get)
        .add(
            put(
                "/api/judgehosts/{judgehost}",
                "A judgehost joins its pool; 409 with the differences if it is not like it.",
            )
            .takes::<host::Register>()
            .returns::<host::Registered>(),
            judgehosts::register,
        )
        .add(
            patch("/api/judgehosts/{judgehost}", "Takes a judgehost out, or back in.")
                .takes::<api::SetJudgehost>(),
            judgehosts::set,
        )
        .add(
            delete("/api/judgehosts/{judgehost}", "Removes a judgehost that has no work."),
            judgehosts::remove,
        )
        .add(
            post("/api/judgehosts/{judgehost}/claim", "Leases jobs to a judgehost, when there are some.")
                .takes::<host::ClaimRequest>()
                .returns::<host::ClaimResponse>(),
            judgehosts::claim,
        )
        .add(
            post("/api/judgehosts/{judgehost}/reports", "What became of a judgehost's jobs.")
                .takes::<host::ReportsRequest>()
                .at_most(REPORTS_BYTES_MAX)
                .returns::<host::ReportsAnswer>(),
            judgehosts::reports,
        )
        .add(
            post("/api/judgehosts/{judgehost}/heartbeat", "A judgehost lives, and extends its leases.")
                .takes::<host::Heartbeat>()
                .returns::<host::HeartbeatAnswer>(),
            judgehosts::heartbeat,
        )
        .add(
            get("/api/blobs/{hash}", "A content, for judgehosts; ranges are possible.")
                .returns_bytes("application/octet-stream")
                .unlimited_time(),
            blobs::get,
        )
        .add(
            put("/api/blobs/{hash}", "Stores a judgehost's record of a judgement; answers 201.")
                .takes_bytes("application/octet-stream", usize::MAX)
                .unlimited_time(),
            blobs::put,
        )
}
