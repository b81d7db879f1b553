//! Finds jury submissions that are too close to the time limit.

use judge::Judged;
use model::{Nanos, RunEnd, Verdict};
use package::{Match, TimeMargins, check_time_limit};

#[derive(Clone, Copy, Debug)]
pub struct CaseCounts {
    pub selected: usize,
    pub all: usize,
}

/// Returns which submissions are too close to the limit by the package's margins. One whose judging stopped early might
/// have taken longer on a skipped case, so it is ignored.
pub fn limit_misfits(
    judged: &[Judged],
    cases: CaseCounts,
    limit: Nanos,
    margins: &TimeMargins,
) -> Vec<String> {
    let mut lower = Vec::new();
    let mut upper = Vec::new();
    for Judged { judgement, expectation, matched } in judged {
        let Some(expectation) = expectation else { continue };
        let mut outcomes = judgement.outcome().cases;
        let named = |time| (judgement.name.clone(), time);
        let is_right = judgement.verdict == Verdict::Accepted || *matched == Some(Match::AsExpected);
        if is_right && outcomes.len() == cases.selected {
            lower.extend(expectation.time_below_limit(&outcomes).map(named));
        }
        for (outcome, case) in outcomes.iter_mut().zip(&judgement.cases) {
            // It is only known that its time is too long, not how long it would have been.
            if case.decisive_run().is_some_and(|run| matches!(run.end, RunEnd::Limit(_))) {
                outcome.cpu_time = Nanos(u64::MAX);
            }
        }
        if outcomes.len() == cases.all {
            upper.extend(expectation.time_above_limit(&outcomes).map(named));
        }
    }
    check_time_limit(limit, &lower, &upper, margins).iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use judge::{CaseJudgement, Judgement};
    use model::{Evidence, RunResult, Usage};
    use package::{Expectation, Rounding};

    const MARGINS: TimeMargins = TimeMargins {
        accepted_to_limit: 2.0,
        limit_to_too_slow: 1.5,
        resolution: Nanos::from_millis(1000),
        rounding: Rounding::Up,
    };

    /// Returns the misfits for a submission with the expectation `expected`, the verdict `verdict` and these times, on
    /// three cases and a limit of one second.
    fn reported(expected: Verdict, verdict: Verdict, millis: &[u64], selected: usize) -> Vec<String> {
        let case = |millis: &u64| {
            let usage = Usage { cpu_time: Nanos::from_millis(*millis), ..Usage::default() };
            let run = RunResult { end: RunEnd::Exited(0), usage, evidence: Evidence::default() };
            CaseJudgement { runs: vec![run], passes: 1, ..CaseJudgement::new("secret/1", verdict) }
        };
        let judgement = Judgement {
            verdict,
            cases: millis.iter().map(case).collect(),
            judging_error: None,
            ..Judgement::failed("a.c", String::new())
        };
        // A program that is too slow may also be idle.
        let any_of = match expected {
            Verdict::TimeLimitExceeded => [expected, Verdict::WallTimeLimitExceeded].into(),
            _ => [expected].into(),
        };
        let expectation = Expectation::Verdict { any_of, partial_score: false };
        let judged = Judged::new(judgement, Some(&expectation));
        limit_misfits(&[judged], CaseCounts { selected, all: 3 }, Nanos::from_millis(1000), &MARGINS)
    }

    #[test]
    fn only_whole_judgings_tell_how_long_a_submission_takes() {
        use Verdict::{Accepted, TimeLimitExceeded, WrongAnswer};
        assert_eq!(reported(Accepted, Accepted, &[10, 400, 20], 3), [""; 0]);
        let slow =
            "a.c takes 700.0 ms and must keep the limit with a margin, so the limit must be at least 1.400 s";
        // Rounded up, the limit would be two seconds, so one second does not fit.
        assert_eq!(reported(Accepted, Accepted, &[10, 700, 20], 3), [slow]);
        assert_eq!(reported(Accepted, Accepted, &[700], 1), [slow], "the case that was asked for");
        assert_eq!(reported(Accepted, WrongAnswer, &[10, 700], 3), [""; 0], "it is wrong and stopped early");
        assert_eq!(reported(Accepted, WrongAnswer, &[10, 20, 700], 3), [""; 0], "it is wrong");
        let fast =
            "a.c takes 1.200 s and must pass the limit with a margin, so the limit must be at most 800.0 ms";
        assert_eq!(reported(TimeLimitExceeded, TimeLimitExceeded, &[10, 20, 1200], 3), [fast]);
        assert_eq!(
            reported(TimeLimitExceeded, TimeLimitExceeded, &[10, 1200], 3),
            [""; 0],
            "the third may be slower"
        );
        assert_eq!(reported(TimeLimitExceeded, WrongAnswer, &[10], 3), [""; 0]);
        assert_eq!(reported(TimeLimitExceeded, Accepted, &[10], 1), [""; 0], "others were not asked for");
        assert_eq!(reported(TimeLimitExceeded, Accepted, &[10, 20, 30], 3).len(), 1);
    }
}
