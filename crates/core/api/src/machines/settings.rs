//! The settings that cause timing variance: the documents of `tauto machine check`, `tune` and `restore`.

use crate::document::Document;
use crate::machines::identity::MachineIdentity;
use crate::values::Unavailable;
use serde::{Deserialize, Serialize};

/// Every setting with its judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineCheckReport {
    /// The worst status of all settings: `pass`, `caution` or `fail`.
    pub status: String,
    /// What tells this machine from another.
    pub machine: MachineIdentity,
    /// CPUs for timed runs, as in `1-3`.
    pub timed_cpus: Option<String>,
    /// CPUs for everything else.
    pub housekeeping_cpus: Option<String>,
    /// The settings, by group.
    pub settings: Vec<SettingEntry>,
    /// What only the kernel's command line can change.
    pub boot: Option<BootAdvice>,
    /// What only the firmware, or the host, can change; for people.
    pub firmware: Vec<String>,
    /// Names of fields that are `null`, with the reason.
    pub unavailable: Unavailable,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingEntry {
    /// Stays the same within a version.
    pub id: String,
    /// For people.
    pub name: String,
    /// `cpu`, `interrupts`, `memory`, `scheduler`, `kernel` or `hypervisor`.
    pub group: String,
    /// `pass`, `caution`, `fail` or `unavailable`.
    pub status: String,
    /// What was found, or why it could not be found out.
    pub found: String,
    /// What disturbs, and how much.
    pub effect: String,
    /// Where that is from.
    pub source: String,
    /// What this machine's own counters say about it.
    pub here: Option<String>,
    /// What fixing it costs.
    pub cost: String,
    /// The command that fixes it.
    pub mend: Option<String>,
    /// Who can mend it: `now`, `request`, `boot` or `person`.
    pub mended_by: Option<String>,
    /// The files behind it, as read.
    pub files: Vec<SettingFile>,
}

/// One file and what it held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettingFile {
    /// The path.
    pub path: String,
    /// The content, shortened.
    pub value: Option<String>,
    /// Why there is none.
    pub unavailable: Option<String>,
}

/// Parameters of the kernel's command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BootAdvice {
    /// What to add.
    pub parameters: String,
    /// Commands where GRUB boots.
    pub grub: Vec<String>,
    /// Commands where systemd-boot boots.
    pub systemd_boot: Vec<String>,
}

/// What was changed, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineTuneReport {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// The writes, in their order.
    pub steps: Vec<TuneStep>,
    /// What only the kernel's command line can change.
    pub boot: Option<BootAdvice>,
    /// What only the firmware, or the host, can change; for people.
    pub firmware: Vec<String>,
}

/// One write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TuneStep {
    /// The setting's id.
    pub setting: String,
    /// The file.
    pub path: String,
    /// What it held.
    pub before: String,
    /// What is written.
    pub value: String,
    /// What it is for.
    pub why: String,
    /// `applied`, `already_there`, `adjusted` or `refused`.
    pub outcome: Option<String>,
    /// What the file holds, if adjusted; why, if refused.
    pub detail: Option<String>,
}

/// What was brought back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineRestoreReport {
    /// Whether nothing is left to bring back.
    pub complete: bool,
    /// The files, in the order in which they had been changed.
    pub files: Vec<RestoredFile>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestoredFile {
    /// The setting's id.
    pub setting: String,
    /// The file.
    pub path: String,
    /// What it held before it was changed.
    pub before: String,
    /// `restored`, `already_back`, `changed_by_others`, `gone` or `failed`.
    pub outcome: String,
    /// What the file holds, if others changed it; why, if it failed.
    pub detail: Option<String>,
}

impl Document for MachineCheckReport {
    const SCHEMA: &'static str = "tautochrone/machine-check/1";
}

impl Document for MachineTuneReport {
    const SCHEMA: &'static str = "tautochrone/machine-tune/1";
}

impl Document for MachineRestoreReport {
    const SCHEMA: &'static str = "tautochrone/machine-restore/1";
}
