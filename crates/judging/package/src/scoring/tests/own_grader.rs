//! Groups that the package's own grader grades.

use super::super::*;
use super::{group, legacy, results};
use Verdict::{Accepted, JudgingError, WrongAnswer};

/// `sample` and two groups of `secret`, each graded by the package's own grader.
fn graded() -> Group {
    let own = |flags: &[&str]| {
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        legacy(|grading| {
            grading.own_grader = Some(flags);
            grading.reject_score = -1.0;
        })
    };
    let inner = |flag| {
        let Grading::Legacy(grading) = own(&[flag]) else { unreachable!() };
        Grading::Legacy(LegacyGrading { on_reject: OnReject::Continue, ..grading })
    };
    let groups = vec![
        group("secret/a", inner("half"), &["1", "2"], vec![]),
        group("secret/b", inner("all"), &["1"], vec![]),
    ];
    group("", own(&[]), &[], vec![group("secret", own(&["x"]), &[], groups)])
}

fn call(group: &str, flags: &[&str], results: &str) -> GraderCall {
    let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
    GraderCall { group: group.to_owned(), flags, results: results.to_owned() }
}

#[test]
fn a_custom_grader_is_asked_from_the_inner_groups_outwards() {
    let data = graded();
    let mut known = results(&[
        ("secret/a/1", Accepted),
        ("secret/a/2", Verdict::WallTimeLimitExceeded),
        ("secret/b/1", Accepted),
    ]);
    known.get_mut("secret/b/1").unwrap().score = Some(2.5);
    let mut grades = Grades::new();
    for (expected, answer) in [
        (call("secret/a", &["half"], "AC 1\nTLE -1\n"), "AC 40"),
        (call("secret/b", &["all"], "AC 2.5\n"), "TLE 7"),
        (call("secret", &["x"], "AC 40\nTLE 7\n"), "AC 39"),
        (call("", &[], "AC 39\n"), "AC 39"),
    ] {
        let Err(NoTotal::Ungraded(asked)) = total(&data, true, &known, &grades) else { panic!() };
        assert_eq!(asked, expected);
        grades.insert(asked, Grade::read(answer.as_bytes()));
    }
    let total = total(&data, true, &known, &grades).unwrap();
    assert_eq!((total.verdict, total.score), (Accepted, Some(39.0)));
    let scores: Vec<_> = total.group_scores.iter().map(|(name, score)| (name.as_str(), *score)).collect();
    assert_eq!(scores, [("secret", 39.0), ("secret/a", 40.0), ("secret/b", 7.0)]);
}

#[test]
fn a_graders_code_names_the_verdict_it_was_given() {
    let own = || legacy(|grading| grading.own_grader = Some(Vec::new()));
    let data = group("", own(), &[], vec![group("secret", own(), &["1"], vec![])]);
    let known = results(&[("secret/1", Verdict::MemoryLimitExceeded)]);
    let grades = Grades::from([
        (call("secret", &[], "RTE 0\n"), Grade::read(b"RTE 0")),
        (call("", &[], "RTE 0\n"), Grade::read(b"WA 0")),
    ]);
    // The grader's own code counts if no part has that code.
    assert_eq!(total(&data, false, &known, &grades).unwrap().verdict, WrongAnswer);
    let grades = grades.into_keys().map(|call| (call, Grade::read(b"RTE 0"))).collect();
    assert_eq!(total(&data, false, &known, &grades).unwrap().verdict, Verdict::MemoryLimitExceeded);
}

#[test]
fn a_custom_grader_decides_which_cases_are_skipped() {
    let data = graded();
    let known = results(&[("secret/a/1", WrongAnswer), ("secret/a/2", WrongAnswer)]);
    // Everything in the group is judged; the next group depends on the grade.
    let needed = |grades: &Grades, case| still_needed(&data, true, &known, grades, case);
    assert_eq!(needed(&Grades::new(), "secret/a/2"), Ok(true));
    let question = call("secret/a", &["half"], "WA -1\nWA -1\n");
    assert_eq!(needed(&Grades::new(), "secret/b/1"), Err(question.clone()));
    for (answer, next) in [("AC 1", true), ("WA 0", false), ("rubbish", true)] {
        let grades = Grades::from([(question.clone(), Grade::read(answer.as_bytes()))]);
        assert_eq!(needed(&grades, "secret/b/1"), Ok(next), "{answer}");
    }
}

#[test]
fn a_failing_custom_grader_is_a_judging_error() {
    let own = |range| legacy(|grading| (grading.own_grader, grading.range) = (Some(Vec::new()), range));
    let data = |range| group("", legacy(|_| ()), &[], vec![group("secret", own(range), &["1"], vec![])]);
    let known = results(&[("secret/1", Accepted)]);
    let problem = |range, answer: Result<Grade, String>| {
        let grades = Grades::from([(call("secret", &[], "AC 1\n"), answer)]);
        total(&data(range), true, &known, &grades).unwrap_err().to_string()
    };
    assert_eq!(problem((0.0, 100.0), Err("graders/g.py crashed".into())), "secret: graders/g.py crashed");
    assert_eq!(
        problem((0.0, 100.0), Grade::read(b"AC 101")),
        "secret: has the score 101, expected one from 0 to 100"
    );
    // A grader is not asked about internal failures.
    let failed = results(&[("secret/1", JudgingError)]);
    assert_eq!(total(&data((0.0, 1.0)), true, &failed, &Grades::new()).unwrap().verdict, JudgingError);
}
