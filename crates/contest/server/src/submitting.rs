//! How many submissions of an account are being stored: each is kept before it is decided whether it is one too many.

use crate::Problem;
use contest_rules::AccountId;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// More than a team's machines.
const OF_ACCOUNT_MAX: usize = 16;

/// Submissions that are being stored.
#[derive(Default)]
pub struct Submitting(Mutex<HashMap<AccountId, usize>>);

/// One of them, until it is dropped.
pub struct Place<'a> {
    submitting: &'a Submitting,
    account: &'a AccountId,
}

impl Submitting {
    /// Begins one more.
    pub fn enter<'a>(&'a self, account: &'a AccountId) -> Result<Place<'a>, Problem> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(account.clone()).or_default();
        if *count >= OF_ACCOUNT_MAX {
            let detail = format!("{OF_ACCOUNT_MAX} submissions of this account are being stored");
            return Err(Problem::too_many(detail, 1));
        }
        *count += 1;
        Ok(Place { submitting: self, account })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut counts = self.submitting.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(self.account) {
            *count -= 1;
            if *count == 0 {
                counts.remove(self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_has_a_limited_number() {
        let submitting = Submitting::default();
        let (a, b): (AccountId, AccountId) = ("a".parse().unwrap(), "b".parse().unwrap());
        let places: Vec<_> = (0..OF_ACCOUNT_MAX).map(|_| submitting.enter(&a).ok().unwrap()).collect();
        assert!(submitting.enter(&a).is_err() && submitting.enter(&b).is_ok());
        drop(places);
        assert!(submitting.enter(&a).is_ok() && submitting.0.lock().unwrap().is_empty());
    }
}
