//! Restores the previous values.

use super::apply::holds;
use super::record::{self, Entry, Journal, Progress};
use super::{TuneError, Tuner};
use model::without_error_numbers;
use std::io::ErrorKind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Restored {
    Back,
    AlreadyBack,
    /// Another program has changed it since; it was left as it is.
    ChangedByOthers {
        now: String,
    },
    /// The file no longer exists: its device is gone.
    Gone,
    Failed(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restoration {
    pub id: String,
    pub path: String,
    pub before: String,
    pub outcome: Restored,
}

impl Restored {
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Back | Self::AlreadyBack | Self::Gone)
    }
}

impl Tuner<'_> {
    /// Restores everything in the record, and removes the record if nothing is left in it. Values that others have
    /// changed since are overwritten only with `force`. Without a record of this boot the list is empty.
    pub fn restore(&mut self, force: bool) -> Result<Vec<Restoration>, TuneError> {
        let Some(mut journal) = self.journal()? else {
            record::remove(&self.record)?;
            return Ok(Vec::new());
        };
        // Decide which values others have changed before anything is written: each write may change other files too.
        let mut results: Vec<(Entry, Option<Restored>)> =
            journal.entries.iter().map(|entry| (entry.clone(), self.settled(entry, force))).collect();
        self.write_back(&mut results);
        let mut restorations = Vec::new();
        for (entry, outcome) in results {
            let outcome = self.verified(&entry, outcome);
            if outcome.is_done() {
                journal.restored(&entry.change.path)?;
            }
            if !(matches!(outcome, Restored::AlreadyBack) && never_written(&entry)) {
                let (id, change) = (entry.id, entry.change);
                restorations.push(Restoration { id, path: change.path, before: change.before, outcome });
            }
        }
        if journal.entries.is_empty() {
            Journal::remove(journal)?;
        }
        Ok(restorations)
    }

    /// Returns the outcome for a file that needs no write; `None` if it has to be written back.
    fn settled(&self, entry: &Entry, force: bool) -> Option<Restored> {
        let change = &entry.change;
        let now = match self.files.read(&change.path) {
            Ok(now) => now,
            Err(error) if error.kind() == ErrorKind::NotFound => return Some(Restored::Gone),
            // It may still be writable.
            Err(_) => return None,
        };
        if now == change.before {
            return Some(Restored::AlreadyBack);
        }
        let ours = match &entry.progress {
            Progress::Begun => true,
            Progress::Done(holds) => *holds == now,
            // Another step of the plan may have changed it as well.
            Progress::Planned | Progress::Refused => holds(&now, &change.value),
        };
        if ours || force {
            return None;
        }
        // Changes by others to a file that was never written are ignored.
        Some(if never_written(entry) { Restored::AlreadyBack } else { Restored::ChangedByOthers { now } })
    }

    /// Writes values back, the last one first. The kernel may accept one value only after another is restored, so
    /// refused writes are repeated as long as any other succeeds.
    fn write_back(&mut self, results: &mut [(Entry, Option<Restored>)]) {
        loop {
            let mut is_progress = false;
            for (entry, outcome) in results.iter_mut().rev() {
                let change = &entry.change;
                if matches!(outcome, None | Some(Restored::Failed(_))) {
                    *outcome = Some(match self.files.write(&change.path, &change.write_back) {
                        Ok(()) => {
                            is_progress = true;
                            Restored::Back
                        }
                        Err(error) => Restored::Failed(without_error_numbers(&error.to_string())),
                    });
                }
            }
            if !is_progress
                || !results.iter().any(|(_, outcome)| matches!(outcome, Some(Restored::Failed(_))))
            {
                return;
            }
        }
    }

    fn verified(&mut self, entry: &Entry, outcome: Option<Restored>) -> Restored {
        let change = &entry.change;
        let outcome = outcome.unwrap_or(Restored::AlreadyBack);
        if matches!(outcome, Restored::Gone | Restored::ChangedByOthers { .. }) {
            return outcome;
        }
        let is_back = |tuner: &Self| match tuner.files.read(&change.path) {
            Ok(now) if now == change.before => Ok(()),
            Ok(now) => Err(format!("it holds '{now}'")),
            Err(error) => Err(error.to_string()),
        };
        match is_back(self) {
            // A refused write is not needed if another one had its effect.
            Ok(()) if matches!(outcome, Restored::Failed(_)) => Restored::Back,
            Ok(()) => outcome,
            Err(_) if never_written(entry) && matches!(outcome, Restored::AlreadyBack) => outcome,
            Err(what) => match outcome {
                Restored::Failed(why) => Restored::Failed(why),
                _ => {
                    match self.files.write(&change.path, &change.write_back).is_ok() && is_back(self).is_ok()
                    {
                        true => Restored::Back,
                        false => Restored::Failed(what),
                    }
                }
            },
        }
    }
}

fn never_written(entry: &Entry) -> bool {
    matches!(entry.progress, Progress::Planned | Progress::Refused)
}
