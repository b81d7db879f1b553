//! The numbers of how a contest goes.

use crate::support::*;

#[test]
fn submissions_that_count_are_counted_by_problem_language_and_time() {
    let mut world = World::new(sample::contest());
    world.admin(Action::SetTeam(TeamSettings { is_hidden: true, ..sample::team("t3") })).unwrap();
    // Each: minute, team, problem, verdict, time in ms. The limit is 1 s.
    let sent = [
        (1, "t1", "a", Some(wrong()), 2500),
        (7, "t2", "a", Some(accepted()), 49),
        (12, "t1", "a", Some(accepted()), 1000),
        (13, "t3", "a", Some(accepted()), 10),
        (14, "t1", "b", Some(wrong()), 10),
        (20, "t2", "b", None, 0),
    ];
    for (number, (minute, team, problem, verdict, ms)) in (1..).zip(sent) {
        world.at(minute).submit(team, problem);
        if let Some(verdict) = verdict {
            world.judge_on("h1", key(number, 1), verdict, ms);
        }
    }
    world.jury(ignore(5));
    world.at(301).submit("t1", "b");

    let view = world.view("judge");
    let analysis = view.analysis(None).unwrap();
    assert_eq!(analysis.step.0, Millis::minutes(5).0);
    assert_eq!((analysis.teams, analysis.teams_tried, analysis.teams_solved), (2, 2, 2));
    assert_eq!((analysis.submissions, analysis.pending), (4, 1));
    let verdicts: Vec<_> = analysis.verdicts.iter().collect();
    assert_eq!(verdicts, [(&"AC".to_owned(), &2), (&"WA".to_owned(), &1)]);

    let [a, b] = &analysis.problems[..] else { panic!("{:?}", analysis.problems) };
    assert_eq!((a.problem_id.as_str(), a.teams_tried, a.teams_solved), ("a", 2, 2));
    assert_eq!(a.attempts, [1, 1], "t2 at the first attempt, t1 at the second");
    assert_eq!((&a.sent[..4], &a.solved[..4], a.sent.len()), (&[1, 1, 1, 0][..], &[0, 1, 1, 0][..], 60));
    let first = a.first_solve.as_ref().unwrap();
    assert_eq!(
        (first.team_id.as_str(), first.submission_id.as_str(), first.contest_time.0),
        ("t2", "2", Millis::minutes(7).0)
    );
    let times = a.run_times.as_ref().unwrap();
    assert_eq!(places(&times.accepted), [0, 20], "49 ms and the limit itself");
    assert_eq!(places(&times.others), [40], "more than twice the limit");
    assert_eq!((b.submissions, b.pending, &b.first_solve), (1, 1, &None));

    let [c] = &analysis.languages[..] else { panic!("{:?}", analysis.languages) };
    assert_eq!((c.language_id.as_str(), c.submissions, c.teams), ("c", 4, 2));
}

#[test]
fn a_group_has_numbers_of_its_own() {
    let mut world = World::new(sample::contest());
    world.admin(Action::SetGroup(sample::group("site"))).unwrap();
    let of_site = TeamSettings { groups: [sample::id("site")].into(), ..sample::team("t1") };
    world.admin(Action::SetTeam(of_site)).unwrap();
    world.at(1).submit("t1", "a");
    world.submit("t2", "a");
    let site = sample::id("site");
    let analysis = world.view("analyst").analysis(Some(&site)).unwrap();
    assert_eq!((analysis.teams, analysis.submissions), (1, 1));
    let none = sample::id("none");
    assert_eq!(world.view("judge").analysis(Some(&none)).unwrap_err().kind, RefusalKind::NotFound);
    for other in ["t1", "staff", "balloon", "spectator"] {
        assert_eq!(world.view(other).analysis(None).unwrap_err().kind, RefusalKind::Forbidden, "{other}");
    }
}

/// Returns where something was counted.
fn places(counts: &[u32]) -> Vec<usize> {
    (0..).zip(counts).filter(|(_, count)| **count > 0).map(|(place, _)| place).collect()
}
