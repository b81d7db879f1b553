//! Whether the server can do its work: checked every few seconds, so that a question costs nothing.

mod found;
use crate::problem::with_causes;
use crate::{App, clock};
use found::VALID;
pub use found::{Check, Disk, Health};
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

const EVERY: Duration = Duration::from_secs(5);
/// A check that takes longer has failed.
const WITHIN: Duration = Duration::from_secs(4);
/// How often all contents are counted.
const COUNT_EVERY: Duration = Duration::from_secs(60);

/// Checks from time to time, as long as the server is there.
pub async fn watch(app: Weak<App>) {
    loop {
        let Some(app) = app.upgrade() else { return };
        check(&app).await;
        drop(app);
        tokio::time::sleep(EVERY).await;
    }
}

async fn check(app: &Arc<App>) {
    let disk = disk(&app.config.temporary);
    let checks = vec![
        Check::of("recovered", recovered(app)),
        Check::of("log", log(app).await),
        Check::of("blobs", blobs(app).await),
        Check::of("disk", has_space(app, disk)),
    ];
    if note(app, checks, disk) {
        let usage = app.blocking(|app| Ok(app.blobs.usage()?)).await;
        if let Ok(usage) = usage {
            app.health.found().usage = Some((Instant::now(), usage));
        }
    }
}

/// Keeps what was found, and returns whether it is time to count what is stored.
fn note(app: &App, checks: Vec<Check>, disk: Option<Disk>) -> bool {
    let was_ready = app.health.report().is_ready;
    let mut found = app.health.found();
    let failed: Vec<&str> = checks.iter().filter(|check| !check.is_ok).map(|check| check.name).collect();
    if !failed.is_empty() && (was_ready || found.at.is_none()) {
        tracing::error!(failed = failed.join(", "), "the server is not ready; /readyz says why");
    } else if failed.is_empty() && !was_ready && found.at.is_some() {
        tracing::info!("the server is ready again");
    }
    found.disk = disk.or(found.disk);
    found.checks = checks;
    found.at = Some(Instant::now());
    found.usage.is_none_or(|(at, _)| at.elapsed() >= COUNT_EVERY)
}

fn recovered(app: &App) -> Result<(), String> {
    if app.published.is_recovering() {
        return Err("a transaction failed, and the log is being read again".to_owned());
    }
    // No one can log in before.
    match app.published.state().is_new() {
        true => Err("the first account is being made".to_owned()),
        false => Ok(()),
    }
}

/// The log took a write lately, or takes one now.
async fn log(app: &Arc<App>) -> Result<(), String> {
    let since = clock::system_now() - app.published.committed();
    // One of several has to know all the time that it still writes.
    let valid = if app.config.replica.is_some() { EVERY } else { VALID };
    if since.0 < i64::try_from(valid.as_millis()).unwrap_or(i64::MAX) {
        return Ok(());
    }
    match tokio::time::timeout(WITHIN, app.writer.check()).await {
        Ok(Ok(())) => {
            app.published.confirm();
            Ok(())
        }
        Ok(Err(problem)) => Err(problem.detail().to_owned()),
        Err(_) => Err(format!("no transaction was committed within {} s", WITHIN.as_secs())),
    }
}

async fn blobs(app: &Arc<App>) -> Result<(), String> {
    let stored = app.blocking(|app| Ok(app.blobs.check().map_err(|error| with_causes(&error))));
    match tokio::time::timeout(WITHIN, stored).await {
        Ok(Ok(stored)) => stored,
        Ok(Err(problem)) => Err(problem.detail().to_owned()),
        Err(_) => Err(format!("no content was stored within {} s", WITHIN.as_secs())),
    }
}

fn disk(folder: &Path) -> Option<Disk> {
    let space = rustix::fs::statvfs(folder).ok()?;
    let bytes = |blocks: u64| blocks.saturating_mul(space.f_frsize);
    Some(Disk { free_bytes: bytes(space.f_bavail), size_bytes: bytes(space.f_blocks) })
}

fn has_space(app: &App, disk: Option<Disk>) -> Result<(), String> {
    let Some(disk) = disk else { return Err("the free space cannot be read".to_owned()) };
    let least = app.config.operations.disk_free_min_bytes;
    if disk.free_bytes >= least {
        return Ok(());
    }
    let mib = |bytes: u64| bytes >> 20;
    Err(format!("{} MiB are free; {} MiB are the least", mib(disk.free_bytes), mib(least)))
}
