//! What is read at each request for the metrics.

use super::metrics::{JobsOf, Metrics, OfHost, OfPool};
use crate::{Shared, clock};
use contest_rules::JudgehostState;
use std::os::unix::fs::FileExt;
use std::time::Duration;
use store::BlobUsage;

/// A writer that does not answer leaves the numbers of before.
const JOBS_WITHIN: Duration = Duration::from_secs(2);

pub async fn text(app: &Shared) -> Result<String, std::fmt::Error> {
    let _alone = app.health.gathering.lock().await;
    jobs(app).await;
    look(app);
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &app.published.metrics.registry)?;
    Ok(text)
}

async fn jobs(app: &Shared) {
    let metrics = &app.published.metrics;
    let Ok(Ok(counts)) = tokio::time::timeout(JOBS_WITHIN, app.writer.counts()).await else { return };
    metrics.jobs.clear();
    for count in counts {
        let of = |state| JobsOf { pool: count.pool.clone(), state };
        for (state, number) in
            [("waiting", count.waiting), ("delayed", count.delayed), ("claimed", count.leased)]
        {
            metrics.jobs.get_or_create(&of(state)).inc_by(signed(number));
        }
    }
}

fn look(app: &Shared) {
    let metrics = &app.published.metrics;
    let now = clock::system_now();
    let state = app.published.state();
    let view = state.operations();
    metrics.events.set(signed(state.seq()));
    metrics.contests.set(view.contests as i64);
    metrics.submissions.set(view.submissions as i64);
    metrics.oldest_job_seconds.clear();
    for (pool, since) in &view.oldest_waiting {
        let pool = pool.to_string();
        metrics.oldest_job_seconds.get_or_create(&OfPool { pool }).set(seconds((now - *since).0));
    }
    metrics.judgehosts.clear();
    metrics.judgehost_seen_seconds.clear();
    for (id, pool, state) in &view.judgehosts {
        let seen = app.hosts.get(id).map(|host| (now - host.seen).0);
        let is_away = app.hosts.is_away(id, now);
        let state = match state {
            JudgehostState::Enabled if is_away => "away",
            JudgehostState::Enabled => "enabled",
            JudgehostState::Draining => "draining",
            JudgehostState::Disabled => "disabled",
            JudgehostState::Waiting => "waiting",
        };
        metrics.judgehosts.get_or_create(&JobsOf { pool: pool.to_string(), state }).inc();
        if let Some(ago) = seen {
            let host = OfHost { judgehost: id.to_string(), pool: pool.to_string() };
            metrics.judgehost_seen_seconds.get_or_create(&host).set(seconds(ago));
        }
    }
    drop(state);
    metrics.streams.set(app.streams.open() as i64);
    metrics.memory_bytes.set(memory(app).unwrap_or(0));
    metrics.is_writer.set(i64::from(app.published.is_writer() && app.is_up_to_date()));
    metrics.is_ready.set(i64::from(app.health.report().is_ready));
    numbers_of_health(app, metrics);
}

/// What the checks of health have found out, which take longer.
fn numbers_of_health(app: &Shared, metrics: &Metrics) {
    let (usage, disk) = app.health.numbers();
    if let Some(BlobUsage { blobs, bytes }) = usage {
        metrics.blobs.set(signed(blobs));
        metrics.blob_bytes.set(signed(bytes));
    }
    if let Some(disk) = disk {
        metrics.disk_free_bytes.set(signed(disk.free_bytes));
        metrics.disk_size_bytes.set(signed(disk.size_bytes));
    }
}

/// Returns the resident memory, from the second number of `statm`.
fn memory(app: &Shared) -> Option<i64> {
    let mut text = [0; 128];
    let length = app.config.operations.memory.as_ref()?.read_at(&mut text, 0).ok()?;
    let text = str::from_utf8(&text[..length]).ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(signed(pages * rustix::param::page_size() as u64))
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn seconds(ms: i64) -> f64 {
    ms.max(0) as f64 / 1000.0
}
