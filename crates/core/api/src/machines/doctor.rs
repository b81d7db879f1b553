//! What works on a machine and what does not: the document of `tauto doctor`.

use crate::document::Document;
use crate::machines::identity::MachineIdentity;
use model::Reading;
use serde::{Deserialize, Serialize};

/// The report on a machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorReport {
    /// The worst status of all checks: `pass`, `caution` or `fail`.
    pub status: String,
    /// What tells this machine from another.
    pub machine: MachineIdentity,
    /// Each question and its answer, by area.
    pub checks: Vec<DoctorCheck>,
    /// What else was read, in words.
    pub facts: Vec<Fact>,
}

/// One question and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorCheck {
    /// What is asked; stays the same within a version.
    pub name: String,
    /// `isolation`, `control_groups`, `consistency`, `host` or `languages`.
    pub area: String,
    /// `pass`, `caution`, `fail` or `unavailable`.
    pub status: String,
    /// What was found.
    pub what: String,
    /// Why it matters, or why it could not be found out.
    pub why: String,
    /// The command that fixes it.
    pub mend: Option<String>,
}

/// One thing that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// The value as a text.
    pub value: Option<String>,
    /// Why there is no value.
    pub unavailable: Option<String>,
}

impl Document for DoctorReport {
    const SCHEMA: &'static str = "tautochrone/doctor/1";
}

impl Fact {
    /// Makes a fact of a reading.
    pub fn new(name: impl Into<String>, reading: Reading<String>) -> Self {
        let (value, unavailable) = match reading {
            Reading::Known(value) => (Some(value), None),
            Reading::Unavailable(why) => (None, Some(why)),
        };
        Self { name: name.into(), value, unavailable }
    }
}
