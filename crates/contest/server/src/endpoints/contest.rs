//! Contests, their time, boards and results.

use crate::handlers::{
    access, analysis, awards, board, check, contests, credentials, export, import, import_package, live,
    registration,
};
use crate::routes::{Routes, delete, get, patch, post, put};
use crate::{events, feed};
use ::documents::contest as api;

pub fn add(routes: Routes) -> Routes {
    routes
        .below("/api/contests")
        .add(get("", "The contests.").returns::<Vec<api::Contest>>(), contests::list)
        .add(
            post("", "Makes a contest.")
                .takes::<api::ContestFile>()
                .creates::<api::Contest>(),
            contests::create,
        )
        .add(
            post("/import", "Imports the files of a contest package: all of them, or none.")
                .query("dry_run", "`true`: says what would be done, and does nothing.")
                .takes::<api::ImportFiles>()
                .at_most(import::BODY_BYTES_MAX)
                .returns::<api::ImportReport>()
                .unlimited_time(),
            import::import,
        )
        .add(
            post(
                "/import/package",
                "Imports a contest package as one zip, with results, files and problems: all of it, or nothing.",
            )
            .query("dry_run", "`true`: says what would be done, and changes nothing.")
            .query("uploaded", "The hash of one that was uploaded before.")
            .takes_bytes("application/zip", usize::MAX)
            .returns::<api::ImportReport>()
            .unlimited_time(),
            import_package::import,
        )
        .below("/api/contests/{contest}")
        .add(
            get(
                "/export",
                "A contest's files, without passwords, and the hashes of its packages.",
            )
            .returns::<api::ImportFiles>(),
            export::export,
        )
        .add(
            get(
                "/package.zip",
                "A contest with its results as a contest package, without passwords.",
            )
            .query(
                "resolver",
                "`true`: as the ICPC resolver takes it, before the board has thawed for the public.",
            )
            .returns_bytes("application/zip")
            .unlimited_time(),
            export::package,
        )
        .add(get("", "A contest.").returns::<api::Contest>(), contests::get)
        .add(
            patch(
                "",
                "Sets a contest's start or thaw. A thaw that is set exactly answers 204.",
            )
            .takes::<api::ContestPatch>()
            .at_most(crate::attachments::JSON_BYTES_MAX)
            .returns::<api::Contest>(),
            contests::patch,
        )
        .add(delete("", "Removes a contest without submissions."), contests::remove)
        .add(
            get("/settings", "All settings of a contest.")
                .returns::<api::ContestFile>(),
            contests::get_settings,
        )
        .add(
            patch("/settings", "Replaces those settings that the body has.")
                .takes::<serde_json::Map<String, serde_json::Value>>()
                .returns::<api::ContestFile>(),
            contests::patch_settings,
        )
        .add(
            get("/access", "What the caller can ever see and do in a contest.")
                .returns::<api::Access>(),
            access::get,
        )
        .add(
            get("/account", "The caller's own account.").returns::<api::Account>(),
            access::account,
        )
        .add(
            get("/accounts", "The accounts of a contest, for its jury.")
                .returns::<Vec<api::Account>>(),
            access::accounts,
        )
        .add(
            get("/accounts/{account}", "An account of a contest, for its jury.")
                .returns::<api::Account>(),
            access::one_account,
        )
        .add(
            get("/registration", "How a team registers itself; without content where none can.")
                .returns::<api::OpenRegistration>(),
            registration::get,
        )
        .add(
            post("/registration", "Adds a team with its account, and logs it in: sets a cookie.")
                .takes::<api::NewRegistration>()
                .creates::<api::Session>(),
            registration::register,
        )
        .add(
            post(
                "/credentials",
                "Gives teams accounts with new random passwords, which are in the answer and nowhere else.",
            )
            .takes::<api::NewCredentials>()
            .returns::<api::Credentials>(),
            credentials::make,
        )
        .add(
            get("/state", "What has happened in a contest.")
                .returns::<api::ContestState>(),
            contests::state,
        )
        .add(
            post("/start", "Starts a contest now, by the server's clock.")
                .returns::<api::ContestState>(),
            contests::start,
        )
        .add(
            post(
                "/countdown",
                "Starts a contest a while from now, by the server's clock, or pauses the countdown to its start.",
            )
            .takes::<api::Countdown>()
            .returns::<api::Contest>(),
            contests::countdown,
        )
        .add(
            post("/freeze", "Freezes the public board now.")
                .returns::<api::ContestState>(),
            contests::freeze,
        )
        .add(
            post("/thaw", "Thaws the board now.").returns::<api::ContestState>(),
            contests::thaw,
        )
        .add(
            post("/extend", "Lets a contest last longer.")
                .takes::<api::Extend>()
                .returns::<api::ContestState>(),
            contests::extend,
        )
        .add(
            post("/pause", "Lets a contest's time stand still.")
                .returns::<api::ContestState>(),
            contests::pause,
        )
        .add(
            post("/resume", "Lets a contest's time go on.")
                .returns::<api::ContestState>(),
            contests::resume,
        )
        .add(
            put("/removed-intervals", "Replaces the intervals that do not count.")
                .takes::<Vec<api::RemovedTime>>()
                .returns::<api::ContestState>(),
            contests::set_removed,
        )
        .add(
            post("/finalize", "Makes the result final.")
                .takes::<api::Finalize>()
                .returns::<api::ContestState>(),
            contests::finalize,
        )
        .add(
            post("/unfinalize", "Opens the result again.")
                .takes::<api::Because>()
                .returns::<api::ContestState>(),
            contests::unfinalize,
        )
        .add(
            get(
                "/check",
                "Whether the contest can begin; once it has, whether its result can be made final.",
            )
            .returns::<api::CheckReport>(),
            check::check,
        )
        .add(
            get(
                "/events",
                "What changes, as server-sent events; goes on after `Last-Event-ID`.",
            )
            .returns_bytes("text/event-stream")
            .unlimited_time(),
            events::events,
        )
        .add(
            get(
                "/event-feed",
                "What the caller may see, and each change of it: a notification in each line, for ever.",
            )
            .query("since_token", "Only what came after the line with this token.")
            .query("stream", "`false`: ends when everything was sent.")
            .returns_bytes("application/x-ndjson")
            .unlimited_time(),
            feed::event_feed,
        )
        .add(
            get("/scoreboard", "The scoreboard, with an ETag.")
                .query("group_id", "Only the teams of this group.")
                .query("public", "`true`: as the public sees it, also for the jury.")
                .returns::<api::Scoreboard>(),
            board::scoreboard,
        )
        .add(
            get(
                "/scoreboard.zip",
                "The scoreboard as a page that needs no server, with its data and logos.",
            )
            .query("group_id", "Only the teams of this group.")
            .query("public", "`true`: as the public sees it, also for the jury.")
            .returns_bytes("application/zip")
            .unlimited_time(),
            board::archive,
        )
        .add(get("/awards", "The awards.").returns::<Vec<api::Award>>(), awards::list)
        .add(
            post("/awards", "Adds an award; the server chooses its id.")
                .takes::<api::NewAward>()
                .creates::<api::Award>(),
            awards::add,
        )
        .add(get("/awards/{award}", "An award.").returns::<api::Award>(), awards::get)
        .add(
            put("/awards/{award}", "Adds an award, or replaces its words and teams.")
                .takes::<api::NewAward>()
                .returns::<api::Award>(),
            awards::replace,
        )
        .add(
            patch("/awards/{award}", "Changes what the body has of an award.")
                .takes::<api::AwardPatch>()
                .returns::<api::Award>(),
            awards::change,
        )
        .add(
            delete("/awards/{award}", "Removes an award that was added."),
            awards::remove,
        )
        .add(
            get("/results", "The results.")
                .query("format", "`json` or `tsv`.")
                .returns::<api::Results>(),
            board::results,
        )
        .add(
            get("/analysis", "How the contest goes, in numbers; for the jury.")
                .query("group_id", "Only the teams of this group.")
                .returns::<api::Analysis>(),
            analysis::analysis,
        )
        .add(
            get(
                "/stream",
                "A live stream contest that is shown here: its board, and how the viewer takes part; without content if there is none.",
            )
            .returns::<api::StreamView>(),
            live::view,
        )
        .add(
            put("/stream", "Reports a live stream contest, as `tauto stream serve --publish` does.")
                .takes::<api::StreamReport>()
                .at_most(LIVE_BYTES_MAX)
                .returns::<api::StreamReported>(),
            live::report,
        )
}

/// The board of two thousand contestants.
const LIVE_BYTES_MAX: usize = 8 << 20;
