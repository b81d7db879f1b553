//! The planned writes, as data.

use super::TuneError;
use settings::{Change, Remedy, Setting};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub id: String,
    pub change: Change,
    pub why: &'static str,
}

#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only these; all if empty. A setting whose change has a cost is changed only if it is named here.
    pub only: Vec<String>,
    pub except: Vec<String>,
}

impl Plan {
    /// Plans the writes for the judged settings.
    ///
    /// # Errors
    /// When the selection names a setting that does not exist, or one that no write can fix.
    pub fn of(settings: &[Setting], selection: &Selection) -> Result<Self, TuneError> {
        let named = selection.only.iter().chain(&selection.except);
        for id in named {
            if !settings.iter().any(|setting| setting.id == id) {
                return Err(TuneError::UnknownSetting { id: id.clone() });
            }
        }
        let mut plan = Self::default();
        for setting in settings {
            let listed = |ids: &[String]| ids.iter().any(|id| id == setting.id);
            let (asked, left_out) = (listed(&selection.only), listed(&selection.except));
            if left_out || !selection.only.is_empty() && !asked {
                continue;
            }
            let changes = match &setting.remedy {
                Remedy::Write(changes) => changes,
                Remedy::WriteOnRequest(changes) if asked => changes,
                Remedy::WriteOnRequest(_) | Remedy::Nothing => continue,
                Remedy::Boot(_) | Remedy::Person(_) if asked => {
                    let why = setting.fix.clone().unwrap_or_default();
                    return Err(TuneError::NotTunable { id: setting.id.to_owned(), why });
                }
                Remedy::Boot(_) | Remedy::Person(_) => continue,
            };
            plan.steps.extend(changes.iter().map(|change| Step {
                id: setting.id.to_owned(),
                change: change.clone(),
                why: setting.effect,
            }));
        }
        Ok(plan)
    }
}
