//! The protocol of judgehosts: registering, claiming, reporting, heartbeats.

use crate::auth::Auth;
use crate::extract::{Json, Later, Path};
use crate::handlers::blobs;
use crate::hosts::{HEARTBEAT_S, Host, LEASE_S, language_tag, scores_tag};
use crate::package_files::{FILE_BYTES_MAX, made_statement};
use crate::statements::Offer;
use crate::wire::{id, named, optional_id, score};
use crate::writer::{ClaimWish, LeaseReport, ReportOutcome};
use crate::{App, Problem, Shared, clock};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contest_rules::pools::differences;
use contest_rules::{
    Action, BlobHash, Caller, Command, FailureScope, Judged, JudgehostId, JudgehostState, MadeStatement,
    NewJudgehost, Outcome, PoolId, Run, StatementReport, StoredVerdict, WantedStatement,
};
use documents::judgehost as wire;
use model::{Bytes, Nanos, ScoreRules};
use std::time::Duration;
use store::{ClaimedJob, Fence, JobId, Lease};
use tokio::time::Instant;

const LEASE_MS: i64 = LEASE_S as i64 * 1000;
/// A lease that ends wakes no claim, so one that waits looks again.
const LOOK_AGAIN: Duration = Duration::from_secs(2);
/// A day of them, one each minute.
const REFERENCE_MAX: usize = 1440;
/// The pool of a judgehost that asks for none.
const DEFAULT_POOL: &str = "default";

fn as_host(auth: &Auth, id: &JudgehostId) -> Result<Caller, Problem> {
    auth.account()?;
    Ok(contest_rules::roles::as_judgehost(&auth.caller, id)?)
}

/// Checks that a judgehost has joined by this account.
fn require_joined(app: &App, caller: &Caller, id: &JudgehostId) -> Result<(PoolId, JudgehostState), Problem> {
    let state = app.published.state();
    let found = state.joined(caller, id);
    found.map_err(|refusal| match Problem::from(refusal) {
        problem if problem.status() == StatusCode::NOT_FOUND => {
            Problem::conflict("register", "this judgehost is not known: register again")
        }
        problem => problem,
    })
}

/// Takes a judgehost into its pool.
pub async fn register(
    State(app): State<Shared>,
    auth: Auth,
    Path(host): Path<String>,
    Json(register): Json<wire::Register>,
) -> Result<Response, Problem> {
    let host: JudgehostId = named("judgehost", &host)?;
    let caller = as_host(&auth, &host)?;
    if register.protocol != wire::JUDGEHOST_PROTOCOL {
        let detail = format!("this server speaks version {} of the protocol", wire::JUDGEHOST_PROTOCOL);
        return Err(Problem::conflict("protocol", detail));
    }
    let pool: Option<PoolId> = optional_id("pool", register.pool.as_deref())?;
    let pool = pool.map_or_else(|| pool_of(&app, &host), Ok)?;
    let known = app.published.state().pool_settings(&pool).cloned();
    if let Some(known) = &known {
        let differences = differences(known, &register.identity, &register.compilers);
        if !differences.is_empty() {
            return Ok(refused(&pool, differences));
        }
    }
    if let Err(problem) = require_joined(&app, &caller, &host)
        && problem.status() == StatusCode::FORBIDDEN
    {
        return Err(problem);
    }
    // With another start, all that was known about the last one ends: also what its reference program took.
    let before = app.hosts.update(&host, |entry| {
        if entry.instance != register.instance {
            *entry = Host::started(&register.instance);
        }
        entry.seen = clock::system_now();
        let untested =
            register.self_test.languages.iter().filter(|test| !test.is_tested && test.error.is_none());
        entry.not_tested(untested.map(|test| test.id.clone()).collect());
    });
    let is_new_start = before.is_none_or(|before| before.instance != register.instance);
    let join = Command::JoinJudgehost(NewJudgehost {
        id: host.clone(),
        pool: pool.clone(),
        identity: register.identity,
        compilers: register.compilers,
        places: register.places,
        awaits_admission: register.awaits_admission,
        instance: register.instance,
    });
    // By its account: it is a judgehost only from now on.
    app.act(&auth, join).await?;
    if is_new_start {
        app.statements.lost(&host);
        app.writer.give_back_all(host.clone()).await?;
    }
    app.hosts.describe(&host, register.machine);
    let registered = wire::Registered { pool: pool.to_string(), heartbeat_s: HEARTBEAT_S, lease_s: LEASE_S };
    Ok(Json(registered).into_response())
}

/// Returns the pool that a judgehost was in, or the one for those that ask for none.
fn pool_of(app: &App, host: &JudgehostId) -> Result<PoolId, Problem> {
    let state = app.published.state();
    match state.joined(&Caller::system(), host) {
        Ok((pool, _)) => Ok(pool),
        Err(_) => id("pool", DEFAULT_POOL),
    }
}

fn refused(pool: &PoolId, differences: Vec<wire::IdentityDifference>) -> Response {
    let detail = format!("this machine is not like those of pool '{pool}', so its times would be other ones");
    let mut response = Problem::conflict("not-of-pool", detail.clone()).into_response();
    let body = serde_json::json!({
        "type": "/problems/not-of-pool",
        "title": "Conflict",
        "status": 409,
        "detail": detail,
        "code": 409,
        "message": detail,
        "differences": differences,
    });
    *response.body_mut() = body.to_string().into();
    response.headers_mut().remove(axum::http::header::CONTENT_LENGTH);
    response
}

/// Leases jobs to a judgehost: as soon as there are some, or none after the time that it waits.
pub async fn claim(
    State(app): State<Shared>,
    auth: Auth,
    Path(host): Path<String>,
    Json(request): Json<wire::ClaimRequest>,
) -> Result<Json<wire::ClaimResponse>, Problem> {
    let host: JudgehostId = named("judgehost", &host)?;
    let caller = as_host(&auth, &host)?;
    let until = Instant::now() + Duration::from_secs(request.wait_s.min(wire::CLAIM_WAIT_MAX_S).into());
    let mut queued = app.published.queued();
    let mut version = app.published.version();
    let mut stopping = app.published.hub().stopping();
    let mut may_have_jobs = true;
    require_joined(&app, &caller, &host)?;
    // Once: whether it still lives while it waits, its heartbeats tell.
    app.hosts.update(&host, |entry| entry.seen = clock::system_now());
    loop {
        queued.borrow_and_update();
        version.borrow_and_update();
        // Meanwhile the token may have been revoked.
        auth.again(&app).ok_or_else(|| match app.is_up_to_date() {
            true => Problem::unauthorized("log in again"),
            false => crate::auth::out_of_date(),
        })?;
        let (pool, state) = require_joined(&app, &caller, &host)?;
        let cancel = app.published.take_cancelled(&host);
        let drain = state.is_out();
        let wants = may_have_jobs && state == JudgehostState::Enabled;
        let jobs = if wants { claim_now(&app, &host, &pool, &request).await? } else { Vec::new() };
        // A server that stops lets the judgehost ask the next one.
        let is_over = Instant::now() >= until || *stopping.borrow_and_update();
        let statement = match &request.statements {
            Some(lacking) if wants && jobs.is_empty() && cancel.is_empty() => {
                offer_statement(&app, &host, &pool, lacking).await?
            }
            _ => None,
        };
        if !jobs.is_empty() || !cancel.is_empty() || statement.is_some() || drain || is_over {
            let jobs = describe(&app, jobs).await?;
            app.hosts.update(&host, |entry| jobs.iter().for_each(|job| entry.given(&job.package.hash)));
            let drain_reason = why_out(&app, &host, drain);
            return Ok(Json(wire::ClaimResponse { jobs, cancel, drain, drain_reason, statement }));
        }
        let look_again = until.min(Instant::now() + LOOK_AGAIN);
        may_have_jobs = tokio::select! {
            biased;
            _ = queued.changed() => true,
            () = tokio::time::sleep_until(look_again) => true,
            _ = stopping.changed() => false,
            // Jobs may be cancelled, or the judgehost taken out.
            _ = version.changed() => false,
        };
    }
}

/// Returns why a judgehost is taken out, if it is.
fn why_out(app: &App, id: &JudgehostId, is_out: bool) -> Option<String> {
    if !is_out {
        return None;
    }
    let state = app.published.state();
    let hosts = state.server(&Caller::system()).judgehosts().ok()?;
    let host = hosts.iter().find(|host| host.id == id)?;
    Some(host.host.reason.clone()).filter(|reason| !reason.is_empty())
}

async fn claim_now(
    app: &App,
    host: &JudgehostId,
    pool: &PoolId,
    request: &wire::ClaimRequest,
) -> Result<Vec<ClaimedJob>, Problem> {
    let languages = request.except_languages.iter().map(|language| language_tag(language));
    let packages = request.except_packages.iter().map(|package| format!("package:{package}"));
    let is_unknown = |rules: &ScoreRules| !request.scores.iter().any(|known| known == rules.name());
    let unknown = ScoreRules::ALL.into_iter().filter(is_unknown).filter_map(scores_tag);
    let excluded_tags: Vec<String> = languages.chain(packages).chain(unknown).collect();
    app.hosts.update(host, |entry| entry.excluded.clone_from(&excluded_tags));
    let wish = ClaimWish {
        host: host.clone(),
        pool: pool.to_string(),
        max: request.max.clamp(1, wire::CLAIM_JOBS_MAX) as usize,
        excluded_tags,
        hosts: app.hosts.clone(),
        lease_ms: LEASE_MS,
    };
    app.writer.claim(wish).await
}

/// Leases a statement to a judgehost, if one is to be made and no other judgehost makes it.
async fn offer_statement(
    app: &Shared,
    host: &JudgehostId,
    pool: &PoolId,
    lacking: &[String],
) -> Result<Option<wire::StatementTask>, Problem> {
    let offer = {
        let state = app.published.state();
        app.statements.offer(host, state.wanted_statements(pool, lacking), std::time::Instant::now())
    };
    let (task, wanted) = match offer {
        Offer::Task(task, wanted) => (task, wanted),
        Offer::GivenUp(wanted, reason) => {
            let text = cut(format!("it was tried several times, and failed: {reason}"));
            let report = StatementReport { form: wanted.form, text, lacking: Vec::new() };
            let made = MadeStatement { problem: wanted.problem, package: wanted.package, report, file: None };
            let command = Command::In(wanted.contest, Action::StatementMade(Box::new(made)));
            app.writer.act(Caller::system(), command).await?;
            return Ok(None);
        }
        Offer::Nothing => return Ok(None),
    };
    let hash = wanted.package.0.parse().map_err(Problem::internal)?;
    let size_bytes = app.blocking(move |app| Ok(app.blobs.size(&hash)?.unwrap_or(0))).await?;
    app.hosts.update(host, |entry| entry.given(&wanted.package.0));
    Ok(Some(wire::StatementTask {
        task,
        contest: wanted.contest.to_string(),
        problem: wanted.problem.to_string(),
        package: wire::BlobRef { hash: wanted.package.0.to_string(), size_bytes },
        format: if wanted.form.is_page { wire::StatementFormat::Html } else { wire::StatementFormat::Pdf },
        language: wanted.form.language,
    }))
}

/// Takes what became of a statement that a judgehost was to make.
pub async fn statement(
    State(app): State<Shared>,
    auth: Auth,
    Path(host): Path<String>,
    Json(result): Json<wire::StatementResult>,
) -> Result<StatusCode, Problem> {
    let host: JudgehostId = named("judgehost", &host)?;
    let caller = as_host(&auth, &host)?;
    require_joined(&app, &caller, &host)?;
    let task = result.task;
    let stale = || Problem::conflict("stale", "this judgehost has no such statement to make");
    let wanted = app.statements.leased(&host, task).ok_or_else(stale)?;
    let (hash, text, lacking) = match result.outcome {
        wire::StatementOutcome::Made { hash, text, lacking } => (Some(hash), text, lacking),
        wire::StatementOutcome::Impossible { text, lacking } => (None, text, lacking),
        wire::StatementOutcome::Failed { reason } => {
            app.statements.end(task, Some(cut(reason)));
            return Ok(StatusCode::NO_CONTENT);
        }
        wire::StatementOutcome::Returned => {
            app.statements.end(task, None);
            return Ok(StatusCode::NO_CONTENT);
        }
    };
    let taken = take_statement(&app, &auth, caller, wanted, (hash, cut(text), lacking)).await;
    if taken.as_ref().is_err_and(|problem| problem.status().is_server_error()) {
        // It may be sent again.
        return taken.map(|()| StatusCode::NO_CONTENT);
    }
    app.statements.end(task, taken.as_ref().err().map(|problem| problem.detail().to_owned()));
    app.published.wake_claims();
    taken.map(|()| StatusCode::NO_CONTENT)
}

async fn take_statement(
    app: &Shared,
    auth: &Auth,
    caller: Caller,
    wanted: WantedStatement,
    (hash, text, lacking): (Option<String>, String, Vec<String>),
) -> Result<(), Problem> {
    let file = match hash {
        None => None,
        Some(hash) => {
            let stored = blobs::stored(app, auth, "hash", &hash).await?;
            let (problem, form) = (wanted.problem.to_string(), wanted.form.clone());
            let file = app.blocking(move |app| {
                let content = app.blobs.read(&stored.hash, FILE_BYTES_MAX)?;
                made_statement(&problem, &form.language, form.is_page, &stored, &content)
            });
            Some(file.await?)
        }
    };
    let report = StatementReport { form: wanted.form, text, lacking };
    let made = MadeStatement { problem: wanted.problem, package: wanted.package, report, file };
    app.writer.act(caller, Command::In(wanted.contest, Action::StatementMade(Box::new(made)))).await?;
    Ok(())
}

/// Returns all that a judgehost needs for jobs.
async fn describe(app: &Shared, claimed: Vec<ClaimedJob>) -> Result<Vec<wire::Job>, Problem> {
    let mut jobs = Vec::new();
    {
        let state = app.published.state();
        for job in claimed {
            // What was cancelled in this moment is in the next answer's list of cancelled jobs.
            jobs.extend(state.work(&job.id.0).map(|work| describe_one(&job, &work)));
        }
    }
    app.blocking(move |app| {
        for job in &mut jobs {
            let hash = job.package.hash.parse().map_err(Problem::internal)?;
            job.package.size_bytes = app.blobs.size(&hash)?.unwrap_or(0);
        }
        Ok(jobs)
    })
    .await
}

fn describe_one(job: &ClaimedJob, work: &contest_rules::Work<'_>) -> wire::Job {
    let files = work.files.iter().map(|file| wire::JobFile {
        name: file.name.clone(),
        hash: file.blob.0.to_string(),
        size_bytes: file.size.0,
    });
    wire::Job {
        job: job.id.0.clone(),
        fence: job.fence.0,
        contest: work.contest.to_string(),
        judgement: work.judgement.to_string(),
        problem: work.problem.id.to_string(),
        package: wire::BlobRef { hash: work.problem.package.0.to_string(), size_bytes: 0 },
        limits: wire::JobLimits {
            time_ns: work.problem.time_limit.map(|limit| limit.0),
            memory_bytes: Some(work.problem.memory_limit.0),
            output_bytes: Some(work.problem.output_limit.0),
            code_bytes: Some(work.problem.code_limit.0),
        },
        language: Some(work.language.to_string()),
        entry_point: work.entry_point.map(ToOwned::to_owned),
        files: files.collect(),
        mode: if work.is_fast { wire::JobMode::Fast } else { wire::JobMode::Strict },
        cases: if work.is_full { wire::JobCases::Full } else { wire::JobCases::Lazy },
        scores: work.scores,
    }
}

pub async fn reports(
    State(app): State<Shared>,
    auth: Auth,
    Path(host): Path<String>,
    request: Later<wire::ReportsRequest>,
) -> Result<Json<wire::ReportsAnswer>, Problem> {
    let host: JudgehostId = named("judgehost", &host)?;
    let caller = as_host(&auth, &host)?;
    require_joined(&app, &caller, &host)?;
    let request = request.read(&app).await?;
    app.hosts.update(&host, |entry| entry.seen = clock::system_now());
    if request.reports.len() > wire::REPORTS_MAX {
        return Err(Problem::invalid(format!("at most {} reports at once", wire::REPORTS_MAX)));
    }
    let outputs = compile_outputs(&app, &request.reports).await?;
    let mut reports = Vec::new();
    let mut limits = Vec::new();
    for (report, output) in request.reports.into_iter().zip(outputs) {
        limits.push(match &report.what {
            wire::ReportKind::TimeLimit(limit) => Some((report.job.clone(), limit.time_limit_ns)),
            _ => None,
        });
        reports.push(lease_report(&app, report, output)?);
    }
    let outcomes = app.writer.report(caller, host, reports).await?;
    let state = app.published.state();
    let answers = outcomes.into_iter().zip(limits).map(|(outcome, limit)| wire::ReportAnswer {
        state: match outcome {
            ReportOutcome::Taken => wire::ReportState::Taken,
            ReportOutcome::Stale => wire::ReportState::Stale,
            ReportOutcome::Cancelled => wire::ReportState::Cancelled,
        },
        // The first report sets the limit.
        time_limit_ns: limit.and_then(|(job, _)| state.work(&job)?.problem.time_limit).map(|limit| limit.0),
    });
    Ok(Json(wire::ReportsAnswer { answers: answers.collect() }))
}

/// Stores what compilers printed.
async fn compile_outputs(app: &Shared, reports: &[wire::Report]) -> Result<Vec<Option<BlobHash>>, Problem> {
    let texts: Vec<Option<String>> = reports
        .iter()
        .map(|report| match &report.what {
            wire::ReportKind::Done(done) => done.compile_output.clone().filter(|text| !text.is_empty()),
            _ => None,
        })
        .collect();
    if texts.iter().all(Option::is_none) {
        return Ok(vec![None; texts.len()]);
    }
    app.blocking(move |app| {
        let store = |text: String| {
            let stored = app.blobs.put(&mut text.as_bytes(), wire::COMPILE_OUTPUT_BYTES_MAX as u64, None)?;
            Ok(BlobHash(stored.hash.to_string().into_boxed_str()))
        };
        texts.into_iter().map(|text| text.map(store).transpose()).collect()
    })
    .await
}

fn lease_report(
    app: &App,
    report: wire::Report,
    compile_output: Option<BlobHash>,
) -> Result<LeaseReport, Problem> {
    let lease = Lease { job: JobId(report.job), fence: Fence(report.fence) };
    let (contest, judgement) = contest_rules::jobs::of_job(&lease.job.0)
        .ok_or_else(|| Problem::invalid_field("job", format!("'{}' is no job", lease.job)))?;
    let (action, is_last) = match report.what {
        wire::ReportKind::Begun => (Action::Begun(judgement), false),
        wire::ReportKind::TimeLimit(limit) => {
            let package = BlobHash(limit.package.into());
            (Action::DerivedLimit { judgement, package, limit: Nanos(limit.time_limit_ns) }, false)
        }
        wire::ReportKind::Runs { runs } => {
            if runs.len() > wire::REPORT_RUNS_MAX {
                return Err(Problem::invalid(format!("at most {} runs in a report", wire::REPORT_RUNS_MAX)));
            }
            let run = |run: wire::JobRun| Run {
                ordinal: run.ordinal,
                verdict: StoredVerdict(run.verdict.0),
                cpu_time: Nanos(run.cpu_time_ns),
                memory_peak: run.memory_peak_bytes.map(Bytes),
                at_ms: run.at_ms,
                for_jury: run.for_jury,
            };
            (Action::Runs(judgement, runs.into_iter().map(run).collect()), false)
        }
        wire::ReportKind::Done(done) => {
            let subtasks = done.subtasks.iter().map(|subtask| score("subtasks", subtask.score));
            let judged = Judged {
                judgement,
                outcome: Outcome {
                    verdict: StoredVerdict(done.verdict.0),
                    score: done.score.map(|points| score("score", points)).transpose()?,
                },
                max_run_time: done.max_run_time_ns.map(Nanos),
                subtasks: subtasks.collect::<Result<_, _>>()?,
                evidence: done.evidence.map(|evidence| BlobHash(evidence.hash.into())),
                compile_output,
                nondeterministic: done.nondeterministic.into_iter().collect(),
                for_jury: done.for_jury.into_iter().collect(),
            };
            (Action::Judged(Box::new(judged)), true)
        }
        wire::ReportKind::Failed(failed) => {
            let scope = failure_scope(app, &lease.job.0, failed.scope);
            (Action::Failed { judgement, scope, reason: cut(failed.reason) }, true)
        }
        wire::ReportKind::Returned { reason } => (Action::Returned { judgement, reason: cut(reason) }, true),
    };
    Ok(LeaseReport { lease, number: report.number, commands: vec![Command::In(contest, action)], is_last })
}

fn failure_scope(app: &App, job: &str, scope: wire::FailureScopeId) -> FailureScope {
    let state = app.published.state();
    match (scope, state.work(job)) {
        (wire::FailureScopeId::Machine, _) => FailureScope::Machine,
        (wire::FailureScopeId::Undecided, _) => FailureScope::Undecided,
        (wire::FailureScopeId::Package, Some(work)) => FailureScope::Package(work.problem.package.clone()),
        (wire::FailureScopeId::Language, Some(work)) => FailureScope::Language(work.language.clone()),
        _ => FailureScope::Judgement,
    }
}

/// Returns a text that is not longer than a reason may be.
fn cut(mut text: String) -> String {
    let end = (0..=wire::REASON_BYTES_MAX.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.truncate(end.unwrap_or(0));
    text
}

pub async fn heartbeat(
    State(app): State<Shared>,
    auth: Auth,
    Path(host): Path<String>,
    Json(heartbeat): Json<wire::Heartbeat>,
) -> Result<Json<wire::HeartbeatAnswer>, Problem> {
    let host: JudgehostId = named("judgehost", &host)?;
    let caller = as_host(&auth, &host)?;
    let (_, state) = require_joined(&app, &caller, &host)?;
    app.hosts.update(&host, |entry| {
        entry.seen = clock::system_now();
        entry.jobs = u32::try_from(heartbeat.jobs.len()).unwrap_or(u32::MAX);
        entry.not_tested(heartbeat.untested_languages);
    });
    if heartbeat.reference.len() > REFERENCE_MAX {
        return Err(Problem::invalid(format!("at most {REFERENCE_MAX} reference times at once")));
    }
    if heartbeat.machine.is_some() {
        app.hosts.describe(&host, heartbeat.machine);
    }
    let wants_machine = app.hosts.show(&host, &heartbeat.reference, heartbeat.places);
    let drifted = app.hosts.with(&host, |entry| entry.measured(&heartbeat.reference)).flatten();
    if let Some(drifted) = drifted {
        let now = clock::system_now();
        let takes = |other: &JudgehostId| app.hosts.takes(other, &[], now);
        let command = app.published.state().on_drift(&host, &drifted, takes);
        if let Some(command) = command {
            tracing::warn!(%host, reason = drifted.reason(), "a judgehost has become slower");
            app.writer.act(Caller::system(), command).await?;
        }
    }
    let leases: Vec<Lease> = heartbeat
        .jobs
        .iter()
        .map(|held| Lease { job: JobId(held.job.clone()), fence: Fence(held.fence) })
        .collect();
    let held = if leases.is_empty() {
        Vec::new()
    } else {
        app.writer.extend(host.clone(), leases, LEASE_MS).await?
    };
    let stale = heartbeat.jobs.into_iter().zip(held).filter(|(_, held)| !held).map(|(job, _)| job.job);
    let drain = state.is_out();
    Ok(Json(wire::HeartbeatAnswer {
        cancel: app.published.take_cancelled(&host),
        stale: stale.collect(),
        drain,
        drain_reason: why_out(&app, &host, drain),
        wants_machine,
    }))
}
