//! The answer to requests whose transaction failed.

use super::super::outcome_unknown;
use crate::Problem;
use crate::problem::{away, full};
use store::StoreError;

/// Returns the answer to those whose transaction failed.
pub(crate) fn not_stored(error: &StoreError) -> Problem {
    match error {
        StoreError::Full { .. } => Problem::unavailable(full()),
        StoreError::Unavailable { .. } => Problem::unavailable(away()),
        _ => Problem::unavailable(outcome_unknown()),
    }
}
