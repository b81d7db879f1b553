//! How many streams are open, and whose.

use crate::Problem;
use crate::config::Limits;
use contest_rules::AccountId;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

#[derive(Default)]
pub struct Streams {
    pub(super) counts: Mutex<Counts>,
}

#[derive(Default)]
pub(super) struct Counts {
    pub(super) all: usize,
    pub(super) anonymous: usize,
    pub(super) addresses: HashMap<IpAddr, usize>,
    pub(super) accounts: HashMap<AccountId, usize>,
}

impl Streams {
    pub fn open(&self) -> usize {
        self.lock().all
    }

    pub(super) fn lock(&self) -> std::sync::MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts {
    pub(super) fn add(
        &mut self,
        limits: &Limits,
        address: IpAddr,
        account: Option<&AccountId>,
    ) -> Result<(), Problem> {
        let of_address = self.addresses.get(&address).copied().unwrap_or(0);
        let of_account = account.and_then(|account| self.accounts.get(account)).copied().unwrap_or(0);
        for (count, max, whose) in [
            (self.all, limits.streams, "in all"),
            (
                if account.is_none() { self.anonymous } else { 0 },
                limits.streams_anonymous,
                "without an account",
            ),
            (of_address, limits.streams_per_address, "of this address"),
            (of_account, limits.streams_per_account, "of this account"),
        ] {
            if count >= max {
                return Err(Problem::too_many(format!("there are {max} streams of events {whose}"), 30));
            }
        }
        self.all += 1;
        *self.addresses.entry(address).or_default() += 1;
        match account {
            Some(account) => *self.accounts.entry(account.clone()).or_default() += 1,
            None => self.anonymous += 1,
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, address: &IpAddr, account: Option<&AccountId>) {
        self.all -= 1;
        decrease(&mut self.addresses, address);
        match account {
            Some(account) => decrease(&mut self.accounts, account),
            None => self.anonymous -= 1,
        }
    }
}

pub(super) fn decrease<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}
