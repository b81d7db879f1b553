//! The exit code for the result of a judging.

use judge::Judged;
use model::Verdict;
use package::Match;

pub fn exit_code(judged: &[Judged]) -> u8 {
    if judged.iter().any(|one| one.judgement.verdict == Verdict::JudgingError) {
        return 3;
    }
    let is_well = |one: &Judged| match one.matched {
        // An accepted output after another one is no verdict yet.
        _ if one.judgement.for_jury().next().is_some() => false,
        Some(Match::Unexpected(_)) => false,
        Some(Match::AsExpected | Match::Manual) => true,
        None => one.judgement.verdict == Verdict::Accepted,
    };
    u8::from(!judged.iter().all(is_well))
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::{CaseJudgement, Judgement, OtherOutput, Written};
    use model::{Nanos, RunEnd};
    use package::Expectation;
    use std::collections::BTreeSet;

    fn judged(verdict: Verdict, expected: Option<Verdict>) -> Judged {
        let judgement = Judgement { verdict, ..Judgement::failed("a.c", String::new()) };
        let expectation = expected
            .map(|verdict| Expectation::Verdict { any_of: BTreeSet::from([verdict]), partial_score: false });
        Judged::new(judgement, expectation.as_ref())
    }

    /// Makes a submission with an accepted case in which a run over the limit wrote something else.
    fn for_jury() -> Judged {
        let written = Written { bytes: 5, sha256: [0; 32], start: b"sorry".to_vec() };
        let other = OtherOutput {
            pass: 1,
            run: 1,
            is_other: true,
            cpu_time: Nanos::ZERO,
            end: RunEnd::Exited(0),
            written,
        };
        let case = CaseJudgement { other_outputs: vec![other], ..CaseJudgement::new("1", Verdict::Accepted) };
        let one = judged(Verdict::Accepted, None);
        Judged { judgement: Judgement { cases: vec![case], ..one.judgement }, ..one }
    }

    #[test]
    fn the_worst_decides_the_exit_code() {
        use Verdict::{Accepted, JudgingError, WrongAnswer};
        let as_expected = || judged(WrongAnswer, Some(WrongAnswer));
        assert_eq!(exit_code(&[as_expected(), judged(Accepted, None)]), 0);
        assert_eq!(exit_code(&[as_expected(), judged(Accepted, Some(WrongAnswer))]), 1);
        assert_eq!(
            exit_code(&[judged(WrongAnswer, None)]),
            1,
            "nothing is expected, so it should be accepted"
        );
        assert_eq!(exit_code(&[judged(WrongAnswer, None), judged(JudgingError, None)]), 3);
        let by_hand = Judged::new(Judgement::failed("a.c", String::new()), None);
        let by_hand = Judged {
            judgement: Judgement { verdict: WrongAnswer, ..by_hand.judgement },
            expectation: Some(Expectation::Manual),
            matched: Some(Match::Manual),
        };
        assert_eq!(exit_code(&[by_hand]), 0);
        assert_eq!(exit_code(&[for_jury()]), 1);
    }
}
