//! Contests of the largest size: folded, kept, restored, viewed and gone on with.

use crate::support::*;

/// Returns the log of a contest: teams, problems, submissions, runs of each.
fn log(teams: u32, problems: u32, submissions: u32, runs: u32) -> Vec<Event> {
    let contest = Some(contest_id());
    let mut world = World::new(ContestSettings { duration: Millis::minutes(300), ..sample::contest() });
    world.admin(Action::RemoveProblem(sample::id("a"))).unwrap();
    world.admin(Action::RemoveProblem(sample::id("b"))).unwrap();
    let mut events = std::mem::take(&mut world.events);
    let mut push = |at: i64, actor: Actor, body: Body| {
        events.push(Event { time: sample::START + Millis(at), actor, contest: contest.clone(), body });
    };
    for number in 0..problems {
        let problem =
            ProblemSettings { test_data_count: 0, ..sample::problem(&format!("p{number}"), number) };
        push(-1000, Actor::System, Body::ProblemSet(Box::new(problem)));
    }
    for number in 0..teams {
        push(-1000, Actor::System, Body::TeamSet(sample::team(&format!("team{number}"))));
    }
    let host = Actor::Judgehost(sample::id("h1"));
    let step = 300 * 60_000 / i64::from(submissions.max(1));
    for number in 1..=submissions {
        let at = step * i64::from(number - 1);
        let (team, problem) =
            (number.wrapping_mul(2_654_435_761) % teams, number.wrapping_mul(40_503) / 7 % problems);
        let judgement = key(number, 1);
        let submitted = Submitted {
            time: None,
            account: None,
            number: SubmissionNumber(number),
            team: Some(sample::id(&format!("team{team}"))),
            problem: sample::id(&format!("p{problem}")),
            language: sample::id("c"),
            entry_point: None,
            files: Vec::new(),
        };
        let account = Actor::Account(sample::id(&format!("team{team}")), Some("10.0.0.1".to_owned()));
        push(at, account, Body::Submitted(Box::new(submitted)));
        let opened =
            Body::JudgementOpened { judgement, reason: JudgementReason::First, pool: sample::id("strict") };
        push(at, Actor::System, opened);
        push(at + 100, host.clone(), Body::JudgingBegun { judgement });
        for ordinal in 1..=runs {
            let runs = vec![Run { at_ms: ordinal, ..run(ordinal, accepted()) }];
            push(at + 200, host.clone(), Body::RunsJudged { judgement, runs });
        }
        let verdict = if number % 3 == 0 { accepted() } else { wrong() };
        push(at + 300, host.clone(), Body::Judged(Box::new(judged(judgement, verdict, 10))));
    }
    events
}

fn fold(events: &[Event]) -> State {
    let mut state = State::default();
    for (seq, event) in (1..).zip(events) {
        state.apply(seq, event);
    }
    state
}

#[test]
fn a_large_contest_is_restored_and_goes_on() {
    // Without optimization a tenth of the load says as much.
    let scale = if cfg!(debug_assertions) { 10 } else { 1 };
    for (teams, problems, submissions, runs) in
        [(200, 15, 20_000, 4), (1000, 15, 20_000, 4), (200, 15, 20_000, 46)]
    {
        let events = log(teams, problems, submissions / scale, runs);
        let what = format!("{teams} teams, {} submissions, {} events", submissions / scale, events.len());
        let state = fold(&events);
        let restored = State::restore(&state.checkpoint());
        assert!(restored.is_some_and(|restored| restored == state), "{what}");
        let view = state.view(&Caller::public(None), &contest_id()).unwrap();
        let rows = view.board(contest_rules::board::BoardSide::Public, None).unwrap().rows.len();
        assert_eq!(rows as u32, teams + 3);
        let judge = state.caller(&sample::id("judge"), None).unwrap();
        let jury = state.view(&judge, &contest_id()).unwrap();
        assert_eq!(jury.analysis(None).unwrap().submissions, submissions / scale);
        let blob = BlobHash("0".repeat(64).into());
        let file = SubmittedFile { name: "a.c".to_owned(), blob, size: model::Bytes(9) };
        let next = Action::Submit(Submit::new(sample::id("p1"), sample::id("c"), vec![file]));
        let mut caller = state.caller(&sample::id("t1"), None).unwrap();
        caller.team = Some(sample::id("team1"));
        let now = sample::START + Millis::minutes(299);
        let command = Command::In(contest_id(), next);
        let decided = decide(&state, &caller, now, command);
        assert!(decided.is_ok(), "{what}: {decided:?}");
    }
}
