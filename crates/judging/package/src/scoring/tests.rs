use super::*;
use crate::TestCase;
use Verdict::{Accepted, JudgingError, RunTimeError, TimeLimitExceeded, WrongAnswer};

mod current_model;
mod domjudge_model;
mod legacy_model;
mod own_grader;

fn case(name: &str) -> TestCase {
    TestCase {
        name: name.to_owned(),
        input: "x.in".into(),
        answer: None,
        args: Vec::new(),
        files: Vec::new(),
        validator_args: Vec::new(),
        input_validator_args: Default::default(),
        description: None,
        hint: None,
        full_feedback: false,
    }
}

fn group(name: &str, grading: Grading, cases: &[&str], groups: Vec<Group>) -> Group {
    let cases = cases.iter().map(|case_name| case(&format!("{name}/{case_name}"))).collect();
    Group { name: name.to_owned(), cases, groups, grading, static_validation: None }
}

/// Computes the total of a package without its own grader.
fn total(data: &Group, is_scoring: bool, results: &Results) -> Result<Total, NoTotal> {
    super::total(data, is_scoring, results, &Grades::new())
}

fn still_needed(data: &Group, is_scoring: bool, results: &Results, case: &str) -> bool {
    super::still_needed(data, is_scoring, results, &Grades::new(), case).unwrap()
}

fn results(list: &[(&str, Verdict)]) -> Results {
    list.iter().map(|(name, verdict)| ((*name).to_owned(), CaseResult::plain(*verdict))).collect()
}

fn legacy(change: impl FnOnce(&mut LegacyGrading)) -> Grading {
    let mut grading = LegacyGrading::default();
    change(&mut grading);
    Grading::Legacy(grading)
}

fn aggregate(aggregation: Aggregation, max: Option<f64>, case_max: Option<f64>, require: &[&str]) -> Grading {
    Grading::Aggregate(AggregateGrading {
        max_score: max,
        case_max_score: case_max,
        aggregation,
        require_pass: require.iter().map(|name| (*name).to_owned()).collect(),
    })
}

fn flat(grading: impl Fn() -> Grading) -> Group {
    group(
        "",
        grading(),
        &[],
        vec![
            group("sample", grading(), &["1"], vec![]),
            group("secret", grading(), &["1", "2", "3"], vec![]),
        ],
    )
}

#[test]
fn the_first_error_in_order_decides_pass_fail() {
    let data = flat(|| aggregate(Aggregation::PassFail, None, None, &[]));
    let all = [
        ("secret/3", WrongAnswer),
        ("secret/2", TimeLimitExceeded),
        ("sample/1", Accepted),
        ("secret/1", Accepted),
    ];
    let found = total(&data, false, &results(&all)).unwrap();
    assert_eq!((found.verdict, found.score, found.group_scores), (TimeLimitExceeded, None, vec![]));
    assert_eq!(total(&data, false, &results(&all[2..])).unwrap().verdict, Accepted);
}

#[test]
fn legacy_pass_fail_stops_at_the_first_error() {
    let data = flat(|| legacy(|_| ()));
    let known = results(&[("sample/1", Accepted), ("secret/1", WrongAnswer)]);
    assert!(!still_needed(&data, false, &known, "secret/2"));
    assert!(still_needed(&data, false, &results(&[("sample/1", Accepted)]), "secret/1"));
    assert!(!still_needed(&data, false, &results(&[("sample/1", WrongAnswer)]), "secret/1"));
    assert_eq!(total(&data, false, &known).unwrap().verdict, WrongAnswer);
}

#[test]
fn legacy_modes_choose_the_verdict() {
    let known = results(&[
        ("sample/1", Accepted),
        ("secret/1", WrongAnswer),
        ("secret/2", RunTimeError),
        ("secret/3", Accepted),
    ]);
    for (mode, any, expect) in [
        (VerdictMode::WorstError, false, RunTimeError),
        (VerdictMode::FirstError, false, WrongAnswer),
        (VerdictMode::AlwaysAccept, false, Accepted),
        (VerdictMode::FirstError, true, Accepted),
    ] {
        let data = flat(|| {
            legacy(|grading| {
                grading.on_reject = OnReject::Continue;
                grading.verdict_mode = mode;
                grading.accept_if_any_accepted = any;
            })
        });
        assert_eq!(total(&data, true, &known).unwrap().verdict, expect, "{mode:?} {any}");
    }
}

#[test]
fn our_failure_is_never_accepted_away() {
    let data = flat(|| legacy(|grading| grading.verdict_mode = VerdictMode::AlwaysAccept));
    assert_eq!(total(&data, true, &results(&[("secret/1", JudgingError)])).unwrap().verdict, JudgingError);
    let data = flat(|| aggregate(Aggregation::Sum, Some(10.0), Some(5.0), &[]));
    let known = results(&[("secret/1", Accepted), ("secret/2", JudgingError)]);
    assert_eq!(total(&data, true, &known).unwrap().verdict, JudgingError);
}

#[test]
fn legacy_modes_choose_the_score() {
    for (mode, expect) in
        [(ScoreMode::Sum, 9.0), (ScoreMode::Average, 3.0), (ScoreMode::Min, 1.0), (ScoreMode::Max, 5.0)]
    {
        let continue_all = |grading: &mut LegacyGrading| {
            grading.on_reject = OnReject::Continue;
            grading.verdict_mode = VerdictMode::AlwaysAccept;
            (grading.accept_score, grading.reject_score) = (5.0, 1.0);
            grading.score_mode = mode;
        };
        let data = group(
            "",
            legacy(|grading| grading.ignore_sample = true),
            &[],
            vec![
                group("sample", legacy(continue_all), &["1"], vec![]),
                group("secret", legacy(continue_all), &["1", "2", "3"], vec![]),
            ],
        );
        let mut known = results(&[("sample/1", Accepted), ("secret/1", Accepted), ("secret/2", WrongAnswer)]);
        known.insert("secret/3".into(), CaseResult { score: Some(3.0), ..CaseResult::plain(Accepted) });
        let found = total(&data, true, &known).unwrap();
        assert_eq!(found.score, Some(expect), "{mode:?}");
        assert_eq!(found.group_scores.last().unwrap(), &("secret".to_owned(), expect));
    }
}

#[test]
fn legacy_subtasks_are_all_or_nothing() {
    let sub = |grading: &mut LegacyGrading| {
        grading.accept_score = 30.0;
        grading.score_mode = ScoreMode::Min;
    };
    let data = group(
        "",
        legacy(|g| {
            g.on_reject = OnReject::Continue;
            g.verdict_mode = VerdictMode::AlwaysAccept;
            g.range = (0.0, 60.0);
        }),
        &[],
        vec![group(
            "secret",
            legacy(|g| {
                g.on_reject = OnReject::Continue;
                g.verdict_mode = VerdictMode::AlwaysAccept;
            }),
            &[],
            vec![
                group("secret/a", legacy(sub), &["1", "2"], vec![]),
                group("secret/b", legacy(sub), &["1", "2"], vec![]),
            ],
        )],
    );
    let known = results(&[("secret/a/1", Accepted), ("secret/a/2", Accepted), ("secret/b/1", WrongAnswer)]);
    assert!(!still_needed(&data, true, &known, "secret/b/2"));
    let found = total(&data, true, &known).unwrap();
    assert_eq!((found.verdict, found.score, found.best_score), (Accepted, Some(30.0), Some(60.0)));
    assert_eq!(
        found.group_scores,
        [("secret".to_owned(), 30.0), ("secret/a".to_owned(), 30.0), ("secret/b".to_owned(), 0.0)]
    );
}

#[test]
fn legacy_scores_outside_the_range_are_our_failure() {
    let data = flat(|| legacy(|grading| grading.range = (0.0, 1.0)));
    let known = results(&[("secret/1", Accepted), ("secret/2", Accepted)]);
    assert_eq!(
        total(&data, true, &known).unwrap_err().to_string(),
        "secret: has the score 2, expected one from 0 to 1"
    );
}

#[test]
fn new_scores_sum_take_the_least_or_all() {
    let known = || {
        results(&[
            ("sample/1", WrongAnswer),
            ("secret/1", Accepted),
            ("secret/2", WrongAnswer),
            ("secret/3", Accepted),
        ])
    };
    for (aggregation, max, case_max, expect) in [
        (Aggregation::Sum, Some(30.0), Some(10.0), 20.0),
        (Aggregation::Min, Some(30.0), Some(30.0), 0.0),
        (Aggregation::PassFail, Some(30.0), None, 0.0),
    ] {
        let data = flat(|| aggregate(aggregation, max, case_max, &[]));
        let found = total(&data, true, &known()).unwrap();
        assert_eq!((found.score, found.best_score), (Some(expect), max), "{aggregation:?}");
        let expect_verdict = if expect > 0.0 { Accepted } else { WrongAnswer };
        assert_eq!(found.verdict, expect_verdict);
        let all = results(&[
            ("sample/1", Accepted),
            ("secret/1", Accepted),
            ("secret/2", Accepted),
            ("secret/3", Accepted),
        ]);
        assert_eq!(total(&data, true, &all).unwrap().score, Some(30.0), "{aggregation:?}");
    }
}

#[test]
fn validators_scores_are_bounded_and_checked() {
    let score = |score, score_multiplier, case_max, verdict| {
        let data = flat(|| aggregate(Aggregation::Sum, None, case_max, &[]));
        let mut known = Results::new();
        known.insert("secret/1".into(), CaseResult { verdict, score, score_multiplier });
        total(&data, true, &known).map(|total| total.score.unwrap()).map_err(|error| error.to_string())
    };
    assert_eq!(score(Some(3.0), None, Some(10.0), Accepted), Ok(3.0));
    assert_eq!(score(None, Some(0.5), Some(10.0), Accepted), Ok(5.0));
    assert_eq!(score(None, None, Some(10.0), Accepted), Ok(10.0));
    assert_eq!(score(Some(1e9), None, None, Accepted), Ok(1e9));
    assert!(score(Some(11.0), None, Some(10.0), Accepted).is_err());
    assert!(score(Some(1.0), Some(0.5), Some(10.0), Accepted).is_err());
    assert!(score(None, Some(0.5), None, Accepted).is_err());
    assert!(score(None, None, None, Accepted).is_err());
    assert!(score(Some(1.0), None, Some(10.0), WrongAnswer).is_err());
}

#[test]
fn required_groups_gate_scores_and_runs() {
    let data = group(
        "",
        aggregate(Aggregation::PassFail, None, None, &[]),
        &[],
        vec![
            group("sample", aggregate(Aggregation::PassFail, None, None, &[]), &["1"], vec![]),
            group(
                "secret",
                aggregate(Aggregation::Sum, Some(100.0), None, &[]),
                &[],
                vec![
                    group(
                        "secret/a",
                        aggregate(Aggregation::PassFail, Some(40.0), None, &["sample"]),
                        &["1"],
                        vec![],
                    ),
                    group(
                        "secret/b",
                        aggregate(Aggregation::PassFail, Some(60.0), None, &["secret/a"]),
                        &["1", "2"],
                        vec![],
                    ),
                ],
            ),
        ],
    );
    let sample_fails = results(&[
        ("sample/1", WrongAnswer),
        ("secret/a/1", Accepted),
        ("secret/b/1", Accepted),
        ("secret/b/2", Accepted),
    ]);
    assert_eq!(
        total(&data, true, &sample_fails).unwrap().score,
        Some(0.0),
        "b requires a, which requires the sample"
    );
    assert!(!still_needed(&data, true, &results(&[("sample/1", WrongAnswer)]), "secret/a/1"));
    let half = results(&[("sample/1", Accepted), ("secret/a/1", Accepted), ("secret/b/1", WrongAnswer)]);
    assert!(still_needed(&data, true, &results(&[("sample/1", Accepted)]), "secret/a/1"));
    assert!(!still_needed(&data, true, &half, "secret/b/2"));
    let found = total(&data, true, &half).unwrap();
    assert_eq!((found.verdict, found.score), (Accepted, Some(40.0)));
}

#[test]
fn a_group_never_exceeds_its_maximum() {
    let data = group(
        "",
        aggregate(Aggregation::PassFail, None, None, &[]),
        &[],
        vec![group(
            "secret",
            aggregate(Aggregation::Sum, Some(50.0), None, &[]),
            &[],
            vec![group("secret/a", aggregate(Aggregation::PassFail, Some(60.0), None, &[]), &["1"], vec![])],
        )],
    );
    let found = total(&data, true, &results(&[("secret/a/1", Accepted)]));
    assert_eq!(found.unwrap_err().to_string(), "secret: has the score 60, expected at most 50");
}

#[test]
fn nothing_judged_is_never_accepted() {
    for data in [flat(|| legacy(|_| ())), flat(|| aggregate(Aggregation::Sum, Some(3.0), Some(1.0), &[]))] {
        for is_scoring in [false, true] {
            assert_eq!(
                total(&data, is_scoring, &Results::new()).unwrap_err().to_string(),
                "data: is accepted without a result, expected the result of one case at least"
            );
        }
    }
}

#[test]
fn an_ignored_sample_decides_if_judging_stops_there() {
    let root = |change: fn(&mut LegacyGrading)| {
        let groups = vec![
            group("sample", legacy(|_| ()), &["1"], vec![]),
            group("secret", legacy(|_| ()), &["1"], vec![]),
        ];
        let grading = legacy(|grading| {
            grading.ignore_sample = true;
            change(grading);
        });
        group("", grading, &[], groups)
    };
    let known = results(&[("sample/1", WrongAnswer)]);
    let stops = root(|_| ());
    assert!(!still_needed(&stops, false, &known, "secret/1"));
    assert_eq!(total(&stops, false, &known).unwrap().verdict, WrongAnswer);
    let continues = root(|grading| grading.on_reject = OnReject::Continue);
    assert!(still_needed(&continues, false, &known, "secret/1"));
    let known = results(&[("sample/1", WrongAnswer), ("secret/1", Accepted)]);
    assert_eq!(total(&continues, false, &known).unwrap().verdict, Accepted);
    // An internal failure is not ignored.
    let known = results(&[("sample/1", JudgingError), ("secret/1", Accepted)]);
    assert_eq!(total(&continues, false, &known).unwrap().verdict, JudgingError);
}

#[test]
fn points_count_in_a_group_that_accepts_everything() {
    let sum = |grading: &mut LegacyGrading| grading.on_reject = OnReject::Continue;
    let accepts = |grading: &mut LegacyGrading| {
        grading.on_reject = OnReject::Continue;
        grading.verdict_mode = VerdictMode::AlwaysAccept;
    };
    let data = |most| {
        let points = |grading: &mut LegacyGrading| {
            sum(grading);
            grading.range = (0.0, most);
        };
        let inner = ["secret/a", "secret/b"].map(|name| group(name, legacy(points), &["1", "2"], vec![]));
        group("", legacy(accepts), &[], vec![group("secret", legacy(accepts), &[], inner.to_vec())])
    };
    let known = results(&[
        ("secret/a/1", Accepted),
        ("secret/a/2", WrongAnswer),
        ("secret/b/1", RunTimeError),
        ("secret/b/2", Accepted),
    ]);
    let found = total(&data(2.0), true, &known).unwrap();
    assert_eq!((found.verdict, found.score), (Accepted, Some(2.0)));
    assert_eq!(found.group_scores[1..], [("secret/a".to_owned(), 1.0), ("secret/b".to_owned(), 1.0)]);
    // They count, so they must lie within the range, too.
    assert_eq!(
        total(&data(0.5), true, &known).unwrap_err().to_string(),
        "secret/a: has the score 1, expected one from 0 to 0.5"
    );
}

#[test]
fn pass_fail_problems_need_an_accepted_secret_case() {
    let always = |grading: &mut LegacyGrading| grading.verdict_mode = VerdictMode::AlwaysAccept;
    let groups = |grading: &dyn Fn() -> Grading| {
        vec![group("sample", grading(), &["1"], vec![]), group("secret", grading(), &["1", "2"], vec![])]
    };
    let data = group("", legacy(always), &[], groups(&|| legacy(|_| ())));
    let known = results(&[("sample/1", Accepted), ("secret/1", WrongAnswer)]);
    let message = total(&data, false, &known).unwrap_err().to_string();
    assert!(message.starts_with("data: is accepted by its grader although no secret case is"), "{message}");
    // A case after the rejection that ends the judging does not count, even if it was run.
    let known = results(&[("sample/1", Accepted), ("secret/1", WrongAnswer), ("secret/2", Accepted)]);
    assert!(total(&data, false, &known).is_err());
    let known = results(&[("sample/1", Accepted), ("secret/1", Accepted), ("secret/2", WrongAnswer)]);
    assert_eq!(total(&data, false, &known).unwrap().verdict, Accepted);
    // Points are points.
    let known = results(&[("sample/1", Accepted), ("secret/1", WrongAnswer)]);
    assert_eq!(total(&data, true, &known).unwrap().verdict, Accepted);
    let samples = group("", legacy(|_| ()), &[], groups(&|| legacy(|_| ()))[..1].to_vec());
    assert_eq!(total(&samples, false, &results(&[("sample/1", Accepted)])).unwrap().verdict, Accepted);
}

#[test]
fn a_static_validation_counts_like_a_case_of_its_group() {
    let check = |group: &mut Group, score| {
        group.static_validation = Some(crate::StaticValidation {
            name: crate::StaticValidation::name_in(&group.name),
            score,
            args: Vec::new(),
        });
    };
    let grading = aggregate(Aggregation::Sum, Some(100.0), Some(40.0), &[]);
    let mut secret = group("secret", grading.clone(), &["1", "2"], vec![]);
    check(&mut secret, Some(20.0));
    let data = group("", grading, &[], vec![secret]);
    let name = "secret/static validation";
    for (statically, multiplier, expect) in
        [(Accepted, None, 100.0), (Accepted, Some(0.5), 90.0), (WrongAnswer, None, 80.0)]
    {
        let mut known = results(&[("secret/1", Accepted), ("secret/2", Accepted)]);
        known.insert(
            name.into(),
            CaseResult { score_multiplier: multiplier, ..CaseResult::plain(statically) },
        );
        assert_eq!(total(&data, true, &known).unwrap().score, Some(expect), "{statically:?} {multiplier:?}");
    }
    let mut secret = group("secret", aggregate(Aggregation::PassFail, Some(10.0), None, &[]), &["1"], vec![]);
    check(&mut secret, None);
    let data = group("", aggregate(Aggregation::PassFail, None, None, &[]), &[], vec![secret]);
    assert_eq!(data.steps().iter().map(|step| step.name()).collect::<Vec<_>>(), [name, "secret/1"]);
    let rejected = results(&[(name, WrongAnswer)]);
    for is_scoring in [false, true] {
        assert!(still_needed(&data, is_scoring, &Results::new(), name));
        assert!(!still_needed(&data, is_scoring, &rejected, "secret/1"));
        assert_eq!(total(&data, is_scoring, &rejected).unwrap().verdict, WrongAnswer);
    }
    let both = results(&[(name, Accepted), ("secret/1", Accepted)]);
    assert_eq!(total(&data, true, &both).unwrap().score, Some(10.0));
}
