//! The settings that cause timing variance: the documents of `tauto machine check`, `tune` and `restore`.

use crate::machines::identity::MachineIdentity;
use crate::values::Unavailable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Every setting with its judgement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineCheckReport {
    /// Worst of all settings: `pass`, `caution` or `fail`; one that is unavailable counts as `caution`.
    pub status: String,
    pub machine: MachineIdentity,
    /// CPUs for timed runs, as in `1-3`; `null` if no CPU can be dedicated.
    pub timed_cpus: Option<String>,
    /// CPUs for everything else; `null` likewise.
    pub housekeeping_cpus: Option<String>,
    pub settings: Vec<SettingEntry>,
    /// What has to be added to the kernel's command line; `null` if nothing has to.
    pub boot: Option<BootAdvice>,
    /// What to set in the firmware, or on the host, in words.
    pub firmware: Vec<String>,
    /// Why a field here is `null`.
    pub unavailable: Unavailable,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingEntry {
    /// Id as on the command line; stays the same within a version.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// `cpu`, `interrupts`, `memory`, `scheduler`, `kernel` or `hypervisor`.
    pub group: String,
    /// `pass`, `caution`, `fail` or `unavailable`.
    pub status: String,
    /// What was found, or why it could not be found out, in words.
    pub found: String,
    /// What disturbs.
    pub effect: String,
    /// Where that is from.
    pub source: String,
    /// What this machine's own counters show about it, in words; `null` if nothing.
    pub here: Option<String>,
    /// What the fix costs.
    pub cost: String,
    /// Command that fixes it, or what to do; `null` if there is nothing to fix.
    #[serde(rename = "mend")]
    pub fix: Option<String>,
    /// What fixes it: `now` (`tauto machine tune`), `request` (that with `--only`), `boot` or `person`; `null` if there
    /// is nothing to fix.
    #[serde(rename = "mended_by")]
    pub fixed_by: Option<String>,
    /// The files behind it, as read.
    pub files: Vec<SettingFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingFile {
    pub path: String,
    /// Its content, shortened; `null` if `unavailable` says why.
    pub value: Option<String>,
    /// Why there is no content; `null` if there is.
    pub unavailable: Option<String>,
}

/// Parameters of the kernel's command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BootAdvice {
    /// What to add to the kernel's command line.
    pub parameters: String,
    /// Commands that add it for GRUB.
    pub grub: Vec<String>,
    /// Commands that add it for systemd-boot.
    pub systemd_boot: Vec<String>,
}

/// What was changed, or would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineTuneReport {
    pub dry_run: bool,
    pub steps: Vec<TuneStep>,
    /// What has to be added to the kernel's command line; `null` if nothing has to.
    pub boot: Option<BootAdvice>,
    /// What to set in the firmware, or on the host, in words.
    pub firmware: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TuneStep {
    pub setting: String,
    pub path: String,
    pub before: String,
    /// What is written.
    pub value: String,
    pub why: String,
    /// `applied`: the file holds it; `already_there`: it came with an earlier step, as the energy preference does with
    /// the governor; `adjusted`: the kernel made another value of it; `refused`: the kernel did not take it; `null` in
    /// a dry run.
    pub outcome: Option<String>,
    /// That value, if adjusted; why, if refused; otherwise `null`.
    pub detail: Option<String>,
}

/// What was brought back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineRestoreReport {
    /// Whether nothing is left to restore.
    pub complete: bool,
    /// Each file that had been changed, in the order of the changes; empty if there was none.
    pub files: Vec<RestoredFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RestoredFile {
    pub setting: String,
    pub path: String,
    /// What it held before it was changed.
    pub before: String,
    /// `restored`, `already_back`: the file has its previous content; `gone`: the file is no longer there, nor is its
    /// device; `changed_by_others`: it holds what `tune` did not write, and was left alone; `failed`: the kernel did
    /// not take it.
    pub outcome: String,
    /// What the file holds, if others changed it; why, if it failed; otherwise `null`.
    pub detail: Option<String>,
}
