//! A secret that is not yet stored.

use crate::Problem;
use std::sync::{Mutex, PoisonError};

/// The token of the local judgehosts, as long as it could not be stored: they are asked to wait meanwhile.
#[derive(Default)]
pub(crate) struct Unstored(pub(super) Mutex<Option<(String, Problem)>>);

impl Unstored {
    /// Returns why the token with this hash cannot be used yet, if it is the one.
    pub fn why_not(&self, hash: &str) -> Option<Problem> {
        let unstored = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        unstored.as_ref().filter(|(of, _)| of == hash).map(|(_, why)| why.clone())
    }

    pub(super) fn set(&self, unstored: Option<(String, Problem)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = unstored;
    }
}
