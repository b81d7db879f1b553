//! Problems, submissions, judgements, rejudgings.

use crate::handlers::{debugging, judging, problem_files, problems, rejudgings, submissions};
use crate::package_files::FILE_BYTES_MAX;
use crate::routes::{Routes, delete, get, patch, post, put};
use ::documents::contest as api;

pub fn add(routes: Routes) -> Routes {
    routes
        .below("/api/contests/{contest}")
        .add(
            get("/judgement-types", "The kinds of verdicts.").returns::<Vec<api::JudgementType>>(),
            problems::types,
        )
        .add(
            get("/judgement-types/{type}", "A kind of verdict.").returns::<api::JudgementType>(),
            problems::one_type,
        )
        .add(get("/languages", "The languages.").returns::<Vec<api::Language>>(), problems::languages)
        .add(get("/languages/{language}", "A language.").returns::<api::Language>(), problems::language)
        .add(get("/problems", "The problems.").returns::<Vec<api::Problem>>(), problems::list)
        .add(
            post("/problems", "Adds a problem from a package, or replaces one.")
                .query("dry_run", "`true`: only says what would be refused, and answers with status 204.")
                .takes::<api::NewProblem>()
                .creates::<api::Problem>(),
            problems::add,
        )
        .add(get("/problems/{problem}", "A problem.").returns::<api::Problem>(), problems::get)
        .add(
            patch("/problems/{problem}", "Changes a problem.")
                .takes::<api::ProblemPatch>()
                .returns::<api::Problem>(),
            problems::change,
        )
        .add(delete("/problems/{problem}", "Removes a problem."), problems::remove)
        .add(
            get("/problems/{problem}/package", "A problem's package.")
                .returns_bytes("application/zip")
                .unlimited_time(),
            problems::get_package,
        )
        .add(
            get("/problem-states", "What the jury set of all problems.").returns::<Vec<api::ProblemState>>(),
            problems::states,
        )
        .add(
            get("/problems/{problem}/state", "What the jury set of a problem.")
                .returns::<api::ProblemState>(),
            problems::state,
        )
        .add(
            get(
                "/problems/{problem}/case",
                "The beginning of the input and the answer of a case; for the jury.",
            )
            .query("name", "Its path below `data/`, such as `secret/03`.")
            .query("max_bytes", "How much of each: at most 4 MiB, by default 64 KiB.")
            .returns::<api::CaseTexts>(),
            problems::case,
        )
        .add(
            get("/problems/{problem}/statement", "A problem's statement.")
                .query("language", "In this language, such as `en`.")
                .query("format", "`pdf`, or `html` for the part of a page.")
                .returns_bytes("application/pdf")
                .unlimited_time(),
            problem_files::statement,
        )
        .add(
            put("/problems/{problem}/statement", "Sets a problem's statement.")
                .query("language", "Its language, such as `en`.")
                .query("format", "`pdf`, or `html` for the part of a page.")
                .takes_bytes("application/octet-stream", FILE_BYTES_MAX as usize)
                .unlimited_time()
                .returns::<api::Problem>(),
            problem_files::set_statement,
        )
        .add(
            get("/problems/{problem}/files/{filename}", "A statement or an attachment of a problem.")
                .returns_bytes("application/octet-stream")
                .unlimited_time(),
            problem_files::file,
        )
        .add(
            get("/problems/{problem}/samples.zip", "A problem's samples.")
                .returns_bytes("application/zip")
                .unlimited_time(),
            problem_files::samples,
        )
        .add(
            get("/statements.pdf", "The statements of all problems, if all are PDF.")
                .returns_bytes("application/pdf")
                .unlimited_time(),
            problem_files::all_statements,
        )
        .add(
            get("/samples.zip", "The samples of all problems, in a folder for each.")
                .returns_bytes("application/zip")
                .unlimited_time(),
            problem_files::all_samples,
        )
        .add(get("/submissions", "The submissions.").returns::<Vec<api::Submission>>(), submissions::list)
        .add(
            post("/submissions", "Submits a program.")
                .takes::<api::NewSubmission>()
                .at_most(submissions::BODY_BYTES_MAX)
                .creates::<api::Submission>(),
            submissions::submit,
        )
        .add(
            put(
                "/submissions/{submission}",
                "Submits with the next number as its id; for admins, with `time`.",
            )
            .takes::<api::NewSubmission>()
            .at_most(submissions::BODY_BYTES_MAX)
            .creates::<api::Submission>(),
            submissions::put,
        )
        .add(get("/submissions/{submission}", "A submission.").returns::<api::Submission>(), submissions::get)
        .add(
            get("/submissions/{submission}/files", "A submission's files.").returns_bytes("application/zip"),
            submissions::files,
        )
        .add(
            get("/submissions/{submission}/debug.zip", "All about a submission, with how to judge it again.")
                .query("package", "`true`: with the problem's package.")
                .returns_bytes("application/zip")
                .unlimited_time(),
            debugging::debug,
        )
        .add(
            get("/moss.zip", "Sources by problem and language, for a search for copies.")
                .query("which", "`last` or `all` submissions of a team to a problem in a language.")
                .query("solved", "`true`: only those that solve the problem.")
                .query("problem_id", "Only to this problem.")
                .returns_bytes("application/zip")
                .unlimited_time(),
            debugging::moss,
        )
        .add(
            post("/submissions/{submission}/ignore", "Lets a submission count no more, or again.")
                .takes::<api::IgnoreSubmission>(),
            submissions::ignore,
        )
        .add(
            post("/submissions/{submission}/judge", "Judges a submission that is not judged automatically."),
            submissions::judge,
        )
        .add(
            post("/submissions/{submission}/override", "Sets a verdict by hand, or takes that back.")
                .takes::<api::NewOverride>(),
            submissions::set_verdict,
        )
        .add(get("/judgements", "The judgements.").returns::<Vec<api::Judgement>>(), judging::list)
        .add(get("/judgements/{judgement}", "A judgement.").returns::<api::Judgement>(), judging::get)
        .add(
            get("/submission-states", "How far submissions are; for the jury.")
                .query("submission_id", "Only of this submission.")
                .returns::<Vec<api::SubmissionState>>(),
            judging::states,
        )
        .add(
            get("/judgements/{judgement}/details", "What else is known about a judgement.")
                .returns::<api::JudgementDetails>(),
            judging::details,
        )
        .add(
            get(
                "/judgements/{judgement}/evidence",
                "The record of all runs of a judgement; for its team without what reveals the test data.",
            )
            .returns_bytes("application/x-ndjson")
            .unlimited_time(),
            judging::evidence,
        )
        .add(
            post("/judgements/{judgement}/verify", "States that a second person has verified a judgement.")
                .takes::<api::Verify>(),
            judging::verify,
        )
        .add(
            get("/runs", "The runs.")
                .query("judgement_id", "Only of this judgement.")
                .query("judgement_type_id", "Only with this verdict.")
                .returns::<Vec<api::Run>>(),
            judging::runs,
        )
        .add(get("/runs/{run}", "A run.").returns::<api::Run>(), judging::run)
        .add(
            get("/rejudgings", "The rejudgings, without their submissions.").returns::<Vec<api::Rejudging>>(),
            rejudgings::list,
        )
        .add(
            post("/rejudgings", "Judges submissions again; nothing counts before it is applied.")
                .takes::<api::NewRejudging>()
                .creates::<api::Rejudging>(),
            rejudgings::open,
        )
        .add(
            get("/rejudgings/{rejudging}", "A rejudging, with what it changes.").returns::<api::Rejudging>(),
            rejudgings::get,
        )
        .add(post("/rejudgings/{rejudging}/apply", "Lets a rejudging count."), rejudgings::apply)
        .add(post("/rejudgings/{rejudging}/cancel", "Drops a rejudging."), rejudgings::cancel)
}
