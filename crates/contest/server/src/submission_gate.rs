//! How many submissions of an account are being stored: each is kept before it is decided whether it is one too many.

use crate::Problem;
use contest_rules::AccountId;
use model::{Counted, message};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// More than a team's machines.
const OF_ACCOUNT_MAX: usize = 16;

/// Submissions that are being stored.
#[derive(Default)]
pub struct SubmissionGate(Mutex<HashMap<AccountId, usize>>);

/// One of them, until it is dropped.
pub struct Admission<'a> {
    gate: &'a SubmissionGate,
    account: &'a AccountId,
}

impl SubmissionGate {
    pub fn admit<'a>(&'a self, account: &'a AccountId) -> Result<Admission<'a>, Problem> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(account.clone()).or_default();
        if *count >= OF_ACCOUNT_MAX {
            let detail = message!(
                "submissions-being-stored",
                "{count} of this account are being stored",
                count = Counted(OF_ACCOUNT_MAX, "submission")
            );
            return Err(Problem::too_many(detail, 1));
        }
        *count += 1;
        Ok(Admission { gate: self, account })
    }
}

impl Drop for Admission<'_> {
    fn drop(&mut self) {
        let mut counts = self.gate.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        let gate = SubmissionGate::default();
        let (a, b): (AccountId, AccountId) = ("a".parse().unwrap(), "b".parse().unwrap());
        let admitted: Vec<_> = (0..OF_ACCOUNT_MAX).map(|_| gate.admit(&a).ok().unwrap()).collect();
        assert!(gate.admit(&a).is_err() && gate.admit(&b).is_ok());
        drop(admitted);
        assert!(gate.admit(&a).is_ok() && gate.0.lock().unwrap().is_empty());
    }
}
