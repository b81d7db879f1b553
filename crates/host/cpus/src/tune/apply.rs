//! Writes a plan.

use super::record::{Journal, Progress};
use super::{Outcome, Plan, Step, TuneError, Tuner};
use model::without_error_numbers;

impl Tuner<'_> {
    /// Writes the steps of a plan in their order, and returns the outcome of each. If the kernel refuses one, the
    /// others are still done.
    ///
    /// # Errors
    /// When the record cannot be written; then nothing more is changed, and earlier changes are in the record.
    pub fn apply(&mut self, plan: &Plan) -> Result<Vec<Outcome>, TuneError> {
        if plan.steps.is_empty() {
            return Ok(Vec::new());
        }
        let mut journal = match self.journal()? {
            Some(journal) => journal,
            None => Journal::create(&self.record, &self.boot_id)?,
        };
        journal.plan(plan.steps.iter().map(|step| (step.id.clone(), step.change.clone())))?;
        plan.steps.iter().map(|step| self.step(step, &mut journal)).collect()
    }

    fn step(&mut self, step: &Step, journal: &mut Journal) -> Result<Outcome, TuneError> {
        let change = &step.change;
        let now = self.files.read(&change.path);
        // Another step had this effect too: a governor sets the energy preference, a policy its other CPUs.
        if let Ok(now) = &now
            && holds(now, &change.value)
            && *now != change.before
        {
            journal.done(&change.path, now)?;
            return Ok(Outcome::AlreadyThere);
        }
        // If this write is refused, a file that an earlier plan has changed must still be restored.
        let is_ours =
            journal.entry(&change.path).is_some_and(|entry| matches!(entry.progress, Progress::Done(_)));
        journal.begun(&change.path)?;
        let refusal = match self.files.write(&change.path, &change.value) {
            Ok(()) => None,
            Err(error) => Some(without_error_numbers(&error.to_string())),
        };
        let after = self.files.read(&change.path);
        if let Some(why) = refusal {
            match (&after, is_ours) {
                (Ok(after), true) => journal.done(&change.path, after)?,
                _ => journal.refused(&change.path)?,
            }
            return Ok(Outcome::Refused(why));
        }
        Ok(match after {
            Ok(after) => {
                journal.done(&change.path, &after)?;
                if holds(&after, &change.value) {
                    Outcome::Applied
                } else if now.is_ok_and(|now| now == after) {
                    Outcome::Refused(format!("the kernel accepted it, but still holds '{after}'"))
                } else {
                    Outcome::Adjusted(after)
                }
            }
            // It stays begun, so that it is restored in any case.
            Err(error) => Outcome::Adjusted(format!("not readable: {error}")),
        })
    }
}

/// Returns whether a file with the content `text` has this value: literally, as the choice in brackets, or as a mask.
pub(super) fn holds(text: &str, value: &str) -> bool {
    let chosen = |word: &str| word.strip_prefix('[').and_then(|word| word.strip_suffix(']')) == Some(value);
    text == value
        || text.split_whitespace().any(chosen)
        || mask_digits(text).is_some_and(|digits| mask_digits(value) == Some(digits))
}

/// Returns the digits of a mask such as `00000000,0000000f` without leading zeros; the kernel writes as many as it has
/// CPUs.
fn mask_digits(text: &str) -> Option<String> {
    let is_mask = text.split(',').enumerate().all(|(at, word)| {
        let length = if at == 0 { 1..=8 } else { 8..=8 };
        length.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
    });
    is_mask.then(|| text.replace(',', "").trim_start_matches('0').to_owned())
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn values_are_recognised_in_each_form_of_the_kernel() {
        for (text, value, expected) in [
            ("performance", "performance", true),
            ("always [madvise] never", "madvise", true),
            ("always [madvise] never", "always", false),
            ("00000000,0000000f", "f", true),
            ("01", "1", true),
            ("00", "0", true),
            ("1,3", "13", false),
            ("0-1", "0", false),
        ] {
            assert_eq!(holds(text, value), expected, "{text} {value}");
        }
    }
}
