//! The answer to requests whose transaction failed.

use super::super::NOT_STORED;
use crate::Problem;
use crate::problem::{AWAY, FULL};
use store::StoreError;

/// Returns the answer to those whose transaction failed.
pub(crate) fn not_stored(error: &StoreError) -> Problem {
    match error {
        StoreError::Full { .. } => Problem::unavailable(FULL),
        StoreError::Unavailable { .. } => Problem::unavailable(AWAY),
        _ => Problem::unavailable(NOT_STORED),
    }
}
