//! What accounts have sent since the start.

use contest_rules::AccountId;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Instant;
use store::StoredBlob;

/// What accounts have sent since the start.
#[derive(Default)]
pub struct SentBlobs(pub(super) Mutex<HashMap<AccountId, Vec<Sent>>>);

pub(super) struct Sent {
    pub(super) blob: StoredBlob,
    pub(super) at: Instant,
}
