//! What was found out last.

use serde::Serialize;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use store::BlobUsage;

/// What was found earlier says nothing about now.
pub(super) const VALID: Duration = Duration::from_secs(15);

pub struct Health {
    pub(super) found: Mutex<HealthReadings>,
    /// Held while the metrics are gathered.
    pub(in crate::ops) gathering: tokio::sync::Mutex<()>,
}

#[derive(Default)]
pub(super) struct HealthReadings {
    pub(super) at: Option<Instant>,
    pub(super) checks: Vec<Check>,
    pub(super) usage: Option<(Instant, BlobUsage)>,
    pub(super) disk: Option<Disk>,
}

/// The disk of the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    pub free_bytes: u64,
    pub size_bytes: u64,
}

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
    pub(super) fn of(name: &'static str, result: Result<(), String>) -> Self {
        Self { name, is_ok: result.is_ok(), reason: result.err() }
    }
}

impl Health {
    /// Returns one that has not checked anything.
    pub fn new() -> Self {
        Self { found: Mutex::default(), gathering: tokio::sync::Mutex::new(()) }
    }

    pub(super) fn found(&self) -> std::sync::MutexGuard<'_, HealthReadings> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

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
