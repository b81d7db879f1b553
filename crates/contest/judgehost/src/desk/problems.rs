//! The packages that are ready, or are being made ready. The least recently used goes.

use crate::judges::{Prepared, ProblemKey, Ticket};
use documents::judgehost::JobTimeLimit;
use std::collections::BTreeMap;
use std::time::Duration;

/// How many packages stay ready: all of a contest.
const READY_MAX: usize = 24;

#[derive(Debug)]
pub struct Problems<P> {
    by_key: BTreeMap<ProblemKey, State<P>>,
}

#[derive(Debug)]
pub enum State<P> {
    Loading,
    /// Its limit was derived here, and the server decides whether it holds.
    Derived {
        problem: P,
        limit: JobTimeLimit,
        /// Which job's report asks for it.
        asked: Option<Ticket>,
    },
    Ready {
        problem: P,
        /// A limit that replaces the package's.
        limit_ns: Option<u64>,
        used: Duration,
    },
}

impl<P> Default for Problems<P> {
    fn default() -> Self {
        Self { by_key: BTreeMap::new() }
    }
}

impl<P: Clone> Problems<P> {
    /// Returns whether a package has to be loaded; from now on it is.
    pub fn begin(&mut self, key: &ProblemKey, now: Duration) -> bool {
        match self.by_key.get_mut(key) {
            Some(State::Ready { used, .. }) => *used = now,
            Some(_) => {}
            None => {
                self.by_key.insert(key.clone(), State::Loading);
                return true;
            }
        }
        false
    }

    pub fn put(&mut self, key: &ProblemKey, prepared: Prepared<P>, now: Duration) {
        let Prepared { problem, derived, .. } = prepared;
        let state = match derived {
            Some(limit) => State::Derived { problem, limit, asked: None },
            None => State::Ready { problem, limit_ns: None, used: now },
        };
        self.by_key.insert(key.clone(), state);
        loop {
            let ready = self.by_key.iter().filter_map(|(key, state)| match state {
                State::Ready { used, .. } => Some((*used, key)),
                _ => None,
            });
            let ready: Vec<_> = ready.collect();
            if ready.len() <= READY_MAX {
                return;
            }
            let oldest = ready.into_iter().min().map(|(_, key)| key.clone());
            oldest.map(|key| self.by_key.remove(&key));
        }
    }

    /// Takes the server's answer to a job's report of a derived limit. Returns whether a package became ready.
    pub fn settle(&mut self, key: &ProblemKey, ticket: Ticket, limit_ns: Option<u64>) -> bool {
        match self.by_key.get(key) {
            Some(State::Derived { problem, limit, asked }) if *asked == Some(ticket) => {
                let limit_ns = limit_ns.filter(|limit_ns| *limit_ns != limit.time_limit_ns);
                let state = State::Ready { problem: problem.clone(), limit_ns, used: Duration::ZERO };
                self.by_key.insert(key.clone(), state);
                true
            }
            _ => false,
        }
    }

    /// Returns a package if it is ready, and the limit that replaces its own.
    pub fn take(&mut self, key: &ProblemKey, now: Duration) -> Option<(P, Option<u64>)> {
        match self.by_key.get_mut(key) {
            Some(State::Ready { problem, limit_ns, used }) => {
                *used = now;
                Some((problem.clone(), *limit_ns))
            }
            _ => None,
        }
    }

    /// Forgets those that are ready.
    pub fn shed(&mut self) {
        self.by_key.retain(|_, state| !matches!(state, State::Ready { .. }));
    }

    pub fn remove(&mut self, key: &ProblemKey) {
        self.by_key.remove(key);
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&ProblemKey, &mut State<P>)> {
        self.by_key.iter_mut()
    }
}
