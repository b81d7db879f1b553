//! The result of a conversation: a rejection of what the submission wrote counts before its end and its time do.

use crate::step::Checked;
use model::Verdict;
use ruling::Ruling;

/// What follows from a conversation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Concluded {
    /// The time is not certain, and matters.
    Again(String),
    /// The case has this verdict. `None`: the time cannot be determined, and matters.
    Decided { verdict: Option<Verdict>, checked: Option<Checked> },
    /// The interactor failed, and that decides.
    Failed(String),
}

/// Concludes from the ruling on the submission's runs and from the interactor's outcome.
pub(crate) fn conclude(ruling: &Ruling, checked: Result<Checked, String>, before_end: bool) -> Concluded {
    let is_rejected = matches!(&checked, Ok(checked) if before_end && checked.verdict != Verdict::Accepted);
    let decided = |verdict, checked| Concluded::Decided { verdict: Some(verdict), checked };
    match (ruling, checked) {
        // What was written is wrong already, however the submission ended after it.
        (_, Ok(checked)) if is_rejected => decided(checked.verdict, Some(checked)),
        (Ruling::RunAgain { reason }, _) => Concluded::Again(reason.clone()),
        (Ruling::CheckOutput { .. }, Ok(checked)) => decided(checked.verdict, Some(checked)),
        (Ruling::CheckOutput { .. }, Err(why)) => Concluded::Failed(why),
        // An interactor that fails by itself may be the cause of the submission's result.
        (_, Err(why)) if before_end => Concluded::Failed(why),
        (Ruling::Verdict { verdict, .. }, checked) => decided(*verdict, checked.ok()),
        (Ruling::Undecided { .. }, checked) => Concluded::Decided { verdict: None, checked: checked.ok() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejection_of_what_was_written_counts_before_time_does() {
        let checked = |verdict| Checked { verdict, score: None, score_multiplier: None, next_pass: false };
        let (accepts, rejects) = (Ok(checked(Verdict::Accepted)), Ok(checked(Verdict::WrongAnswer)));
        let fails = || Err("no exit code of a validator".to_owned());
        let within = Ruling::CheckOutput { run: 0 };
        let slow = Ruling::Verdict { verdict: Verdict::TimeLimitExceeded, run: 0, reason: String::new() };
        let again = Ruling::RunAgain { reason: "over".to_owned() };
        let unknown = Ruling::Undecided { run: 0, reason: "spread".to_owned() };
        for (ruling, checked, before_end, expected) in [
            (&within, &accepts, true, "AC"),
            (&within, &accepts, false, "AC"),
            (&within, &rejects, true, "WA"),
            (&within, &rejects, false, "WA"),
            (&within, &fails(), true, "failed"),
            (&within, &fails(), false, "failed"),
            (&slow, &accepts, true, "TLE"),
            (&slow, &rejects, true, "WA"),
            (&slow, &rejects, false, "TLE"),
            (&slow, &fails(), true, "failed"),
            (&slow, &fails(), false, "TLE"),
            (&again, &accepts, true, "again"),
            (&again, &rejects, true, "WA"),
            (&again, &rejects, false, "again"),
            (&again, &fails(), true, "again"),
            (&unknown, &accepts, true, "unknown"),
            (&unknown, &rejects, true, "WA"),
            (&unknown, &rejects, false, "unknown"),
            (&unknown, &fails(), true, "failed"),
            (&unknown, &fails(), false, "unknown"),
        ] {
            let reported = match conclude(ruling, checked.clone(), before_end) {
                Concluded::Again(_) => "again",
                Concluded::Decided { verdict: Some(verdict), .. } => verdict.clics_id(),
                Concluded::Decided { verdict: None, .. } => "unknown",
                Concluded::Failed(_) => "failed",
            };
            assert_eq!(reported, expected, "{ruling:?}, {checked:?}, {before_end}");
        }
    }
}
