//! The main path of a contest: set up, submit, judge, look at the board.

use crate::support::*;
use contest_rules::board::BoardSide;

#[test]
fn a_submission_becomes_a_line_on_the_board() {
    let mut world = World::new(sample::contest());
    world.at(10).submit("t1", "a");
    world.judge(1, wrong());
    world.at(20).submit("t1", "a");
    world.judge(2, accepted());
    world.at(30).submit("t2", "a");
    let view = world.public();
    let board = view.board(BoardSide::Public, None).unwrap();
    let row = &board.rows[0];
    assert_eq!(
        (row.team.as_str(), row.rank, row.solved, row.total_time),
        ("t1", Some(1), 1, Millis::minutes(40))
    );
    assert_eq!(row.problems[0].cell.judged, 2);
    assert!(row.problems[0].is_first);
    let second = &board.rows[1];
    assert_eq!((second.team.as_str(), second.problems[0].cell.pending), ("t2", 1));
    assert!(world.public().submission(SubmissionNumber(1)).unwrap().files.is_none());
    assert_eq!(world.public().judgements().filter(|entry| entry.outcome.is_some()).count(), 2);
}

#[test]
fn a_late_verdict_is_hidden_until_the_thaw() {
    let mut world = World::new(sample::contest());
    world.at(250).submit("t1", "a");
    let before = (world.public_bytes(), world.public_bytes_of_team("t2"));
    world.judge(1, accepted());
    assert_eq!(
        difference(&before.0, &world.public_bytes()),
        None,
        "the public learns nothing of a hidden verdict"
    );
    assert_eq!(difference(&before.1, &world.public_bytes_of_team("t2")), None, "nor does another team");
    let own = world.team("t1");
    assert_eq!(
        own.judgements().next().and_then(|entry| entry.outcome).map(|outcome| outcome.verdict),
        Some(accepted())
    );
    world.at(310).admin(Action::Thaw(None)).unwrap();
    let notices = world.take_notices(&Audience::Public);
    assert!(notices.iter().any(|notice| matches!(notice.object, Object::Judgement(_))), "{notices:?}");
    assert_eq!(world.public().board(BoardSide::Public, None).unwrap().rows[0].solved, 1);
}

#[test]
fn a_problem_has_statements_in_a_hundred_languages_at_most() {
    let mut world = World::new(sample::contest());
    let with = |count: usize| {
        let mut problem = sample::problem("a", 0);
        for number in 0..count {
            let file = ProblemFile {
                filename: format!("a.en-{number}.pdf"),
                blob: problem.package.clone(),
                size: model::Bytes(8),
                md5: String::new(),
                language: Some(format!("en-{number}")),
            };
            problem.files.set_statement(file, false);
        }
        Action::SetProblem(Box::new(problem))
    };
    assert_eq!(world.by("admin", with(STATEMENTS_MAX)), Ok(()));
    assert_eq!(refused(world.by("admin", with(STATEMENTS_MAX + 1))), (RefusalKind::Invalid, "invalid"));
}

/// Returns the start and what is left of a paused countdown, from the contest's planned start on.
fn start_of(world: &World) -> (Option<i64>, Option<i64>) {
    let contest = world.public().contest();
    let start = contest.start.map(|start| (start - sample::START).0 / 60_000);
    (start, contest.object.countdown_pause_time.map(|left| left.0 / 60_000))
}

#[test]
fn a_contest_starts_at_the_instant_of_the_decision() {
    let mut world = World::new(sample::contest());
    world.at(-20).admin(Action::StartNow).unwrap();
    assert_eq!(start_of(&world), (Some(-20), None));
    assert!(world.public().phase().started);
    assert_eq!(refused(world.admin(Action::StartNow)), (RefusalKind::Conflict, "started"));
    let again = Action::Countdown { remaining: Some(Millis::minutes(10)), is_paused: false };
    assert_eq!(refused(world.admin(again)), (RefusalKind::Conflict, "started"));
    // Within 30 s of the planned start it cannot be moved away, but it can come now.
    let mut world = World::new(sample::contest());
    world.now = sample::START + Millis(-10_000);
    let pause = Action::Countdown { remaining: None, is_paused: true };
    assert_eq!(refused(world.admin(pause)).0, RefusalKind::Forbidden);
    world.admin(Action::StartNow).unwrap();
    assert!(world.public().phase().started);
}

#[test]
fn a_countdown_can_be_paused_and_resumed() {
    let mut world = World::new(sample::contest());
    let set = |world: &mut World, minute: i64, remaining: Option<i64>, is_paused: bool| {
        let remaining = remaining.map(Millis::minutes);
        world.at(minute).admin(Action::Countdown { remaining, is_paused })
    };
    let (go_on, pause) = ((None, false), (None, true));
    assert_eq!(refused(set(&mut world, -50, go_on.0, go_on.1)).1, "not-paused");
    set(&mut world, -45, pause.0, pause.1).unwrap();
    assert_eq!(start_of(&world), (None, Some(45)));
    assert_eq!(refused(set(&mut world, -40, pause.0, pause.1)).1, "paused");
    set(&mut world, -30, go_on.0, go_on.1).unwrap();
    assert_eq!(start_of(&world), (Some(15), None), "15 minutes later than planned");
    set(&mut world, -20, Some(5), false).unwrap();
    assert_eq!(start_of(&world), (Some(-15), None));
    set(&mut world, -19, Some(30), true).unwrap();
    assert_eq!(start_of(&world), (None, Some(30)));
    assert_eq!(refused(set(&mut world, -18, Some(-1), false)).0, RefusalKind::Invalid);
    assert_eq!(refused(set(&mut world, -18, Some(0), false)).0, RefusalKind::Forbidden, "that is StartNow");
    let mut world = World::new(ContestSettings { start: None, ..sample::contest() });
    assert_eq!(refused(set(&mut world, -18, pause.0, pause.1)).1, "no-start");
    set(&mut world, -18, Some(10), false).unwrap();
    assert_eq!(start_of(&world), (Some(-8), None));
}
