//! Pools, judgehosts and their protocol.

use crate::handlers::{blobs, judgehosts, staff};
use crate::routes::{Routes, delete, get, patch, post, put};
use ::documents::contest as api;
use ::documents::judgehost as host;

/// 512 reports, some with compiler output.
const REPORTS_BYTES_MAX: usize = 64 << 20;
/// The description of a machine, and all else.
const DESCRIBED_BYTES_MAX: usize = host::MACHINE_BYTES_MAX + (256 << 10);

pub fn add(routes: Routes) -> Routes {
    routes
        .below("/api")
        .add(get("/pools", "The pools.").returns::<Vec<api::Pool>>(), staff::pools)
        .add(
            get("/languages", "All languages that contests may allow, and which pools can compile them.")
                .returns::<Vec<api::KnownLanguage>>(),
            staff::languages,
        )
        .add(
            post("/pools", "Makes a pool, or replaces its settings.")
                .takes::<api::NewPool>()
                .creates::<api::Pool>(),
            staff::set_pool,
        )
        .add(delete("/pools/{pool}", "Removes a pool."), staff::remove_pool)
        .add(
            post("/pools/{pool}/ratios", "Notes how much slower a strict pool is than a fast one.")
                .takes::<api::NewPoolRatio>(),
            staff::set_ratio,
        )
        .add(get("/jobs", "What waits and what is being judged.").returns::<api::Jobs>(), staff::jobs)
        .add(
            get("/pauses", "What is not judged for now, after failures.")
                .returns::<Vec<api::PausedJudging>>(),
            staff::paused,
        )
        .add(post("/pauses/resume", "Lets it be judged again.").takes::<api::PausedJudging>(), staff::resume)
        .add(get("/judgehosts", "The judgehosts.").returns::<Vec<api::Judgehost>>(), judgehosts::list)
        .add(get("/judgehosts/{judgehost}", "A judgehost.").returns::<api::Judgehost>(), judgehosts::get)
        .add(
            get(
                "/judgehosts/{judgehost}/machine",
                "What a judgehost's machine is and does, as far as it has reported since the server was started.",
            )
            .returns::<host::JudgehostMachine>(),
            judgehosts::machine,
        )
        .add(
            put(
                "/judgehosts/{judgehost}",
                "A judgehost joins its pool; 409 with the differences if it is not like it.",
            )
            .takes::<host::Register>()
            .at_most(DESCRIBED_BYTES_MAX)
            .returns::<host::Registered>(),
            judgehosts::register,
        )
        .add(
            patch("/judgehosts/{judgehost}", "Takes a judgehost out, or back in.")
                .takes::<api::SetJudgehost>(),
            judgehosts::set,
        )
        .add(delete("/judgehosts/{judgehost}", "Removes a judgehost that has no work."), judgehosts::remove)
        .add(
            post("/judgehosts/{judgehost}/claim", "Leases jobs to a judgehost, when there are some.")
                .takes::<host::ClaimRequest>()
                .returns::<host::ClaimResponse>(),
            judgehosts::claim,
        )
        .add(
            post("/judgehosts/{judgehost}/reports", "What became of a judgehost's jobs.")
                .takes::<host::ReportsRequest>()
                .at_most(REPORTS_BYTES_MAX)
                .returns::<host::ReportsAnswer>(),
            judgehosts::reports,
        )
        .add(
            post("/judgehosts/{judgehost}/statement", "What became of a statement that a judgehost was to make.")
                .takes::<host::StatementResult>(),
            judgehosts::statement,
        )
        .add(
            post("/judgehosts/{judgehost}/heartbeat", "A judgehost lives, and extends its leases.")
                .takes::<host::Heartbeat>()
                .at_most(DESCRIBED_BYTES_MAX)
                .returns::<host::HeartbeatAnswer>(),
            judgehosts::heartbeat,
        )
        .add(
            get("/blobs/{hash}", "A content, for judgehosts; ranges are possible.")
                .returns_bytes("application/octet-stream")
                .unlimited_time(),
            blobs::get,
        )
        .add(
            put("/blobs/{hash}", "Stores a judgehost's record of a judgement; answers 201.")
                .takes_bytes("application/octet-stream", usize::MAX)
                .unlimited_time(),
            blobs::put,
        )
}
