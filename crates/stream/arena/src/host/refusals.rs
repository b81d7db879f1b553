//! Clients that were turned away or dropped, by reason: counted when it happens, recorded and logged a few times a second, so that a
//! flood fills neither record nor log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use stream_rules::record::Line;

/// Why a client was turned away or dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
    /// It did not read the feed as fast as it came.
    SlowReader,
    /// There were as many clients as there may be.
    TooManyClients,
    /// Its address had as many connections as one may have.
    TooManyOfAddress,
    /// It did not send a whole request in time.
    NoRequest,
    BadRequest,
    TooLarge,
    UnreadReplies,
    /// No contestant has that name and password.
    WrongPassword,
    /// It has sent too many answers in too short a time.
    TooManyAnswers,
    BeforeTheStart,
    AfterTheEnd,
    /// The system's clock was set, so the time of receipt is that of reading.
    ClockStep,
    /// The disk did not take it.
    NotRecorded,
}

impl Refusal {
    /// Returns the words for it, as record, board and log have them.
    pub fn words(self) -> &'static str {
        match self {
            Self::SlowReader => "slow reader of the feed",
            Self::TooManyClients => "too many clients",
            Self::TooManyOfAddress => "too many connections of one address",
            Self::NoRequest => "no whole request in time",
            Self::BadRequest => "bad request",
            Self::TooLarge => "request too large",
            Self::UnreadReplies => "replies not read",
            Self::WrongPassword => "wrong name or password",
            Self::TooManyAnswers => "too many answers in a second",
            Self::BeforeTheStart => "answer before the contest",
            Self::AfterTheEnd => "answer after the contest",
            Self::ClockStep => "time of receipt unknown: the system's clock was set",
            Self::NotRecorded => "answer that the disk did not take",
        }
    }
}

/// What was counted since the last time.
#[derive(Default)]
pub(crate) struct Refusals(Mutex<BTreeMap<Refusal, u64>>);

impl Refusals {
    pub fn count(&self, refusal: Refusal) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *counts.entry(refusal).or_default() += 1;
    }

    /// Returns the lines for all that was counted, which begins anew.
    pub fn take(&self, at_ns: u64) -> Vec<Line> {
        let counts = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let line = |(refusal, count): (Refusal, u64)| {
            tracing::warn!(count, "{}", refusal.words());
            Line::Refused { at_ns, reason: refusal.words().to_owned(), count }
        };
        counts.into_iter().map(line).collect()
    }
}
