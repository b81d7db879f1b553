//! Every kind of submission, and every possible end of each.

mod driver;

use driver::{CLOCK, DONE, Driven, Groups, KILLED, World, checked, drive, ms, next_pass, plan, run};
use judging_steps::{Item, Kind, Outcome, Phase, RunAgain};
use model::{Guard, LimitKind, Reading, RunEnd, Slowdown, Verdict};

const CASE: Item = Item::Case;

/// Returns the result: the verdicts of the cases and the total, or another end.
fn ended(driven: &Driven) -> String {
    let verdicts = |cases: &[judging_steps::CaseEnd]| -> String {
        let reported = cases.iter().map(|end| format!("{} {}", end.item, end.verdict.clics_id()));
        reported.collect::<Vec<_>>().join(", ")
    };
    match &driven.outcome {
        Outcome::Judged { cases, total } => format!("{}: {total}", verdicts(cases)),
        Outcome::NotPrepared => "not prepared".to_owned(),
        Outcome::JudgingError { cases, item, why } => format!("{}: error on {item}: {why}", verdicts(cases)),
        Outcome::Failed(why) => format!("failed: {why}"),
        Outcome::Cancelled => "cancelled".to_owned(),
    }
}

#[track_caller]
fn check(kind: Kind, items: &[Item], world: &World, steps: &str, end: &str) {
    let driven = drive(&plan(kind, items, false), &Groups::default(), world);
    assert_eq!((driven.log.join("; ").as_str(), ended(&driven).as_str()), (steps, end));
}

#[test]
fn compile_errors_end_the_judging() {
    let world = World { does_not_compile: true, ..World::default() };
    check(Kind::Simple, &[CASE], &world, "compile", "not prepared");
    check(Kind::Answers, &[CASE], &world, "answers", "not prepared");
}

#[test]
fn a_case_is_warmed_up_run_and_checked_and_the_first_rejected_one_is_the_last() {
    let world = World::default().says(1, checked(Verdict::WrongAnswer));
    check(
        Kind::Simple,
        &[CASE; 3],
        &world,
        "compile; warm 0; run 0 1.1; check 0 1.1; done 0 AC; run 1 1.1; check 1 1.1; done 1 WA",
        "0 AC, 1 WA: 1",
    );
}

#[test]
fn every_end_of_a_run_is_reported() {
    for (runs, end) in [
        (vec![run(RunEnd::Signaled(11), 10, 0)], "0 RTE: 0"),
        (vec![run(RunEnd::Exited(3), 10, 0)], "0 RTE: 0"),
        (vec![run(RunEnd::Limit(LimitKind::Memory), 10, 0)], "0 MLE: 0"),
        (vec![run(RunEnd::Limit(LimitKind::Output), 10, 0)], "0 OLE: 0"),
        (vec![run(KILLED, 2000, 0)], "0 TLE: 0"),
        (vec![run(CLOCK, 10, 0)], "0 WTL: 0"),
        (vec![run(DONE, 10, 0)], "0 AC: 1"),
    ] {
        let driven =
            drive(&plan(Kind::Simple, &[CASE], false), &Groups::default(), &World::default().runs(0, &runs));
        assert_eq!(ended(&driven), end, "{runs:?}");
        assert_eq!(driven.begun.len(), 1);
    }
}

#[test]
fn a_time_over_the_limit_is_run_again_after_a_rest() {
    let world = World::default().runs(0, &[run(DONE, 1300, 0), run(DONE, 1302, 0), run(DONE, 1301, 0)]);
    check(
        Kind::Simple,
        &[CASE],
        &world,
        "compile; warm 0; run 0 1.1; rest 2.000 s; calm 10.000 s; run 0 1.2; rest 2.000 s; calm 10.000 s; run 0 1.3; done 0 TLE",
        "0 TLE: 0",
    );
    // The second is within it, and its output decides.
    let world = World::default().runs(0, &[run(DONE, 1300, 0), run(DONE, 900, 0)]);
    check(
        Kind::Simple,
        &[CASE],
        &world,
        "compile; warm 0; run 0 1.1; rest 2.000 s; calm 10.000 s; run 0 1.2; check 0 1.2; done 0 AC",
        "0 AC: 1",
    );
    // Killed with a disturbance seen, it is run once more.
    let world = World::default().runs(0, &[run(KILLED, 2000, 50), run(KILLED, 2000, 0)]);
    check(
        Kind::Simple,
        &[CASE],
        &world,
        "compile; warm 0; run 0 1.1; rest 2.000 s; calm 10.000 s; run 0 1.2; done 0 TLE",
        "0 TLE: 0",
    );
}

#[test]
fn patience_is_one_for_all_cases_and_a_core_that_had_to_be_waited_for_has_a_guard() {
    let slow = [run(DONE, 1300, 0), run(DONE, 900, 0)];
    let world = World { calm_after: ms(6000), hold: ms(500), ..World::default() };
    let world = (0..3).fold(world, |world, item| world.runs(item, &slow));
    check(
        Kind::Simple,
        &[CASE; 3],
        &world,
        "compile; warm 0; run 0 1.1; rest 2.000 s; calm 10.000 s; run 0 1.2 held; check 0 1.2; done 0 AC; \
         run 1 1.1; rest 2.000 s; calm 4.000 s; run 1 1.2 held; check 1 1.2; done 1 AC; \
         run 2 1.1; rest 2.000 s; calm 0 s; run 2 1.2; check 2 1.2; done 2 AC",
        "0 AC, 1 AC, 2 AC: 3",
    );
}

#[test]
fn held_time_counts_against_patience() {
    let mut held = run(DONE, 1400, 0);
    held.evidence.guard = Reading::Known(Guard { held: ms(2500), ..Guard::default() });
    let world = World { calm_after: ms(500), hold: ms(2500), ..World::default() };
    let world = world.runs(0, &[run(DONE, 1600, 0), held, run(DONE, 900, 0)]);
    check(
        Kind::Simple,
        &[CASE],
        &world,
        "compile; warm 0; run 0 1.1; rest 2.000 s; calm 10.000 s; run 0 1.2 held; rest 2.000 s; calm 7.000 s; \
         run 0 1.3 held; check 0 1.3; done 0 AC",
        "0 AC: 1",
    );
}

#[test]
fn ten_runs_that_do_not_agree_are_followed_by_more_later_with_new_patience() {
    // Each is lower than the one before by more than a quarter of what is left to the limit, on a core that explains it.
    let on_slow_core = |over: u64| {
        let mut run = run(DONE, 1000 + over, 0);
        run.evidence.core_slowdown = Reading::Known(Slowdown(1000));
        run
    };
    let mut runs: Vec<_> = [990, 782, 618, 488, 385, 304, 240, 190, 150, 118, 93].map(on_slow_core).to_vec();
    runs.push(run(DONE, 990, 0));
    let world = World { calm_after: ms(3000), ..World::default() }.runs(0, &runs);
    let driven = drive(&plan(Kind::Simple, &[CASE], false), &Groups::default(), &world);
    assert_eq!((ended(&driven).as_str(), driven.begun.len()), ("0 AC: 1", 12));
    let reported =
        |word: &str| -> Vec<&str> { driven.log.iter().filter_map(|step| step.strip_prefix(word)).collect() };
    let (short, long) = ("2.000 s", "20.000 s");
    assert_eq!(reported("rest "), [&[short; 9][..], &[long, short]].concat());
    let (first, later) = (["10.000 s", "7.000 s", "4.000 s", "1.000 s"], ["10.000 s", "7.000 s"]);
    assert_eq!(reported("calm "), [&first[..], &["0 s"; 5], &later].concat());
    assert_eq!(driven.waited, [ms(10_000), ms(6000)]);
}

#[test]
fn undecidable_times_are_judging_errors_with_a_reason() {
    let mut few = plan(Kind::Simple, &[CASE, CASE], false);
    few.repeats = 1;
    let world = World::default().runs(0, &[run(DONE, 1300, 0), run(DONE, 1400, 0)]);
    let driven = drive(&few, &Groups::default(), &world);
    assert_eq!(
        ended(&driven),
        "0 JE: error on 0: the two lowest times differ: 1.300 s and 1.400 s; the submission has used up its repeats, so its \
         time is not known"
    );
}

#[test]
fn internal_failures_are_reported_at_their_step() {
    let world = World::default().check_fails(0, false);
    check(
        Kind::Simple,
        &[CASE; 2],
        &world,
        "compile; warm 0; run 0 1.1; check 0 1.1; done 0 JE",
        "0 JE: error on 0: no answer",
    );
    let failing = World { fails_on: Some(1), ..World::default() };
    check(
        Kind::Simple,
        &[CASE; 2],
        &failing,
        "compile; warm 0; run 0 1.1; check 0 1.1; done 0 AC; run 1 1.1",
        "failed: no memory",
    );
    for (kind, steps) in [
        (Kind::Passes, "compile; run 0 1.1; check 0 1.1; done 0 AC; run 1 1.1; done 1 JE"),
        (Kind::Conversation, "compile; talk 0 1.1; done 0 AC; talk 1 1.1; done 1 JE"),
    ] {
        check(kind, &[CASE; 2], &failing, steps, "0 AC, 1 JE: error on 1: no memory");
    }
    check(
        Kind::Simple,
        &[Item::Sources, CASE],
        &World::default().check_fails(0, false),
        "compile; sources 0; done 0 JE",
        "0 JE: error on 0: no answer",
    );
}

#[test]
fn sources_are_checked_alone() {
    let world = World::default().says(1, checked(Verdict::WrongAnswer));
    let items = [CASE, Item::Sources, CASE];
    let driven = drive(&plan(Kind::Simple, &items, true), &Groups::default(), &world);
    assert_eq!(
        driven.log.join("; "),
        "compile; warm 0; run 0 1.1; check 0 1.1; done 0 AC; sources 1; done 1 WA"
    );
    assert_eq!((ended(&driven).as_str(), driven.overlapped), ("0 AC, 1 WA: 1", 0));
}

#[test]
fn a_check_goes_on_while_the_next_case_runs_and_may_make_it_superfluous() {
    let slow_check = World { check_time: ms(150), ..World::default() };
    let overlapping = plan(Kind::Simple, &[CASE; 3], true);
    let driven = drive(&overlapping, &Groups::default(), &slow_check);
    assert_eq!(
        driven.log.join("; "),
        "compile; warm 0; run 0 1.1; check 0 1.1; run 1 1.1; done 0 AC; check 1 1.1; run 2 1.1; done 1 AC; \
         check 2 1.1; done 2 AC"
    );
    let rejected = slow_check.clone().says(0, checked(Verdict::WrongAnswer));
    let driven = drive(&overlapping, &Groups::default(), &rejected);
    assert_eq!(
        driven.log.join("; "),
        "compile; warm 0; run 0 1.1; check 0 1.1; run 1 1.1; done 0 WA; thrown away 1"
    );
    assert_eq!(ended(&driven), "0 WA: 0");
    // Before a rest the check's result is waited for, so that no repeat is wasted.
    let rejected = rejected.runs(1, &[run(DONE, 1300, 0)]);
    let driven = drive(&overlapping, &Groups::default(), &rejected);
    assert_eq!(driven.log.last().unwrap(), "thrown away 1");
    // A run that decides the verdict by itself does so at once: nothing is run after it.
    let driven = drive(&overlapping, &Groups::default(), &World::default().runs(0, &[run(KILLED, 2000, 0)]));
    assert_eq!(driven.log.join("; "), "compile; warm 0; run 0 1.1; done 0 TLE");
}

#[test]
fn passes_go_on_until_the_check_asks_for_no_more() {
    let world =
        World::default().says(0, next_pass()).says(0, next_pass()).says(0, checked(Verdict::WrongAnswer));
    let driven = drive(&plan(Kind::Passes, &[CASE], false), &Groups::default(), &world);
    assert_eq!(
        driven.log.join("; "),
        "compile; run 0 1.1; check 0 1.1; run 0 2.1; check 0 2.1; run 0 3.1; check 0 3.1; done 0 WA"
    );
    let Outcome::Judged { cases, .. } = driven.outcome else { panic!("it is judged") };
    assert_eq!((cases[0].passes, cases[0].earlier_passes.len(), cases[0].runs.len()), (3, 2, 1));
    // Each pass has its own runs, and one of them can end the case.
    let world = World::default()
        .says(0, next_pass())
        .runs(0, &[run(DONE, 1300, 0), run(DONE, 900, 0), run(RunEnd::Signaled(6), 5, 0)]);
    check(
        Kind::Passes,
        &[CASE],
        &world,
        "compile; run 0 1.1; rest 2.000 s; calm 10.000 s; run 0 1.2; check 0 1.2; run 0 2.1; done 0 RTE",
        "0 RTE: 0",
    );
    check(
        Kind::Passes,
        &[CASE],
        &World::default().check_fails(0, false),
        "compile; run 0 1.1; check 0 1.1; done 0 JE",
        "0 JE: error on 0: no answer",
    );
}

#[test]
fn a_conversation_is_repeated_from_its_first_pass() {
    let world = World::default()
        .says(0, next_pass())
        .says(0, checked(Verdict::Accepted))
        .says(0, next_pass())
        .says(0, checked(Verdict::Accepted))
        .runs(0, &[run(DONE, 900, 0), run(DONE, 1300, 0), run(DONE, 800, 0), run(DONE, 700, 0)]);
    let driven = drive(&plan(Kind::Conversation, &[CASE], false), &Groups::default(), &world);
    assert_eq!(
        driven.log.join("; "),
        "compile; talk 0 1.1; talk 0 2.1; rest 2.000 s; calm 10.000 s; talk 0 1.2; talk 0 2.2; done 0 AC"
    );
    let Outcome::Judged { cases, .. } = driven.outcome else { panic!("it is judged") };
    let times = |runs: &[model::RunResult]| runs.iter().map(|run| run.usage.cpu_time).collect::<Vec<_>>();
    assert_eq!(times(&cases[0].earlier_passes[0]), [ms(800)], "those of the conversation that counts");
    assert_eq!(times(&cases[0].runs), [ms(1300), ms(700)]);
    assert_eq!(cases[0].decisive, 1);
    let again = |again: &RunAgain| (again.pass, again.run);
    assert_eq!(
        cases[0].repeats.iter().map(again).collect::<Vec<_>>(),
        [(2, 1)],
        "the second pass was not enough"
    );
}

/// A conversation is within the limit if all its passes are: that another one was in its first pass does not count.
#[test]
fn each_pass_of_the_conversation_that_counts_is_within_the_limit() {
    let world = |last: u64| {
        let world = [(); 4].iter().fold(World::default(), |world, ()| world.says(0, next_pass()));
        world.says(0, checked(Verdict::Accepted)).runs(
            0,
            &[(DONE, 900), (DONE, 1300), (DONE, 1310), (DONE, 950), (DONE, last)]
                .map(|(end, ms)| run(end, ms, 0)),
        )
    };
    let driven = drive(&plan(Kind::Conversation, &[CASE], false), &Groups::default(), &world(1305));
    assert_eq!(
        driven.log.join("; "),
        "compile; talk 0 1.1; talk 0 2.1; rest 2.000 s; calm 10.000 s; talk 0 1.2; rest 2.000 s; calm 10.000 s; \
         talk 0 1.3; talk 0 2.3; done 0 TLE"
    );
    let driven = drive(&plan(Kind::Conversation, &[CASE], false), &Groups::default(), &world(950));
    assert_eq!(ended(&driven), "0 AC: 1");
}

#[test]
fn the_side_that_ends_a_conversation_first_decides() {
    let wrong = checked(Verdict::WrongAnswer);
    let slow = [run(DONE, 1300, 0)];
    // The interactor rejected before the time was certain.
    let world = World::default().says_first(0, wrong).runs(0, &slow);
    check(Kind::Conversation, &[CASE], &world, "compile; talk 0 1.1; done 0 WA", "0 WA: 0");
    let world = World::default().says(0, wrong).runs(0, &[run(KILLED, 2000, 0)]);
    check(Kind::Conversation, &[CASE], &world, "compile; talk 0 1.1; done 0 TLE", "0 TLE: 0");
    let world = World::default().check_fails(0, true).runs(0, &[run(KILLED, 2000, 0)]);
    check(
        Kind::Conversation,
        &[CASE],
        &world,
        "compile; talk 0 1.1; done 0 JE",
        "0 JE: error on 0: no answer",
    );
    let mut few = plan(Kind::Conversation, &[CASE], false);
    few.repeats = 0;
    let driven = drive(&few, &Groups::default(), &World::default().runs(0, &slow));
    assert!(ended(&driven).starts_with("0 JE: error on 0: 1.300 s is over the limit"), "{}", ended(&driven));
}

#[test]
fn answers_are_checked_and_one_that_is_missing_is_wrong() {
    let groups = Groups { of: vec![0, 1, 2], is_scored: true, ..Groups::default() };
    for overlaps in [false, true] {
        let items = [CASE, Item::NoAnswer, CASE];
        let driven = drive(&plan(Kind::Answers, &items, overlaps), &groups, &World::default());
        assert_eq!(
            driven.log.join("; "),
            "answers; check 0 1.1; done 0 AC; done 1 WA; check 2 1.1; done 2 AC"
        );
        assert_eq!((ended(&driven).as_str(), driven.overlapped), ("0 AC, 1 WA, 2 AC: 2", 0));
    }
}

#[test]
fn cases_that_cannot_change_their_groups_score_are_skipped() {
    let groups = Groups { of: vec![0, 0, 0, 1, 1], is_scored: true, ..Groups::default() };
    let world = World::default().says(0, checked(Verdict::WrongAnswer));
    for overlaps in [false, true] {
        let driven = drive(&plan(Kind::Simple, &[CASE; 5], overlaps), &groups, &world);
        assert_eq!(ended(&driven), "0 WA, 3 AC, 4 AC: 2");
    }
    let all = Groups { all: true, ..groups };
    let driven = drive(&plan(Kind::Simple, &[CASE; 5], true), &all, &world);
    assert_eq!(ended(&driven), "0 WA, 1 AC, 2 AC, 3 AC, 4 AC: 4");
}

#[test]
fn cases_are_skipped_only_once_all_is_known() {
    let groups = Groups { of: vec![0, 1, 2], is_scored: true, in_turn: true, ..Groups::default() };
    let driven = drive(&plan(Kind::Simple, &[CASE; 3], true), &groups, &World::default());
    assert_eq!((ended(&driven).as_str(), driven.overlapped), ("0 AC, 1 AC, 2 AC: 3", 0));
    let world = World::default().says(1, checked(Verdict::WrongAnswer));
    let driven = drive(&plan(Kind::Simple, &[CASE; 3], true), &groups, &world);
    assert_eq!(ended(&driven), "0 AC, 1 WA: 1");
}

#[test]
fn a_grader_is_asked_once_before_what_depends_on_it() {
    let groups = Groups {
        of: vec![0, 0, 1, 2],
        is_scored: true,
        graded: [(0, None), (2, None)].into(),
        ..Groups::default()
    };
    let driven = drive(&plan(Kind::Simple, &[CASE; 4], false), &groups, &World::default());
    assert_eq!(
        driven.log.join("; "),
        "compile; warm 0; run 0 1.1; check 0 1.1; done 0 AC; run 1 1.1; check 1 1.1; done 1 AC; grade 0; \
         run 2 1.1; check 2 1.1; done 2 AC; run 3 1.1; check 3 1.1; done 3 AC; grade 2"
    );
    let world = World { grades: [(0, false)].into(), ..World::default() };
    let driven = drive(&plan(Kind::Simple, &[CASE; 4], false), &groups, &world);
    assert_eq!(ended(&driven), "0 AC, 1 AC: 2");
    assert_eq!(driven.log.iter().filter(|step| step.starts_with("grade")).count(), 2);
}

#[test]
fn nothing_to_judge_is_judged_and_nothing_is_begun_before_it_is_prepared() {
    check(Kind::Simple, &[], &World::default(), "compile", ": 0");
}

#[test]
fn cancelled_at_any_step_it_is_cancelled() {
    let world = World::default().says(0, next_pass()).runs(0, &[run(DONE, 1300, 0), run(DONE, 900, 0)]);
    for kind in [Kind::Simple, Kind::Passes, Kind::Conversation, Kind::Answers] {
        for overlaps in [false, true] {
            let planned = plan(kind, &[CASE; 3], overlaps);
            let mut at = 1;
            loop {
                let world = World { cancel_at: Some(at), ..world.clone() };
                let driven = drive(&planned, &Groups::default(), &world);
                if driven.outcome != Outcome::Cancelled {
                    break;
                }
                at += 1;
            }
            assert!(at > 5, "{kind:?}: it has more steps than {at}");
        }
    }
}

#[test]
fn present_phases_are_reported() {
    let world = World::default().runs(0, &[run(DONE, 1300, 0), run(DONE, 900, 0)]);
    let driven = drive(&plan(Kind::Simple, &[CASE], false), &Groups::default(), &world);
    assert_eq!(
        driven.phases,
        [
            Phase::Compiling,
            Phase::WarmingUp { case: 0 },
            Phase::Running { case: 0, pass: 1, attempt: 1 },
            // The compilation took 500 ms, warm-up and run 100 each, from 1 ms on.
            Phase::Resting { case: 0, attempt: 2, until: ms(2701) },
            Phase::WaitingForCalm { case: 0, attempt: 2, at_most: ms(10_000) },
            Phase::Running { case: 0, pass: 1, attempt: 2 },
            Phase::Checking { case: 0 },
            Phase::Queued,
        ]
    );
    let driven = drive(&plan(Kind::Answers, &[CASE], false), &Groups::default(), &World::default());
    assert_eq!(driven.phases, [Phase::TakingAnswers, Phase::Checking { case: 0 }, Phase::Queued]);
    let graded = Groups { graded: [(0, None)].into(), ..Groups::default() };
    let driven = drive(&plan(Kind::Passes, &[CASE], false), &graded, &World::default().says(0, next_pass()));
    assert_eq!(
        driven.phases[1..],
        [
            Phase::Running { case: 0, pass: 1, attempt: 1 },
            Phase::Checking { case: 0 },
            Phase::Running { case: 0, pass: 2, attempt: 1 },
            Phase::Checking { case: 0 },
            Phase::Grading,
            Phase::Queued,
        ]
    );
}
