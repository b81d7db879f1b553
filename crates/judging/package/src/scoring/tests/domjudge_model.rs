//! DOMjudge's reading, with its own examples of each rule.

use super::*;

fn file(change: impl FnOnce(&mut DomjudgeGrading)) -> Grading {
    let mut grading = DomjudgeGrading {
        counts: true,
        on_reject: OnReject::Continue,
        score_mode: ScoreMode::Sum,
        accept_score: None,
        highest: None,
        ignore_sample: false,
        has_validator: false,
    };
    change(&mut grading);
    Grading::Domjudge(grading)
}

fn no_file() -> Grading {
    file(|grading| grading.counts = false)
}

fn points(score: f64) -> Grading {
    file(|grading| grading.accept_score = Some(score))
}

fn stopping(grading: Grading) -> Grading {
    let Grading::Domjudge(grading) = grading else { panic!() };
    Grading::Domjudge(DomjudgeGrading { on_reject: OnReject::Break, ..grading })
}

fn mode(score_mode: ScoreMode) -> Grading {
    file(|grading| grading.score_mode = score_mode)
}

fn package(secret: Grading, groups: Vec<Group>) -> Group {
    let sample = group("sample", no_file(), &["1"], Vec::new());
    group("", mode(ScoreMode::Sum), &[], vec![sample, group("secret", secret, &[], groups)])
}

fn leaf(name: &str, grading: Grading) -> Group {
    group(&format!("secret/{name}"), grading, &["1", "2"], Vec::new())
}

/// Verdicts of the cases of the groups `a`, `b`, ... of two cases each.
fn of_groups(verdicts: &[[Verdict; 2]]) -> Results {
    let mut list = Results::new();
    for (name, verdicts) in ('a'..).zip(verdicts) {
        for (number, verdict) in (1..).zip(verdicts) {
            list.insert(format!("secret/{name}/{number}"), CaseResult::plain(*verdict));
        }
    }
    list
}

fn score(data: &Group, results: &Results) -> (Verdict, f64) {
    let total = total(data, true, results).unwrap();
    (total.verdict, total.score.unwrap())
}

#[test]
fn a_group_has_its_points_once_and_a_rejected_submission_keeps_its_own() {
    let data = package(
        mode(ScoreMode::Sum),
        vec![leaf("a", points(10.0)), leaf("b", points(20.0)), leaf("c", points(30.0))],
    );
    let all = [Accepted, Accepted];
    assert_eq!(score(&data, &of_groups(&[all, all, all])), (Accepted, 60.0));
    assert_eq!(score(&data, &of_groups(&[all, all, [Accepted, WrongAnswer]])), (WrongAnswer, 30.0));
    assert_eq!(
        score(&data, &of_groups(&[[TimeLimitExceeded, WrongAnswer], all, [WrongAnswer; 2]])),
        (TimeLimitExceeded, 20.0)
    );
    assert_eq!(score(&data, &of_groups(&[[WrongAnswer; 2]; 3])), (WrongAnswer, 0.0));
    let found = total(&data, true, &of_groups(&[all, [WrongAnswer, Accepted], all])).unwrap();
    assert_eq!(found.best_score, Some(60.0));
    let names = ["secret", "secret/a", "secret/b", "secret/c"].map(str::to_owned);
    assert_eq!(found.group_scores, names.into_iter().zip([40.0, 10.0, 0.0, 30.0]).collect::<Vec<_>>());
}

#[test]
fn groups_without_a_file_do_not_count() {
    let mut data = package(
        mode(ScoreMode::Sum),
        vec![leaf("a", points(10.0)), leaf("b", no_file()), leaf("c", no_file())],
    );
    data.groups[1].cases.push(case("secret/0"));
    // A file below a folder without one counts as little.
    data.groups[1].groups[2].groups.push(group("secret/c/x", no_file(), &["1"], Vec::new()));
    let mut results = of_groups(&[[Accepted; 2], [WrongAnswer; 2], [WrongAnswer; 2]]);
    results.extend(super::results(&[
        ("sample/1", WrongAnswer),
        ("secret/0", WrongAnswer),
        ("secret/c/x/1", WrongAnswer),
    ]));
    assert_eq!(score(&data, &results), (Accepted, 10.0));
    assert!(has_counted_case(&data));
    assert_eq!(left_out(&data), ["sample", "secret", "secret/b", "secret/c", "secret/c/x"]);
    data.groups[1].grading = no_file();
    assert!(!has_counted_case(&data));
}

#[test]
fn samples_count_with_a_file_unless_they_are_ignored() {
    let mut data = package(mode(ScoreMode::Sum), vec![leaf("a", points(10.0))]);
    data.groups[0].grading = points(5.0);
    let mut results = of_groups(&[[Accepted; 2]]);
    results.insert("sample/1".into(), CaseResult::plain(Accepted));
    assert_eq!(score(&data, &results), (Accepted, 15.0));
    results.insert("sample/1".into(), CaseResult::plain(WrongAnswer));
    assert_eq!(score(&data, &results), (WrongAnswer, 10.0));
    data.grading = file(|grading| grading.ignore_sample = true);
    assert_eq!(score(&data, &results), (Accepted, 10.0));
}

#[test]
fn groups_of_groups_combine_them() {
    for (score_mode, expect, best) in [
        (ScoreMode::Sum, 75.0, 90.0),
        (ScoreMode::Average, 25.0, 30.0),
        (ScoreMode::Min, 0.0, 15.0),
        (ScoreMode::Max, 45.0, 45.0),
    ] {
        let groups = vec![leaf("a", points(15.0)), leaf("b", points(30.0)), leaf("c", points(45.0))];
        let data = package(mode(score_mode), groups);
        let mut results = of_groups(&[[Accepted, WrongAnswer], [Accepted; 2], [Accepted; 2]]);
        assert_eq!(score(&data, &results), (WrongAnswer, expect), "{score_mode:?}");
        results.insert("secret/a/2".into(), CaseResult::plain(Accepted));
        assert_eq!(total(&data, true, &results).unwrap().best_score, Some(best), "{score_mode:?}");
    }
}

#[test]
fn a_validator_gives_each_case_its_points() {
    let scored = |verdict, score| CaseResult { score: Some(score), ..CaseResult::plain(verdict) };
    let with = |score_mode| {
        let grading = file(|grading| {
            (grading.has_validator, grading.score_mode) = (true, score_mode);
            (grading.highest, grading.accept_score) = (Some(100.0), Some(7.0));
        });
        package(mode(ScoreMode::Sum), vec![leaf("a", grading)])
    };
    let results = |one, two| Results::from([("secret/a/1".to_owned(), one), ("secret/a/2".to_owned(), two)]);
    let sum = with(ScoreMode::Sum);
    assert_eq!(score(&sum, &results(scored(Accepted, 40.0), scored(WrongAnswer, 20.5))), (WrongAnswer, 60.5));
    assert_eq!(
        score(&with(ScoreMode::Min), &results(scored(Accepted, 40.0), scored(Accepted, 30.0))).1,
        30.0
    );
    // Without points from the validator a case adds nothing, and what crashed has none.
    let slow = CaseResult::plain(TimeLimitExceeded);
    assert_eq!(
        score(&with(ScoreMode::Average), &results(scored(Accepted, 40.0), slow)),
        (TimeLimitExceeded, 40.0)
    );
    assert_eq!(
        score(&sum, &results(scored(Accepted, 40.0), scored(RunTimeError, 30.0))),
        (RunTimeError, 40.0)
    );
    // Points of a range are not checked, and without any the group's own are given.
    assert_eq!(score(&sum, &results(scored(Accepted, 400.0), scored(Accepted, 1.0))), (Accepted, 401.0));
    let plain = CaseResult::plain(Accepted);
    assert_eq!(score(&sum, &results(plain, plain)), (Accepted, 7.0));
    assert_eq!(total(&sum, true, &results(plain, plain)).unwrap().best_score, Some(100.0));
}

#[test]
fn the_judging_ends_when_the_outermost_group_has_its_result() {
    let groups = || vec![leaf("a", stopping(points(10.0))), leaf("b", points(20.0)), leaf("c", points(30.0))];
    let mut stops = package(stopping(mode(ScoreMode::Sum)), groups());
    stops.grading = stopping(mode(ScoreMode::Sum));
    let first = super::results(&[("sample/1", WrongAnswer), ("secret/a/1", WrongAnswer)]);
    assert!(still_needed(&stops, true, &super::results(&[("sample/1", WrongAnswer)]), "secret/a/1"));
    for case in ["secret/a/2", "secret/b/1", "secret/c/2"] {
        assert!(!still_needed(&stops, true, &first, case), "{case}");
    }
    assert_eq!(score(&stops, &first), (WrongAnswer, 0.0));
    // Where every case runs, what comes after the end does not count.
    let mut all = of_groups(&[[Accepted; 2], [Accepted, WrongAnswer], [Accepted; 2]]);
    assert_eq!(score(&stops, &all), (WrongAnswer, 10.0));
    all.remove("secret/c/1");
    all.remove("secret/c/2");
    assert_eq!(score(&stops, &all), (WrongAnswer, 10.0));

    // An outer group that continues waits for all of its groups.
    let mut waits = stops.clone();
    waits.grading = mode(ScoreMode::Sum);
    waits.groups[1].grading = mode(ScoreMode::Sum);
    assert!(!still_needed(&waits, true, &first, "secret/a/2"), "its group has lost its points");
    for case in ["secret/b/1", "secret/c/2"] {
        assert!(still_needed(&waits, true, &first, case), "{case}");
    }
    let skipped = of_groups(&[[WrongAnswer, Accepted], [Accepted; 2], [Accepted; 2]]);
    let mut lazy = skipped.clone();
    lazy.remove("secret/a/2");
    assert_eq!(score(&waits, &lazy), (WrongAnswer, 50.0));
    assert_eq!(score(&waits, &skipped), (WrongAnswer, 50.0));
}

#[test]
fn a_group_that_was_not_finished_is_left_out_of_an_average() {
    let groups = vec![leaf("a", stopping(points(10.0))), leaf("b", stopping(points(20.0)))];
    let mut data = package(stopping(mode(ScoreMode::Average)), groups);
    data.grading = stopping(mode(ScoreMode::Sum));
    let results = of_groups(&[[WrongAnswer, Accepted], [Accepted; 2]]);
    assert_eq!(score(&data, &results), (WrongAnswer, 0.0));
    let results = of_groups(&[[Accepted; 2], [WrongAnswer, Accepted]]);
    assert_eq!(score(&data, &results), (WrongAnswer, 5.0));
}

#[test]
fn our_failure_is_no_result_of_the_submission() {
    let data = package(mode(ScoreMode::Sum), vec![leaf("a", points(10.0))]);
    let results = of_groups(&[[JudgingError, Accepted]]);
    assert_eq!(score(&data, &results).0, JudgingError);
    assert!(matches!(total(&data, true, &Results::new()), Err(NoTotal::Score(_))));
}
