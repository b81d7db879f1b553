//! One answer.

use model::Reading;
use std::fmt;
use system::Status;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The question in few words; it does not change between versions.
    pub name: &'static str,
    pub area: Area,
    pub status: Status,
    pub what: String,
    /// Why it matters, or why it could not be determined.
    pub why: String,
    pub fix: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    Isolation,
    /// Enforcing limits and counting exactly.
    ControlGroups,
    /// Equal times for the same code.
    Consistency,
    Host,
    Languages,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingTool {
    pub language: String,
    pub program: String,
    pub install: String,
}

impl Area {
    pub const fn id(self) -> &'static str {
        match self {
            Self::Isolation => "isolation",
            Self::ControlGroups => "control_groups",
            Self::Consistency => "consistency",
            Self::Host => "host",
            Self::Languages => "languages",
        }
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Isolation => "Isolation",
            Self::ControlGroups => "Control groups",
            Self::Consistency => "Consistency of times",
            Self::Host => "Host",
            Self::Languages => "Languages",
        })
    }
}

impl Check {
    pub(super) fn new(
        area: Area,
        name: &'static str,
        status: Status,
        what: impl Into<String>,
        why: impl Into<String>,
    ) -> Self {
        Self { name, area, status, what: what.into(), why: why.into(), fix: None }
    }

    /// Makes the check of a reading: `judge` returns the status, and the text of what was found.
    pub(super) fn of<T>(
        area: Area,
        name: &'static str,
        why: &str,
        reading: &Reading<T>,
        judge: impl FnOnce(&T) -> (Status, String),
    ) -> Self {
        match reading {
            Reading::Known(value) => {
                let (status, what) = judge(value);
                Self::new(area, name, status, what, why)
            }
            Reading::Unavailable(reason) => Self::new(area, name, Status::Unavailable, "not known", reason),
        }
    }

    pub(super) fn fix(mut self, command: impl Into<String>) -> Self {
        if matches!(self.status, Status::Caution | Status::Fail) {
            self.fix = Some(command.into());
        }
        self
    }
}
