//! Where an import puts contents: into the store, on the importing account; or nowhere, in a dry run.

use super::archive::refused;
use crate::auth::Auth;
use crate::{App, Problem};
use contest_rules::files::{AccountEntry, ContestFiles};
use contest_rules::{ContestId, ProblemEntry};
use std::io::Read;
use std::sync::{Mutex, PoisonError};
use store::StoredBlob;

/// The place for the contents of one import.
pub struct BlobImporter<'a> {
    pub app: &'a App,
    auth: &'a Auth,
    /// Whether nothing is stored.
    pub is_dry_run: bool,
    stored: Mutex<Vec<StoredBlob>>,
}

impl<'a> BlobImporter<'a> {
    /// Returns what a contest has, if the caller may set it.
    pub fn present(&self, contest: &ContestId) -> Option<ContestFiles> {
        present(self.app, self.auth, contest).ok()
    }

    /// Makes it, unless the account has sent too much that nothing uses: imports that failed count as well.
    pub fn new(app: &'a App, auth: &'a Auth, is_dry_run: bool) -> Result<Self, Problem> {
        app.may_store(auth)?;
        Ok(Self { app, auth, is_dry_run, stored: Mutex::default() })
    }

    /// Stores a content, or in a dry run only returns what it would be.
    pub fn put(&self, content: &mut dyn Read, bytes_max: u64) -> Result<StoredBlob, Problem> {
        if self.is_dry_run {
            let hashed = store::BlobHash::of_reader(&mut content.take(bytes_max.saturating_add(1)));
            let (hash, size_bytes) =
                hashed.map_err(|error| refused(format!("a file cannot be read: {error}")))?;
            if size_bytes > bytes_max {
                return Err(refused(format!("a file has more than {bytes_max} bytes")));
            }
            return Ok(StoredBlob { hash, size_bytes });
        }
        let stored = self.app.blobs.put(content, bytes_max, None)?;
        self.stored.lock().unwrap_or_else(PoisonError::into_inner).push(stored);
        Ok(stored)
    }
}

impl Drop for BlobImporter<'_> {
    fn drop(&mut self) {
        let stored = std::mem::take(&mut *self.stored.lock().unwrap_or_else(PoisonError::into_inner));
        self.app.note_all_sent(self.auth, stored);
    }
}

/// Returns what a contest has, as the files of a package.
pub fn present(app: &App, auth: &Auth, contest: &ContestId) -> Result<ContestFiles, Problem> {
    let state = app.published.state();
    let view = state.view(&auth.caller, contest)?;
    let jury = view.jury()?;
    let problems = view.problems().into_iter().filter_map(|problem| problem.jury);
    // Only admins see accounts.
    let accounts = state.server(&auth.caller).accounts().unwrap_or_default();
    let accounts = accounts.into_iter().filter(|settings| settings.contests.contains(contest));
    Ok(ContestFiles {
        contest: Some((contest.clone(), jury.settings.clone())),
        problems: problems.map(|jury| ProblemEntry::of(jury.settings)).collect(),
        groups: view.groups().cloned().collect(),
        organizations: view.organizations().cloned().collect(),
        teams: view.team_settings()?.cloned().collect(),
        persons: view.person_settings()?.cloned().collect(),
        accounts: accounts
            .map(|settings| AccountEntry { settings: settings.clone(), password: None })
            .collect(),
    })
}
