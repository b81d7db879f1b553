//! PostgreSQL's values and errors.

use super::client::Error;
use crate::StoreError;
use std::collections::HashMap;
use tokio_postgres::Statement;
use tokio_postgres::error::SqlState;

pub(super) type Statements = HashMap<&'static str, Statement>;

/// Returns how to turn PostgreSQL's errors into ours.
pub(crate) fn failed(action: &'static str) -> impl Fn(Error) -> StoreError {
    move |error| match error.code() {
        Some(code) if *code == SqlState::DISK_FULL => StoreError::Full { action },
        Some(code) if !is_lost(code) => StoreError::Database { action, source: Box::new(error) },
        _ => StoreError::Unavailable { action, source: Box::new(error) },
    }
}

/// Returns whether a server that answers so has ended the connection, or has given up on time: another attempt may succeed.
pub(super) fn is_lost(code: &SqlState) -> bool {
    // Connection exceptions, operator intervention (a statement's timeout is one) and a lock's timeout.
    code.code().starts_with("08") || code.code().starts_with("57") || *code == SqlState::LOCK_NOT_AVAILABLE
}

/// Returns a number as PostgreSQL has it. What is larger than any that it has stays so.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
