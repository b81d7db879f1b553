//! What staff works with: balloons, awards, the audit, pools, the queue.

use super::created;
use crate::auth::Auth;
use crate::extract::{Json, Path, Query};
use crate::handlers::InContest;
use crate::wire::{LANGUAGES, id, named, time, wire_balloon};
use crate::{App, Problem, Shared, clock};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use contest_rules::roles::Resource;
use contest_rules::view::AuditFilter;
use contest_rules::{Action, BlobHash, Command, Instant, MeasuredRatio, PauseScope, PoolId, PoolSettings};
use documents::contest as api;
use languages::Language;
use model::message;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const AUDIT_PAGE: usize = 100;
const AUDIT_PAGE_MAX: usize = 1000;

pub async fn balloons(at: InContest) -> Result<Json<Vec<api::Balloon>>, Problem> {
    at.view(|view| {
        let balloons =
            view.balloons()?.into_iter().filter(|entry| entry.is_solved || entry.delivered.is_some());
        Ok(Json(balloons.map(|entry| wire_balloon(&entry)).collect()))
    })
}

/// Notes that a balloon was brought.
pub async fn deliver(at: InContest, Json(deliver): Json<api::DeliverBalloon>) -> Result<StatusCode, Problem> {
    let action =
        Action::DeliverBalloon(id("team_id", &deliver.team_id)?, id("problem_id", &deliver.problem_id)?);
    at.done(action).await
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub struct AuditQuery {
    contest_id: Option<String>,
    account_id: Option<String>,
    kind: Option<String>,
    from: Option<api::Time>,
    until: Option<api::Time>,
    text: Option<String>,
    before: Option<u64>,
    max: Option<usize>,
}

/// Returns a page of the audit, the newest first.
pub async fn audit(
    State(app): State<Shared>,
    auth: Auth,
    Query(query): Query<AuditQuery>,
) -> Result<Json<api::AuditPage>, Problem> {
    let max = query.max.unwrap_or(AUDIT_PAGE).clamp(1, AUDIT_PAGE_MAX);
    let filter = AuditFilter {
        contest: query.contest_id.map(|text| id("contest_id", &text)).transpose()?,
        account: query.account_id.map(|text| id("account_id", &text)).transpose()?,
        kind: query.kind,
        from: query.from.map(|time| Instant(time.0)),
        until: query.until.map(|time| Instant(time.0)),
        text: query.text,
        before: query.before,
        max,
    };
    let state = app.published.state();
    let lines = state.server(&auth.caller).audit(&filter).map_err(|refusal| auth.explain(refusal))?;
    let next = lines.last().filter(|_| lines.len() == max).map(|line| line.seq);
    let entries = lines.iter().map(|line| api::AuditEntry {
        seq: line.seq,
        time: time(line.time),
        actor: line.account.to_string(),
        address: line.address.clone(),
        contest_id: line.contest.as_ref().map(ToString::to_string),
        kind: line.kind.clone(),
        text: line.message.text.clone(),
        sentence: api::Sentence::of(&line.message),
    });
    Ok(Json(api::AuditPage { entries: entries.collect(), next }))
}

fn read_pools(app: &App, auth: &Auth) -> Result<Vec<api::Pool>, Problem> {
    let state = app.published.state();
    let server = state.server(&auth.caller);
    let pools = server.pools().map_err(|refusal| auth.explain(refusal))?;
    let pool = |pool: &contest_rules::view::PoolView<'_>| api::Pool {
        id: pool.settings.id.to_string(),
        identity: pool.settings.identity.clone(),
        compilers: pool.settings.compilers.clone(),
        judgehosts: crate::wire::texts(pool.judgehosts.iter().copied()),
        ratios: pool
            .ratios
            .iter()
            .map(|ratio| api::PoolRatio {
                strict: ratio.strict.to_string(),
                language: ratio.language.to_string(),
                upper_permille: ratio.upper_permille,
                programs: ratio.programs,
            })
            .collect(),
    };
    Ok(pools.iter().map(pool).collect())
}

pub async fn pools(State(app): State<Shared>, auth: Auth) -> Result<Json<Vec<api::Pool>>, Problem> {
    Ok(Json(read_pools(&app, &auth)?))
}

/// Returns all languages that the server knows, and which pools can compile them.
pub async fn languages(
    State(app): State<Shared>,
    auth: Auth,
) -> Result<Json<Vec<api::KnownLanguage>>, Problem> {
    let state = app.published.state();
    let pools = state.server(&auth.caller).pools().map_err(|refusal| auth.explain(refusal))?;
    let installed = pools.iter().map(|pool| (&pool.settings.id, state.languages_of_pool(&pool.settings.id)));
    let installed: Vec<_> = installed.collect();
    let known = LANGUAGES.iter().map(|Language { id, name, .. }| {
        let has = |(_, known): &&(_, Option<BTreeSet<&str>>)| {
            known.as_ref().is_some_and(|known| known.contains(id.as_str()))
        };
        let pools = installed.iter().filter(has).map(|(pool, _)| pool.to_string()).collect();
        api::KnownLanguage { id: id.clone(), name: name.clone(), pools }
    });
    Ok(Json(known.collect()))
}

/// Makes a pool, or replaces its settings.
pub async fn set_pool(
    State(app): State<Shared>,
    auth: Auth,
    Json(pool): Json<api::NewPool>,
) -> Result<Response, Problem> {
    let pool_id: PoolId = id("id", &pool.id)?;
    let settings = PoolSettings { id: pool_id, identity: pool.identity, compilers: pool.compilers };
    app.act(&auth, Command::SetPool(settings)).await?;
    let object = read_pools(&app, &auth)?.into_iter().find(|entry| entry.id == pool.id);
    Ok(created(&format!("/api/pools/{}", pool.id), object))
}

pub async fn remove_pool(
    State(app): State<Shared>,
    auth: Auth,
    Path(pool): Path<String>,
) -> Result<StatusCode, Problem> {
    app.act(&auth, Command::RemovePool(named("pool", &pool)?)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Notes the measured ratio of two pools.
pub async fn set_ratio(
    State(app): State<Shared>,
    auth: Auth,
    Path(pool): Path<String>,
    Json(ratio): Json<api::NewPoolRatio>,
) -> Result<StatusCode, Problem> {
    let command = Command::MeasurePoolRatio(MeasuredRatio {
        strict: named("pool", &pool)?,
        fast: id("fast", &ratio.fast)?,
        language: id("language", &ratio.language)?,
        upper_permille: ratio.upper_permille,
        programs: ratio.programs,
    });
    app.act(&auth, command).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns what waits and what is being judged.
pub async fn jobs(State(app): State<Shared>, auth: Auth) -> Result<Json<api::Jobs>, Problem> {
    auth.may_read(Resource::Judging)?;
    let mut pools: BTreeMap<String, api::PoolJobs> = BTreeMap::new();
    let empty = |pool: &str| {
        let took = app.published.metrics.recent.of(pool);
        api::PoolJobs {
            pool: pool.to_owned(),
            waiting: 0,
            claimed: 0,
            oldest_wait_ms: None,
            verdict_p99_ms: took.verdict_p99_ms,
            judging_mean_ms: took.judging_mean_ms,
        }
    };
    let counts = app.writer.counts().await?;
    let state = app.published.state();
    // Also those in which nothing waits.
    for pool in state.pools() {
        pools.insert(pool.to_string(), empty(pool.as_str()));
    }
    for count in counts {
        let entry = pools.entry(count.pool.clone()).or_insert_with(|| empty(&count.pool));
        entry.waiting += count.waiting + count.delayed;
        entry.claimed += count.leased;
    }
    let now = clock::system_now();
    for (pool, since) in state.operations().oldest_waiting {
        let wait = u64::try_from((now - since).0).unwrap_or(0);
        pools.entry(pool.to_string()).or_insert_with(|| empty(pool.as_str())).oldest_wait_ms = Some(wait);
    }
    Ok(Json(api::Jobs { pools: pools.into_values().collect() }))
}

/// Returns what is not judged for now.
pub async fn paused(State(app): State<Shared>, auth: Auth) -> Result<Json<Vec<api::PausedJudging>>, Problem> {
    Ok(Json(read_paused(&app, &auth)?))
}

pub(super) fn read_paused(app: &App, auth: &Auth) -> Result<Vec<api::PausedJudging>, Problem> {
    let state = app.published.state();
    let paused = state.server(&auth.caller).paused().map_err(|refusal| auth.explain(refusal))?;
    let wire = |(scope, reason): (&PauseScope, &str)| {
        let (package, language, judgehost) = match scope {
            PauseScope::Package(package) => (Some(package.0.to_string()), None, None),
            PauseScope::Language(language, host) => {
                (None, Some(language.to_string()), Some(host.to_string()))
            }
        };
        api::PausedJudging { package, language, judgehost, reason: reason.to_owned() }
    };
    Ok(paused.into_iter().map(wire).collect())
}

/// Lets what was paused be judged again.
pub async fn resume(
    State(app): State<Shared>,
    auth: Auth,
    Json(paused): Json<api::PausedJudging>,
) -> Result<StatusCode, Problem> {
    let scope = match (paused.package, paused.language, paused.judgehost) {
        (Some(package), None, None) => PauseScope::Package(BlobHash(package.into())),
        (None, Some(language), Some(host)) => {
            PauseScope::Language(id("language", &language)?, id("judgehost", &host)?)
        }
        _ => {
            return Err(Problem::invalid(message!(
                "no-pause-named",
                "name a package, or a language and a judgehost"
            )));
        }
    };
    app.act(&auth, Command::ResumeJudging(scope)).await?;
    Ok(StatusCode::NO_CONTENT)
}
