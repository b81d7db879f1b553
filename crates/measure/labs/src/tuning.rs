//! Applies the changes of `tauto machine tune` for one step of an experiment.

use super::LabError;
use cpus::tune::{Outcome, Plan, Selection, Tuner};
use model::CpuSet;
use settings::{Aim, Snapshot, Timing, examine};
use std::path::Path;
use system::Roots;

/// The folder of the record of changed settings.
const STATE: &str = "/run/tauto";

/// Settings that were changed; they are restored by [`Tuning::end`], or when this is dropped.
pub struct Tuning {
    tuner: Option<Tuner<'static>>,
    changed: Vec<String>,
}

impl Tuning {
    /// Changes all settings that can be changed now, with these CPUs for everything except timed runs; otherwise
    /// returns in words why none was changed.
    pub fn begin(housekeeping: &CpuSet) -> Result<Self, String> {
        let roots = Roots::host();
        let mut tuner = Tuner::open(&roots, Path::new(STATE)).map_err(|error| error.to_string())?;
        // If the machine is already tuned, ending this would restore those settings as well.
        if Path::new(STATE).join("tune.journal").exists() {
            return Err(
                "settings were changed by 'tauto machine tune' already; restore them with 'tauto machine \
                        restore', and this step changes them itself"
                    .to_owned(),
            );
        }
        let snapshot = Snapshot::read(&roots, Timing::unmeasured("not needed to plan"));
        let aim = Aim::choose(&snapshot, Some(housekeeping)).map_err(|error| error.to_string())?;
        let settings = examine(&snapshot, &aim);
        let plan = Plan::of(&settings, &Selection::default()).map_err(|error| error.to_string())?;
        let outcomes = tuner.apply(&plan).map_err(|error| error.to_string())?;
        let taken = |outcome: &Outcome| !matches!(outcome, Outcome::Refused(_));
        let mut changed: Vec<String> = plan
            .steps
            .iter()
            .zip(&outcomes)
            .filter(|(_, outcome)| taken(outcome))
            .map(|(step, _)| format!("{}: {} = {}", step.id, step.change.path, step.change.value))
            .collect();
        changed.sort();
        let tuning = Self { tuner: Some(tuner), changed };
        if tuning.changed.is_empty() {
            return Err("there is nothing here that 'tauto machine tune' could change at run time".to_owned());
        }
        Ok(tuning)
    }

    /// Lists what was changed: setting, file and value.
    pub fn changed(&self) -> &[String] {
        &self.changed
    }

    /// Restores everything.
    pub fn end(mut self) -> Result<(), LabError> {
        self.restore()
    }

    fn restore(&mut self) -> Result<(), LabError> {
        let Some(mut tuner) = self.tuner.take() else { return Ok(()) };
        let restored = tuner.restore(false).map_err(|error| LabError::Restore(error.to_string()))?;
        match restored.iter().find(|file| !file.outcome.is_done()) {
            None => Ok(()),
            Some(file) => Err(LabError::Restore(format!("{} is not what it was", file.path))),
        }
    }
}

impl Drop for Tuning {
    fn drop(&mut self) {
        // If this fails, the record stays for 'tauto machine restore'.
        let _ = self.restore();
    }
}
