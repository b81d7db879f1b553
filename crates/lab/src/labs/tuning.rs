//! What `tauto machine tune` changes, for as long as one step of an experiment lasts.

use super::LabError;
use machine::tune::{Outcome, Plan, Selection, Tuner};
use model::CpuSet;
use probe::Roots;
use probe::settings::{Aim, Snapshot, Timing, examine};
use std::path::Path;

/// Where the record of changed settings is kept.
const STATE: &str = "/run/tauto";

/// Settings that were changed; they are brought back by [`Tuning::end`], or when this is dropped.
pub struct Tuning {
    tuner: Option<Tuner<'static>>,
    changed: Vec<String>,
}

impl Tuning {
    /// Changes what can be changed now, with these CPUs for everything but timed runs; the error says in words why
    /// nothing was.
    pub fn begin(housekeeping: &CpuSet) -> Result<Self, String> {
        let roots = Roots::host();
        let mut tuner = Tuner::open(&roots, Path::new(STATE)).map_err(|error| error.to_string())?;
        // What somebody has tuned is his: ending this would bring his back as well.
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

    /// Brings everything back.
    ///
    /// # Errors
    /// When something could not be.
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
        // The record stays where this fails, and 'tauto machine restore' reads it.
        let _ = self.restore();
    }
}
