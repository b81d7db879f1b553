//! Whether the server can do its work: checked every few seconds, so that a question costs nothing.

use crate::problem::with_causes;
use crate::{App, clock};
use serde::Serialize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use store::BlobUsage;

const EVERY: Duration = Duration::from_secs(5);
/// A check that takes longer has failed.
const WITHIN: Duration = Duration::from_secs(4);
/// What was found earlier says nothing about now.
const VALID: Duration = Duration::from_secs(15);
/// How often all contents are counted.
const COUNT_EVERY: Duration = Duration::from_secs(60);

/// What the last checks found.
pub struct Health {
    found: Mutex<Found>,
    /// Held while the metrics are gathered.
    pub(super) gathering: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Found {
    at: Option<Instant>,
    checks: Vec<Check>,
    usage: Option<(Instant, BlobUsage)>,
    disk: Option<Disk>,
}

/// The disk of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    pub free_bytes: u64,
    pub size_bytes: u64,
}

/// What `/readyz` answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    pub is_ready: bool,
    pub checks: Vec<Check>,
}

/// One thing that must work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub is_ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Check {
    fn of(name: &'static str, result: Result<(), String>) -> Self {
        Self { name, is_ok: result.is_ok(), reason: result.err() }
    }
}

impl Health {
    /// Returns one that has not checked anything.
    pub fn new() -> Self {
        Self { found: Mutex::default(), gathering: tokio::sync::Mutex::new(()) }
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns what the last checks found.
    pub fn report(&self) -> Report {
        let found = self.found();
        let mut checks = found.checks.clone();
        let is_valid = found.at.is_some_and(|at| at.elapsed() < VALID);
        if !is_valid {
            let reason = "the last check was too long ago, or there was none yet";
            checks.push(Check::of("checks", Err(reason.to_owned())));
        }
        Report { is_ready: checks.iter().all(|check| check.is_ok), checks }
    }

    /// Returns how much is stored, and the disk.
    pub fn numbers(&self) -> (Option<BlobUsage>, Option<Disk>) {
        let found = self.found();
        (found.usage.map(|(_, usage)| usage), found.disk)
    }
}

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
    match app.published.is_recovering() {
        true => Err("a transaction failed, and the log is being read again".to_owned()),
        false => Ok(()),
    }
}

/// The log took a write lately, or takes one now.
async fn log(app: &Arc<App>) -> Result<(), String> {
    let since = clock::system_now() - app.published.committed();
    if since.0 < i64::try_from(VALID.as_millis()).unwrap_or(i64::MAX) {
        return Ok(());
    }
    match tokio::time::timeout(WITHIN, app.writer.check()).await {
        Ok(checked) => checked.map_err(|problem| problem.detail().to_owned()),
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
