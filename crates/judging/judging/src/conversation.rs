//! The result of a conversation: the side that ended first counts before the time does.

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
pub(crate) fn conclude(ruling: &Ruling, said: Result<Checked, String>, interactor_first: bool) -> Concluded {
    let is_rejected = matches!(&said, Ok(said) if interactor_first && said.verdict != Verdict::Accepted);
    let decided = |verdict, checked| Concluded::Decided { verdict: Some(verdict), checked };
    match (ruling, said) {
        // The interactor rejected while the submission still ran, so the submission's end does not matter.
        (_, Ok(said)) if is_rejected => decided(said.verdict, Some(said)),
        (Ruling::RunAgain { reason }, _) => Concluded::Again(reason.clone()),
        (Ruling::CheckOutput { .. }, Ok(said)) => decided(said.verdict, Some(said)),
        (Ruling::CheckOutput { .. }, Err(why)) => Concluded::Failed(why),
        // An interactor that fails before the submission ends may be the cause of the submission's result.
        (_, Err(why)) if interactor_first => Concluded::Failed(why),
        (Ruling::Verdict { verdict, .. }, said) => decided(*verdict, said.ok()),
        (Ruling::Undecided { .. }, said) => Concluded::Decided { verdict: None, checked: said.ok() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ended_first_has_a_say_before_the_clock_has() {
        let checked = |verdict| Checked { verdict, score: None, score_multiplier: None, next_pass: false };
        let (accepts, rejects) = (Ok(checked(Verdict::Accepted)), Ok(checked(Verdict::WrongAnswer)));
        let fails = || Err("no exit code of a validator".to_owned());
        let within = Ruling::CheckOutput { run: 0 };
        let slow = Ruling::Verdict { verdict: Verdict::TimeLimitExceeded, run: 0, reason: String::new() };
        let again = Ruling::RunAgain { reason: "over".to_owned() };
        let unknown = Ruling::Undecided { run: 0, reason: "spread".to_owned() };
        for (ruling, said, interactor_first, expected) in [
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
            let told = match conclude(ruling, said.clone(), interactor_first) {
                Concluded::Again(_) => "again",
                Concluded::Decided { verdict: Some(verdict), .. } => verdict.clics_id(),
                Concluded::Decided { verdict: None, .. } => "unknown",
                Concluded::Failed(_) => "failed",
            };
            assert_eq!(told, expected, "{ruling:?}, {said:?}, {interactor_first}");
        }
    }
}
