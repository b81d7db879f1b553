use super::*;
use Verdict::{
    Accepted, MemoryLimitExceeded, RunTimeError, TimeLimitExceeded, WallTimeLimitExceeded, WrongAnswer,
};

fn set(verdicts: &[Verdict]) -> BTreeSet<Verdict> {
    widen(&verdicts.iter().copied().collect())
}

fn outcome(verdict: Verdict, cases: &[(&str, Verdict, u64)]) -> Outcome {
    Outcome {
        verdict,
        score: None,
        best_score: None,
        cases: cases
            .iter()
            .map(|(name, verdict, millis)| CaseOutcome {
                name: (*name).to_owned(),
                verdict: *verdict,
                cpu_time: Nanos::from_millis(*millis),
                judge_message: format!("seen {name}"),
            })
            .collect(),
        group_scores: Vec::new(),
    }
}

fn rules<const N: usize>(rules: [Rule; N]) -> Expectation {
    Expectation::Rules(rules.into())
}

#[track_caller]
fn check(expectation: &Expectation, outcome: &Outcome, expect: &str) {
    let found = match expectation.check(outcome) {
        Match::AsExpected => "as expected".to_owned(),
        Match::Manual => "manual".to_owned(),
        Match::Unexpected(why) => why,
    };
    assert_eq!(found, expect);
}

#[test]
fn any_of_the_verdicts_is_as_expected() {
    let slow = Expectation::Verdict { any_of: set(&[TimeLimitExceeded]), partial_score: false };
    check(&slow, &outcome(WallTimeLimitExceeded, &[]), "as expected");
    check(&slow, &outcome(WrongAnswer, &[]), "is WA, expected one of TLE, WTL");
    let crash = Expectation::Verdict { any_of: set(&[RunTimeError]), partial_score: false };
    check(&crash, &outcome(MemoryLimitExceeded, &[]), "as expected");
    check(&crash, &outcome(Verdict::JudgingError, &[]), "is a judging error");
    check(&Expectation::Manual, &outcome(WrongAnswer, &[]), "manual");
}

#[test]
fn a_partial_score_is_not_the_best() {
    let partial = Expectation::Verdict { any_of: set(&[Accepted]), partial_score: true };
    let scored = |score| Outcome { score: Some(score), best_score: Some(100.0), ..outcome(Accepted, &[]) };
    check(&partial, &scored(50.0), "as expected");
    check(&partial, &scored(100.0), "has the best score 100, expected a partial one");
}

#[test]
fn rules_look_at_every_case() {
    let slow = rules([Rule {
        permitted: Some(set(&[Accepted, TimeLimitExceeded])),
        required: Some(set(&[TimeLimitExceeded])),
        ..Rule::default()
    }]);
    let cases = [("secret/1", Accepted, 1), ("secret/2", WallTimeLimitExceeded, 9)];
    check(&slow, &outcome(WallTimeLimitExceeded, &cases), "as expected");
    check(&slow, &outcome(Accepted, &cases[..1]), "is on no case one of TLE, WTL");
    let wrong = [("secret/1", WrongAnswer, 1)];
    check(&slow, &outcome(WrongAnswer, &wrong), "is WA on secret/1, expected one of AC, TLE, WTL");
    check(&slow, &outcome(Verdict::CompileError, &[]), "does not compile");
}

#[test]
fn rules_apply_to_the_groups_they_name() {
    let rule =
        Rule { cases: Some("secret/{a,b}".into()), permitted: Some(set(&[Accepted])), ..Rule::default() };
    let cases = [("secret/a/1", Accepted, 1), ("secret/c/1", WrongAnswer, 1)];
    check(&rules([rule.clone()]), &outcome(WrongAnswer, &cases), "as expected");
    check(&rules([rule.clone()]), &outcome(WrongAnswer, &cases[1..]), "has no judged case of secret/{a,b}");
    let message = Rule { message: Some("secret/c".into()), ..Rule::default() };
    check(&rules([message.clone()]), &outcome(WrongAnswer, &cases), "as expected");
    check(&rules([message]), &outcome(WrongAnswer, &cases[..1]), "gets on no case the message 'secret/c'");
    let mut scored = outcome(Accepted, &cases);
    scored.group_scores = vec![("secret".into(), 9.0), ("secret/a".into(), 3.0)];
    scored.score = Some(9.0);
    let score = |cases: Option<&str>, range| {
        rules([Rule { cases: cases.map(str::to_owned), score: Some(range), ..Rule::default() }])
    };
    check(&score(None, (9.0, 9.0)), &scored, "as expected");
    check(&score(Some("secret/a"), (3.0, 4.0)), &scored, "as expected");
    check(&score(Some("secret/a"), (4.0, 5.0)), &scored, "scores 3 in secret/a, expected 4 to 5");
    check(
        &score(Some("secret/x"), (4.0, 5.0)),
        &scored,
        "has no score of secret/x, although one is expected",
    );
}

#[test]
fn times_bound_the_limit_from_below_and_above() {
    let cases = outcome(
        Accepted,
        &[("sample/1", Accepted, 5), ("secret/1", Accepted, 7), ("secret/2", WrongAnswer, 20)],
    )
    .cases;
    let ms = |millis| Some(Nanos::from_millis(millis));
    let accepted = Expectation::Verdict { any_of: set(&[Accepted]), partial_score: false };
    assert_eq!((accepted.time_below_limit(&cases), accepted.time_above_limit(&cases)), (ms(20), None));
    let slow = rules([Rule { required: Some(set(&[TimeLimitExceeded])), ..Rule::default() }]);
    assert_eq!((slow.time_below_limit(&cases), slow.time_above_limit(&cases)), (None, ms(20)));
    let sample = Rule {
        cases: Some("sample".into()),
        permitted: Some(set(&[Accepted, WrongAnswer])),
        ..Rule::default()
    };
    assert_eq!(rules([sample.clone()]).time_below_limit(&cases), ms(5));
    let out = Rule { time_bound: Some(TimeBound::Neither), ..sample };
    assert_eq!(rules([out]).time_below_limit(&cases), None);
    let brute = rules([Rule { required: Some(set(&[TimeLimitExceeded, RunTimeError])), ..Rule::default() }]);
    assert_eq!(brute.time_above_limit(&cases), None);
}

#[test]
fn expectations_print_for_lists() {
    let rule = Rule { cases: Some("secret".into()), permitted: Some(set(&[Accepted])), ..Rule::default() };
    assert_eq!(rules([rule]).to_string(), "secret: every case AC");
    assert_eq!(
        Expectation::Verdict { any_of: set(&[TimeLimitExceeded]), partial_score: false }.to_string(),
        "one of TLE, WTL"
    );
}

#[test]
fn a_verdict_that_is_required_may_come_after_another_one() {
    let rule = |permitted: Option<&[Verdict]>, required: Option<&[Verdict]>| Rule {
        permitted: permitted.map(set),
        required: required.map(set),
        ..Rule::default()
    };
    let wrong = rule(Some(&[Accepted, WrongAnswer]), Some(&[WrongAnswer]));
    let either = rule(Some(&[Accepted, WrongAnswer, TimeLimitExceeded]), Some(&[TimeLimitExceeded]));
    let rejected = rule(None, Some(&[WrongAnswer, TimeLimitExceeded, RunTimeError]));
    assert!(!rules([wrong.clone()]).needs_all_cases(), "the first that is not accepted is wrong");
    assert!(!rules([rejected.clone()]).needs_all_cases());
    assert!(!rules([rule(Some(&[Accepted]), None)]).needs_all_cases());
    assert!(rules([either.clone()]).needs_all_cases(), "slow may come after wrong");
    assert!(rules([rule(None, Some(&[WrongAnswer]))]).needs_all_cases());
    assert!(rules([rule(None, Some(&[Accepted]))]).needs_all_cases());
    // All rules apply: here only slow cases can come first.
    let slow = rule(Some(&[Accepted, TimeLimitExceeded]), None);
    assert!(!rules([either.clone(), slow]).needs_all_cases());
    assert!(rules([rejected, either]).needs_all_cases());
    assert!(!Expectation::Manual.needs_all_cases());
}
