//! Who asks, and why something is refused.

use crate::{AccountId, ContestId, JudgehostId, Role, TeamId};
use model::Message;
use std::collections::BTreeSet;

/// Who asks. Made by [`crate::State::caller`] once it is known who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    pub account: Option<AccountId>,
    pub standing: Standing,
    /// In which contests; empty for all. Not for teams: theirs is never empty.
    pub contests: BTreeSet<ContestId>,
    pub team: Option<TeamId>,
    pub judgehost: Option<JudgehostId>,
    pub address: Option<String>,
}

/// The standing of a caller with the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// The server itself: timers, leases that ended.
    System,
    Account(Role),
    Public,
}

impl Caller {
    pub fn system() -> Self {
        Self { standing: Standing::System, ..Self::public(None) }
    }

    pub fn public(address: Option<String>) -> Self {
        Self {
            account: None,
            standing: Standing::Public,
            contests: BTreeSet::new(),
            team: None,
            judgehost: None,
            address,
        }
    }

    pub fn is(&self, role: Role) -> bool {
        self.standing == Standing::Account(role)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub kind: RefusalKind,
    /// The reason for programs, such as `too-many-submissions`: the same for some sentences.
    pub code: &'static str,
    /// The reason for people: what is wrong, and what was expected.
    pub message: Message,
    pub field: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// There is no such thing, or none that the caller may know about.
    NotFound,
    Forbidden,
    /// It does not fit what is there.
    Conflict,
    Invalid,
    TooMany,
}

impl Refusal {
    pub(super) fn new(kind: RefusalKind, code: &'static str, message: impl Into<Message>) -> Self {
        Self { kind, code, message: message.into(), field: None }
    }

    pub fn not_found(what: &str, id: impl std::fmt::Display) -> Self {
        Self::new(RefusalKind::NotFound, "not-found", Message::none(what, id))
    }

    pub fn forbidden(message: impl Into<Message>) -> Self {
        Self::new(RefusalKind::Forbidden, "forbidden", message)
    }

    pub fn conflict(code: &'static str, message: impl Into<Message>) -> Self {
        Self::new(RefusalKind::Conflict, code, message)
    }

    pub fn invalid(field: &'static str, message: impl Into<Message>) -> Self {
        Self { field: Some(field), ..Self::new(RefusalKind::Invalid, "invalid", message) }
    }

    pub fn too_many(code: &'static str, message: impl Into<Message>) -> Self {
        Self::new(RefusalKind::TooMany, code, message)
    }
}
