//! What a folder has, while it is read.

use crate::{
    AccountSettings, ContestId, ContestSettings, GroupSettings, LanguageId, OrganizationSettings,
    PersonSettings, ProblemEntry, TeamSettings, UsedNames,
};
use std::collections::BTreeSet;
use std::fmt;

/// Most entries of a file: ten times the largest contest.
pub(super) const ENTRIES_MAX: usize = 20_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContestFiles {
    pub contest: Option<(ContestId, ContestSettings)>,
    pub problems: Vec<ProblemEntry>,
    pub groups: Vec<GroupSettings>,
    pub organizations: Vec<OrganizationSettings>,
    pub teams: Vec<TeamSettings>,
    pub persons: Vec<PersonSettings>,
    /// Accounts of its teams and staff, of this contest only; see [`limit_accounts`](super::limit_accounts).
    pub accounts: Vec<AccountEntry>,
}

#[derive(Clone, PartialEq, Eq)]
pub struct AccountEntry {
    pub settings: AccountSettings,
    /// Its password, if the files have one. Never written.
    pub password: Option<String>,
}

impl fmt::Debug for AccountEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let password = self.password.as_ref().map(|_| "(secret)");
        f.debug_struct("AccountEntry").field("settings", &self.settings).field("password", &password).finish()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Located<T> {
    pub(super) file: String,
    pub(super) line: u64,
    pub(super) value: T,
}

#[derive(Default)]
pub(super) struct Contents {
    pub(super) contest: Option<Located<(ContestId, ContestSettings)>>,
    pub(super) problems: Vec<Located<ProblemEntry>>,
    pub(super) groups: Vec<Located<GroupSettings>>,
    pub(super) organizations: Vec<Located<OrganizationSettings>>,
    pub(super) teams: Vec<Located<TeamSettings>>,
    pub(super) persons: Vec<Located<PersonSettings>>,
    pub(super) accounts: Vec<Located<AccountEntry>>,
    pub(super) languages: BTreeSet<LanguageId>,
    /// What `system.yaml` has of a contest's settings.
    pub(super) categories: Option<Vec<String>>,
    pub(super) answers: Option<Vec<String>>,
    /// The ids and labels of the problems so far.
    pub(super) used: UsedNames,
    /// The file with the problems, if it is not the contest's.
    pub(super) problem_file: Option<String>,
}

/// The files that are read: a name without its ending, and what is in it.
pub(super) const KINDS: [(&str, Kind); 11] = [
    ("contest", Kind::Contest),
    ("problems", Kind::Problems),
    ("problemset", Kind::Problems),
    ("languages", Kind::Languages),
    ("groups", Kind::Groups),
    ("organizations", Kind::Organizations),
    ("teams", Kind::Teams),
    ("teams2", Kind::Teams),
    ("persons", Kind::Persons),
    ("accounts", Kind::Accounts),
    ("system", Kind::System),
];

/// The list of problems in files of PC^2.
pub(super) const PROBLEMSET: &str = "problemset";

/// Other files of the CLICS Contest Package: what happened in a contest, and what follows from other files.
pub(super) const NOT_READ: [&str; 13] = [
    "api",
    "judgement-types",
    "state",
    "submissions",
    "judgements",
    "runs",
    "clarifications",
    "awards",
    "commentary",
    "scoreboard",
    "event-feed",
    "webhooks",
    "README",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Contest,
    Problems,
    Languages,
    Groups,
    Organizations,
    Teams,
    Persons,
    Accounts,
    /// Languages, and texts of clarifications, as PC^2 and older systems have them.
    System,
}

impl Kind {
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Contest => "contest",
            Self::Problems => "problems",
            Self::Languages => "languages",
            Self::Groups => "groups",
            Self::Organizations => "organizations",
            Self::Teams => "teams",
            Self::Persons => "persons",
            Self::Accounts => "accounts",
            Self::System => "system",
        }
    }
}

/// Returns what a contest has.
pub type Present<'a> = &'a dyn Fn(&ContestId) -> Option<ContestFiles>;
