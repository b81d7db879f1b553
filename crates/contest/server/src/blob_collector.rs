//! Contents that nothing uses: what each account has sent of them, and their end.

mod sent;
use crate::auth::Auth;
use crate::{App, Problem};
use contest_rules::BlobHash;
use sent::Sent;
pub use sent::SentBlobs;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};
use store::{Collected, StoredBlob};

/// A judgehost may have sent a record and then lost the server for a night; the report that uses it comes later.
pub const AGE: Duration = Duration::from_hours(24);
const COLLECT_EVERY: Duration = Duration::from_hours(1);
/// Nothing is of this age.
const NEVER: Duration = Duration::from_hours(24 * 365 * 100);

impl App {
    /// Refuses a content of an account that has sent too many that nothing uses.
    pub(crate) fn may_store(&self, auth: &Auth) -> Result<(), Problem> {
        let limits = &self.config.limits;
        let mut all = self.sent_blobs.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(sent) = all.get_mut(auth.account()?) else { return Ok(()) };
        let is_full = |sent: &[Sent]| {
            let bytes = sent.iter().fold(0_u64, |sum, entry| sum.saturating_add(entry.blob.size_bytes));
            sent.len() >= limits.unused_per_account || bytes >= limits.unused_bytes_per_account
        };
        if !is_full(sent) {
            return Ok(());
        }
        let used = self.used();
        sent.retain(|entry| entry.at.elapsed() < AGE && !used.contains(&entry.blob.hash));
        if !is_full(sent) {
            return Ok(());
        }
        let detail = "this account has sent too much that nothing uses: it is deleted after a day";
        Err(Problem::too_many(detail, 3600))
    }

    pub(crate) fn note_sent(&self, auth: &Auth, blob: StoredBlob) {
        self.note_all_sent(auth, vec![blob]);
    }

    pub(crate) fn note_all_sent(&self, auth: &Auth, blobs: Vec<StoredBlob>) {
        let Ok(account) = auth.account() else { return };
        let new: HashMap<_, _> = blobs.into_iter().map(|blob| (blob.hash, blob)).collect();
        let mut all = self.sent_blobs.0.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = all.entry(account.clone()).or_default();
        sent.retain(|entry| !new.contains_key(&entry.blob.hash));
        sent.extend(new.into_values().map(|blob| Sent { blob, at: Instant::now() }));
    }

    /// Returns whether an account may name a content by its hash. Those who are bound to contests have to have sent it, or to have it
    /// in one of these: a hash alone proves nothing.
    pub(crate) fn may_name(&self, auth: &Auth, hash: &store::BlobHash) -> bool {
        let own = &auth.caller.contests;
        let has_sent = || {
            let all = self.sent_blobs.0.lock().unwrap_or_else(PoisonError::into_inner);
            let sent = auth.account().ok().and_then(|account| all.get(account));
            sent.is_some_and(|sent| sent.iter().any(|entry| entry.blob.hash == *hash))
        };
        let has = || {
            let text = hash.to_string();
            self.published.state().blobs_of(own).any(|blob| *blob.0 == *text)
        };
        own.is_empty() || has_sent() || has()
    }

    fn used(&self) -> HashSet<store::BlobHash> {
        let state = self.published.state();
        state.blobs().filter_map(|BlobHash(text)| text.parse().ok()).collect()
    }

    /// Deletes contents that are of this age and that nothing uses, and uploads that do not go on.
    ///
    /// Nothing begins to use an old content while this runs: what is named again is renewed before.
    pub async fn collect_unused(self: Arc<Self>, age: Duration) -> Result<Collected, Problem> {
        self.blocking(move |app| {
            let used = app.used();
            // A log without a contest is more likely a wrong one than one whose contents are to go.
            let age = if used.is_empty() { NEVER } else { age };
            Ok(app.blobs.collect(&|hash| used.contains(hash), age)?)
        })
        .await
    }
}

/// Collects from time to time, as long as the server is there.
pub async fn collect(app: Weak<App>) {
    loop {
        tokio::time::sleep(COLLECT_EVERY).await;
        let Some(app) = app.upgrade() else { return };
        // Who follows may not know yet what uses a content.
        if !app.published.is_writer() {
            continue;
        }
        match app.collect_unused(AGE).await {
            Ok(Collected { blobs: 0, uploads: 0, .. }) => {}
            Ok(Collected { blobs, bytes, uploads }) => {
                tracing::info!(blobs, bytes, uploads, "contents that nothing uses were deleted");
            }
            Err(problem) => tracing::warn!(reason = problem.detail(), "nothing could be collected"),
        }
    }
}
