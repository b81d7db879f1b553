//! Reading the log: at the start, and after a transaction whose outcome is unknown.

use super::thread::{StartError, WriterThread, why_not};
use crate::problem::with_causes;
use contest_rules::{Event, Notice, State};
use std::sync::PoisonError;
use std::time::Duration;
use store::{Store, StoreError};

/// Some megabytes at once.
const PAGE: usize = 10_000;
const BACKOFF_MIN: Duration = Duration::from_millis(50);
const BACKOFF_MAX: Duration = Duration::from_secs(5);

/// Applies what the log has after the state.
pub(super) fn read_log(
    store: &mut dyn Store,
    state: &mut State,
    notify: &mut dyn FnMut(Vec<Notice>),
) -> Result<(), StartError> {
    loop {
        let page = store.events_after(state.seq(), PAGE)?;
        if page.is_empty() {
            return Ok(());
        }
        for stored in page {
            let event: Event = serde_json::from_str(&stored.body)
                .map_err(|source| StartError::Event { seq: stored.seq, source })?;
            notify(state.apply(stored.seq, &event).notices);
        }
    }
}

/// Makes the state anew from the log, as soon as that can be read, and returns whether the writer can go on.
pub(super) fn recover(writer: &mut WriterThread, cause: StoreError) -> bool {
    let mut wait = BACKOFF_MIN;
    let mut cause = StartError::Store(cause);
    loop {
        if is_final(&cause) {
            tracing::error!(
                error = with_causes(&cause),
                "the store cannot be written any more: the server ends"
            );
            return false;
        }
        let mut state = writer.published.state().clone();
        let mut notices = Vec::new();
        match read_log(writer.store.as_mut(), &mut state, &mut |more| notices.extend(more)) {
            Ok(()) => {
                let seq = state.seq();
                writer.state = state.clone();
                let mut published = writer.published.state.write().unwrap_or_else(PoisonError::into_inner);
                *published = state;
                writer.published.hub.take(&notices);
                drop(published);
                writer.published.version.send_replace(seq);
                writer.published.queued.send_modify(|count| *count += 1);
                tracing::info!(events = seq, "the state was made anew from the log");
                return true;
            }
            Err(error) => {
                tracing::warn!(error = with_causes(&error), "the log cannot be read; trying again");
                cause = error;
            }
        }
        // No request waits for a store that may stay away.
        if writer.refuse_until(std::time::Instant::now() + wait, &why_not(&cause)) {
            tracing::warn!("the server ends while its store is away");
            return false;
        }
        wait = (wait * 2).min(BACKOFF_MAX);
    }
}

/// Returns whether trying again cannot help.
fn is_final(error: &StartError) -> bool {
    let is_final = |error: &StoreError| {
        matches!(
            error,
            StoreError::Fenced
                | StoreError::Locked { .. }
                | StoreError::Damaged(_)
                | StoreError::TooNew { .. }
        )
    };
    match error {
        StartError::Store(error) => is_final(error),
        StartError::Event { .. } | StartError::Thread(_) => true,
    }
}
