//! What others than the jury learn of a judgement: by default nothing that depends on more than its verdict.

use crate::support::*;
use model::{Bytes, Nanos, Verdict};

/// What a program made of one test data or another.
#[derive(Clone, Copy)]
struct Trace {
    cases: u32,
    time_ms: u64,
    memory: u64,
    verdict: Verdict,
}

const ONE: Trace = Trace { cases: 1, time_ms: 10, memory: 1000, verdict: Verdict::Accepted };
const OTHER: Trace = Trace { cases: 7, time_ms: 777, memory: 99_000, verdict: Verdict::WrongAnswer };

fn settings(feedback: Feedback, shows_compiler_output: bool) -> ContestSettings {
    ContestSettings { feedback, shows_compiler_output, ..sample::contest() }
}

/// Returns a contest with one submission of t1, judged with a verdict in the end.
fn judge(settings: ContestSettings, trace: Trace, end: Verdict, output: Option<char>) -> World {
    let mut world = World::new(settings);
    world.at(10).submit("t1", "a");
    world.begin("h1", key(1, 1));
    for ordinal in 1..=trace.cases {
        let run = Run {
            // After the samples: an acceptance needs a secret case.
            ordinal: 2 + ordinal,
            verdict: verdict(if ordinal == trace.cases { end } else { trace.verdict }),
            cpu_time: Nanos::from_millis(trace.time_ms + u64::from(ordinal)),
            memory_peak: Some(Bytes(trace.memory)),
            at_ms: trace.time_ms as u32,
            for_jury: false,
        };
        world.by_host("h1", Action::Runs(key(1, 1), vec![run])).unwrap();
    }
    let blob = |letter: char| BlobHash(letter.to_string().repeat(64).into());
    let judged = Judged {
        evidence: Some(blob(if trace.cases == 1 { 'a' } else { 'b' })),
        compile_output: output.map(blob),
        ..judged(key(1, 1), verdict(end), trace.time_ms)
    };
    world.by_host("h1", Action::Judged(Box::new(judged))).unwrap();
    world
}

/// Compares what two contests show to everybody and to the team, and all notices that these got.
fn differ(one: &World, other: &World) -> bool {
    let by = |bytes: fn(&World) -> String| difference(&bytes(one), &bytes(other));
    let found = [by(World::public_bytes), by(|world| world.public_bytes_of_team("t1"))];
    found.iter().any(Option::is_some)
}

#[test]
fn by_default_only_the_verdict_shows() {
    use Verdict::*;
    let verdicts = [
        Accepted,
        WrongAnswer,
        RunTimeError,
        MemoryLimitExceeded,
        OutputLimitExceeded,
        WallTimeLimitExceeded,
    ];
    for end in verdicts {
        let world = |feedback, trace, output| judge(settings(feedback, true), trace, end, Some(output));
        let (one, other) = (world(Feedback::Verdict, ONE, 'c'), world(Feedback::Verdict, OTHER, 'd'));
        assert!(!differ(&one, &other), "{end:?}");
        let seen = one.team("t1").judgements().next().unwrap();
        assert_eq!(seen.outcome.map(|outcome| outcome.verdict.0), Some(end));
        assert!((seen.max_run_time, seen.evidence, seen.compile_output) == (None, None, None));
        // Case by case it shows, and to the jury in any case.
        assert!(differ(&world(Feedback::Cases, ONE, 'c'), &world(Feedback::Cases, OTHER, 'c')), "{end:?}");
        assert_eq!(one.view("judge").runs(key(1, 1)).unwrap().len(), 1);
        assert_eq!(other.view("analyst").runs(key(1, 1)).unwrap().len(), 7);
        let by_jury = other.view("judge").judgement(key(1, 1)).unwrap();
        assert!(
            by_jury.max_run_time.is_some() && by_jury.evidence.is_some() && by_jury.compile_output.is_some()
        );
    }
}

#[test]
fn a_time_limit_exceeded_shows_the_slowest_time_and_a_compile_error_its_output() {
    let world = |trace, end, shows| judge(settings(Feedback::Verdict, shows), trace, end, Some('c'));
    let late = |trace: Trace| world(trace, Verdict::TimeLimitExceeded, true);
    let time = |world: &World, who: &str| world.view(who).judgements().next().unwrap().max_run_time;
    let (one, other) = (late(ONE), late(OTHER));
    assert_eq!(
        (time(&one, "t1"), time(&other, "t1")),
        (Some(Nanos::from_millis(10)), Some(Nanos::from_millis(777)))
    );
    assert!(!differ(&one, &late(Trace { time_ms: ONE.time_ms, ..OTHER })), "nothing but that time");
    let output = |shows: bool, who: &str| {
        let world = world(Trace { cases: 0, ..ONE }, Verdict::CompileError, shows);
        world.view(who).judgements().next().unwrap().compile_output.is_some()
    };
    assert_eq!((output(true, "t1"), output(true, "t2"), output(true, "judge")), (true, false, true));
    assert_eq!((output(false, "t1"), output(false, "judge")), (false, true));
    // Hidden it stays where cases show.
    let by_case = judge(settings(Feedback::Cases, false), ONE, Verdict::CompileError, Some('c'));
    assert!(by_case.team("t1").judgements().next().unwrap().compile_output.is_none());
}

#[test]
fn a_change_of_the_setting_reaches_those_who_have_seen_the_runs() {
    let mut world = judge(settings(Feedback::Cases, true), OTHER, Verdict::WrongAnswer, None);
    let runs = |world: &mut World| -> Vec<(bool, u32)> {
        let notices = world.take_notices(&Audience::Public);
        let runs = |notice: &Notice| match notice.object {
            Object::Runs { last, .. } => Some((notice.is_gone, last)),
            _ => None,
        };
        notices.iter().filter_map(runs).collect()
    };
    assert_eq!(runs(&mut world).len(), 7);
    let admin = world.caller("admin");
    for (feedback, expected) in [(Feedback::Verdict, (true, 7)), (Feedback::Cases, (false, 7))] {
        let set = Command::SetContest(contest_id(), Box::new(settings(feedback, true)));
        world.ask(&admin, set).unwrap();
        assert_eq!(runs(&mut world), [expected], "{feedback:?}");
        let count = world.public().runs(key(1, 1)).unwrap().len();
        assert_eq!(count, if feedback == Feedback::Cases { 7 } else { 0 });
    }
}

#[test]
fn contests_from_before_the_setting_stay_as_they_were() {
    let mut old = serde_json::to_value(sample::contest()).unwrap();
    for name in ["feedback", "shows_compiler_output"] {
        assert!(old.as_object_mut().unwrap().remove(name).is_some());
    }
    let read: ContestSettings = serde_json::from_value(old).unwrap();
    assert_eq!((read.feedback, read.shows_compiler_output), (Feedback::Cases, true));
    let new = ContestSettings::usual("new", Millis::minutes(60));
    assert_eq!((new.feedback, new.shows_compiler_output), (Feedback::Verdict, true));
}
