//! What works on a machine and what does not: the document of `tauto doctor`.

use crate::machines::identity::MachineIdentity;
use model::Reading;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DoctorReport {
    /// Worst of all checks: `pass`, `caution` or `fail`; one that is unavailable counts as `caution`.
    pub status: String,
    pub machine: MachineIdentity,
    /// Each question and its answer, by area.
    pub checks: Vec<DoctorCheck>,
    /// All else that was read; names may change.
    pub facts: Vec<Fact>,
}

/// One question and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DoctorCheck {
    /// What is checked; stays the same within a version.
    pub name: String,
    /// `isolation`, `control_groups`, `consistency`, `host` or `languages`.
    pub area: String,
    /// `pass`, `caution`, `fail` or `unavailable`; a setting that `tauto machine check` fails is a `caution` here.
    pub status: String,
    /// What was found.
    pub what: String,
    /// Why it matters, or why it could not be found out.
    pub why: String,
    /// Shell command that fixes it, or else what to do; `null` if nothing is to be fixed, or nothing helps.
    #[serde(rename = "mend")]
    pub fix: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    pub name: String,
    /// The value as a text; `null` if `unavailable` says why.
    pub value: Option<String>,
    /// Why there is no value; `null` if there is one.
    pub unavailable: Option<String>,
}

impl Fact {
    pub fn new(name: impl Into<String>, reading: Reading<String>) -> Self {
        let (value, unavailable) = match reading {
            Reading::Known(value) => (Some(value), None),
            Reading::Unavailable(why) => (None, Some(why)),
        };
        Self { name: name.into(), value, unavailable }
    }
}
