//! Tests of a place's thread, with prepared results and a simulated clock.

use crate::check::Checker;
use crate::drawn::{Does, Drawn};
use crate::engine::{Engine, JudgingHandle};
use crate::memory_budget::OPEN_PER_PLACE_MAX;
use crate::observer::{Notice, Observer};
use crate::problem::Programs;
use crate::{
    JudgeError, JudgeOptions, Judged, Judgement, JudgingNotice, LimitOrigin, NamedPhase, OpenJudging, Order,
    Phase, Problem, Responsible, SubmissionSource, TimeLimit,
};
use model::{Bytes, Nanos, Verdict};
use package::Package;
use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// A problem with this many cases and a limit of one second.
fn problem(cases: usize, options: JudgeOptions, output: Bytes) -> (Arc<Problem>, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data/secret");
    fs::create_dir_all(&data).unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        // Otherwise it would be copied, which needs privileges.
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
    };
    let head = "problem_format_version: 2025-09\nname: One\nuuid: 0b5e32ae-b5a6-4b3c-9f0e-2d5a8c2b7d11\n";
    write("problem.yaml", head);
    for case in 1..=cases {
        write(&format!("data/secret/{case:02}.in"), "1\n");
        write(&format!("data/secret/{case:02}.ans"), "1\n");
    }
    let scratch = tempfile::tempdir().unwrap();
    let mut package = Package::open(folder.path(), scratch.path()).unwrap();
    package.limits.output = output;
    let package = Arc::new(package);
    let programs = Programs {
        package,
        checker: Checker::Default,
        static_validator: None,
        grader: None,
        is_on_shared_cpus: false,
    };
    let limit = TimeLimit { limit: Nanos::from_millis(1000), origin: LimitOrigin::Asked };
    (Arc::new(Problem::with_limit(Arc::new(programs), options, limit)), folder)
}

fn plain(cases: usize) -> (Arc<Problem>, TempDir) {
    problem(cases, JudgeOptions::default(), Bytes::from_mib(8))
}

fn source(name: &str) -> SubmissionSource {
    SubmissionSource { name: name.to_owned(), ..SubmissionSource::default() }
}

/// The notices of each judging, by the submission's name.
type Notices = BTreeMap<String, Vec<Notice>>;

/// One place with prepared results.
struct Place {
    drawn: Arc<Drawn>,
    engine: Engine<()>,
    notify: Sender<JudgingNotice>,
    received: Receiver<JudgingNotice>,
}

impl Place {
    fn new(drawn: Drawn) -> Self {
        let drawn = Arc::new(drawn);
        let engine = Engine::on((), vec![Arc::clone(&drawn) as Arc<dyn crate::backend::RunBackend>]).unwrap();
        let (notify, received) = channel();
        Self { drawn, engine, notify, received }
    }

    /// Opens submissions, each with its owner, before work on the first begins.
    fn open(&self, problem: &Arc<Problem>, of: &[(&str, &str)]) -> Vec<(String, JudgingHandle)> {
        let _shut = self.drawn.gate.lock().unwrap();
        let open = |(name, owner): &(&str, &str)| {
            let order = Order { priority: 0, owner: (*owner).to_owned() };
            let handle = self.engine.judge(problem, source(name), order, self.notify.clone());
            ((*name).to_owned(), handle.unwrap())
        };
        of.iter().map(open).collect()
    }

    /// Receives their notices until all are done.
    fn receive(&self, open: &[(String, JudgingHandle)]) -> Notices {
        let names: BTreeMap<u64, &String> = open.iter().map(|(name, handle)| (handle.number, name)).collect();
        let mut reported = Notices::new();
        let mut done = 0;
        while done < open.len() {
            let JudgingNotice { judging, notice } = self.received.recv().unwrap();
            done += usize::from(matches!(notice, Notice::Done(_)));
            reported.entry(names[&judging].clone()).or_default().push(notice);
        }
        reported
    }

    fn judge(&self, problem: &Arc<Problem>, of: &[(&str, &str)]) -> Notices {
        self.receive(&self.open(problem, of))
    }
}

fn words(notices: &[Notice]) -> Vec<String> {
    let word = |notice: &Notice| match notice {
        Notice::Preparing => "preparing".to_owned(),
        Notice::Ran { case, attempt, .. } => format!("ran {case} {attempt}"),
        Notice::Rests { case, .. } => format!("rests {case}"),
        Notice::Waits { .. } => "waits".to_owned(),
        Notice::Case(case) => format!("case {} {}", case.name, case.verdict.clics_id()),
        Notice::Done(result) => format!("done {}", ended(result)),
    };
    notices.iter().map(word).collect()
}

fn ended(result: &Result<Judgement, JudgeError>) -> String {
    match result {
        Ok(judgement) => judgement.verdict.clics_id().to_owned(),
        Err(error) => error.to_string(),
    }
}

fn end(reported: &Notices, name: &str) -> String {
    words(&reported[name]).pop().unwrap()
}

#[test]
fn notices_come_in_order() {
    let (one_case, _folder) = plain(1);
    let place = Place::new(Drawn::new(|name, _, _| Does::Takes(if name == "slow" { 1300 } else { 10 })));
    let reported = place.judge(&one_case, &[("right", "")]);
    assert_eq!(words(&reported["right"]), ["preparing", "ran secret/01 1", "case secret/01 AC", "done AC"]);
    *place.drawn.slow_looks.lock().unwrap() = 1;
    let reported = place.judge(&one_case, &[("slow", "")]);
    let words = words(&reported["slow"]);
    assert_eq!(words[..4], ["preparing", "ran secret/01 1", "rests secret/01", "ran secret/01 2"]);
    assert_eq!(
        words.iter().filter(|word| *word == "rests secret/01").count() + 1,
        words.iter().filter(|word| word.starts_with("ran")).count()
    );
    assert_eq!(words[words.len() - 2..], ["case secret/01 TLE", "done TLE"]);
    let log = place.drawn.log();
    assert_eq!(
        log[..4],
        [
            "right is compiled",
            "right warms up on secret/01",
            "right runs on secret/01",
            "right is checked on 0"
        ]
    );
}

#[test]
fn owners_share_a_place_however_many_submissions_they_have() {
    let (problem, _folder) = plain(40);
    let place = Place::new(Drawn::new(|_, _, _| Does::Takes(500)));
    let reported = place.judge(&problem, &[("a1", "a"), ("a2", "a"), ("a3", "a"), ("b", "b")]);
    assert!(reported.keys().all(|name| end(&reported, name) == "done AC"));
    let runs: Vec<bool> = place
        .drawn
        .log()
        .iter()
        .filter(|line| line.contains(" runs on "))
        .map(|line| line.starts_with('b'))
        .collect();
    assert_eq!(runs.len(), 160);
    // Until the second owner's submission is done, neither owner is ahead by more than a turn of four runs and the
    // effect of the start.
    let last = runs.iter().rposition(|is_b| *is_b).unwrap();
    let mut lead = 0_i32;
    for is_b in &runs[..=last] {
        lead += if *is_b { 1 } else { -1 };
        assert!(lead.abs() <= 5, "{runs:?}");
    }
    let turns = runs.chunk_by(|one, other| one == other).map(<[bool]>::len);
    assert!(turns.take(8).all(|runs| runs >= 3), "who has the place keeps it for a turn: {runs:?}");
}

#[test]
fn patience_counts_only_waits_for_calm() {
    let options = JudgeOptions { patience: Some(Nanos::from_millis(500)), ..JudgeOptions::default() };
    let (problem, _folder) = problem(40, options, Bytes::from_mib(8));
    // The first case of "slow" is over the limit; the others use the place for seconds at a time.
    let script = |name: &str, case: &str, _| match (name, case) {
        ("slow", "secret/01") => Does::Takes(1300),
        _ => Does::Takes(900),
    };
    let waits = |others: &[(&str, &str)]| {
        let drawn = Drawn::new(script);
        *drawn.slow_looks.lock().unwrap() = usize::MAX;
        let place = Place::new(drawn);
        let reported = place.judge(&problem, &[&[("slow", "s")], others].concat());
        let words = words(&reported["slow"]);
        let second = words.iter().position(|word| word == "ran secret/01 2").unwrap();
        words[..second].iter().filter(|word| *word == "waits").count()
    };
    assert_eq!(waits(&[]), 6, "at once, and after each of five tenths of a second");
    assert_eq!(
        waits(&[("other", "o"), ("another", "p")]),
        6,
        "others' turns of seconds between two looks are no waits"
    );
}

#[test]
fn one_is_cancelled_alone_whether_it_runs_or_waits_for_room() {
    let (problem, _folder) = plain(1);
    let (runs, is_running) = channel();
    let place = Place::new(Drawn::new(move |name, _, _| match name {
        "endless" => Does::RunsOn(runs.clone()),
        _ => Does::Takes(10),
    }));
    let names: Vec<String> = (0..OPEN_PER_PLACE_MAX).map(|number| format!("right {number}")).collect();
    let mut of = vec![("endless", "")];
    of.extend(names.iter().map(|name| (name.as_str(), "")));
    of.push(("late", ""));
    let open = place.open(&problem, &of);
    is_running.recv().unwrap();
    let phase = |name: &str| open.iter().find(|(known, _)| known == name).unwrap().1.phase().0;
    let running: NamedPhase = Phase::Running { case: "secret/01".to_owned(), pass: 1, attempt: 1 };
    assert_eq!(phase("endless"), running);
    assert_eq!((phase("right 0"), phase("late")), (Phase::Queued, Phase::Queued));
    open.last().unwrap().1.cancel();
    open[0].1.cancel();
    let reported = place.receive(&open);
    assert_eq!(words(&reported["late"]), ["done judging was cancelled"], "nothing of it was begun");
    assert_eq!(words(&reported["endless"]), ["preparing", "done judging was cancelled"]);
    assert!(names.iter().all(|name| end(&reported, name) == "done AC"), "{reported:?}");
}

#[test]
fn a_compiler_that_is_killed_by_a_cancellation_is_no_compile_error() {
    let (problem, _folder) = plain(1);
    let place = Place::new(Drawn::new(|_, _, _| Does::Takes(10)));
    let gate = place.drawn.gate.lock().unwrap();
    let handle = place.engine.judge(&problem, source("c"), Order::default(), place.notify.clone()).unwrap();
    let begun = place.received.recv().unwrap().notice;
    assert_eq!(words(&[begun]), ["preparing"]);
    // Its compiler is at work: it ends before the place's thread takes the request.
    handle.cancel();
    drop(gate);
    let reported = place.receive(&[("c".to_owned(), handle)]);
    assert_eq!(words(&reported["c"]), ["done judging was cancelled"]);
}

#[test]
fn dropping_an_engine_cancels_open_judgings() {
    let (problem, _folder) = plain(1);
    let (runs, is_running) = channel();
    let place = Place::new(Drawn::new(move |_, _, _| Does::RunsOn(runs.clone())));
    let open = place.open(&problem, &[("endless", ""), ("next", "")]);
    is_running.recv().unwrap();
    // Dropping the engine ends the active judging, even if it is not cancelled.
    open[0].1.cancel();
    let Place { engine, received, notify, .. } = place;
    let going = std::thread::spawn(move || drop(engine));
    drop(notify);
    let mut ends = BTreeMap::new();
    while let Ok(JudgingNotice { judging, notice }) = received.recv() {
        if let Notice::Done(result) = notice {
            ends.insert(judging, ended(&result));
        }
        if ends.len() == 1 {
            // The thread may have begun the next one before it received the request to stop.
            open[1].1.cancel();
        }
    }
    going.join().unwrap();
    assert_eq!(ends.into_values().collect::<Vec<_>>(), ["judging was cancelled", "judging was cancelled"]);
}

#[test]
fn responsibility_decides_what_ends() {
    let (problem, _folder) = plain(2);
    let failing = |name: &'static str, does: Does| {
        Drawn::new(move |submission, _, _| if submission == name { does.clone() } else { Does::Takes(10) })
    };
    let ends = |drawn: Drawn| {
        let place = Place::new(drawn);
        let reported = place.judge(&problem, &[("one", ""), ("other", "")]);
        (end(&reported, "one"), end(&reported, "other"), reported)
    };
    // A run: nothing is known about the submission.
    let (one, other, reported) = ends(failing("one", Does::Fails));
    assert_eq!((one.as_str(), other.as_str()), ("done cannot start a thread", "done AC"));
    let Some(Notice::Done(result)) = reported["one"].last() else { panic!("{reported:?}") };
    assert_eq!(result.as_ref().as_ref().unwrap_err().responsible(), Responsible::Machine);
    // A panic is an internal failure, and the place continues.
    let (one, other, reported) = ends(failing("one", Does::Panics));
    assert_eq!(
        (one.as_str(), other.as_str()),
        ("done judging went wrong: a drawn panic; please report this", "done AC")
    );
    let Some(Notice::Done(result)) = reported["one"].last() else { panic!("{reported:?}") };
    assert_eq!(result.as_ref().as_ref().unwrap_err().responsible(), Responsible::Ours);
    // A check: the case becomes a judging error, and its runs are kept.
    let check = failing("", Does::Fails).failing_at("check", Does::Fails);
    let (one, _, reported) = ends(check);
    assert_eq!(one, "done JE");
    let Some(Notice::Done(result)) = reported["one"].last() else { panic!("{reported:?}") };
    let judgement = result.as_ref().as_ref().unwrap();
    assert_eq!(judgement.cases[0].verdict, Verdict::JudgingError);
    assert_eq!(judgement.cases[0].runs.len(), 1);
    assert_eq!(judgement.judging_error.as_deref(), Some("secret/01: cannot start a thread"));
    // An internal failure or a panic during a compilation is no compile error.
    for does in [Does::Fails, Does::Panics] {
        let (one, other, _) = ends(failing("", Does::Fails).failing_at("compilation", does));
        assert_eq!(one, other);
        assert!(
            ["done cannot start a thread", "done judging went wrong: a drawn panic; please report this"]
                .contains(&one.as_str()),
            "{one}"
        );
    }
}

#[test]
fn an_accepted_output_after_another_one_is_for_the_jury() {
    let judged = |first: Does, second: &'static str| {
        let (problem, _folder) = plain(2);
        let place = Place::new(Drawn::new(move |_, case, attempt| match (case, attempt) {
            ("secret/01", 1) => first.clone(),
            ("secret/01", _) => Does::Writes(900, second),
            _ => Does::Writes(10, "1\n"),
        }));
        let reported = place.judge(&problem, &[("one", "")]);
        let Some(Notice::Done(result)) = reported["one"].last() else { panic!("{reported:?}") };
        let judged = Judged::new(result.as_ref().as_ref().unwrap().clone(), None);
        let rule = problem.rule();
        let cases = judged.judgement.cases.iter().map(|case| case.recorded(rule, "one").case);
        let document = judged.document(Vec::new());
        (document.jury_decides, judged.message(), cases.collect::<Vec<_>>(), document.verdict.0)
    };
    let (cases, message, documents, verdict) = judged(Does::Writes(1150, "sorry\n"), "1\n");
    assert_eq!((cases, verdict), (vec!["secret/01".to_owned()], Verdict::Accepted));
    assert_eq!(
        message.as_deref(),
        Some(
            "for the jury to decide: secret/01: run 1 was over the limit and wrote something else (6 B, exit code 0) than the \
             accepted run (2 B)"
        )
    );
    let other = &documents[0].other_outputs[0];
    assert_eq!((other.pass, other.run, other.output.start.as_str()), (1, 1, "sorry\n"));
    assert_eq!(documents[0].accepted_output.as_ref().unwrap().start, "1\n");
    assert!(documents[1].other_outputs.is_empty() && documents[1].accepted_output.is_none());
    // The same output was too slow once: no disturbance changes what a program writes.
    let (cases, message, ..) = judged(Does::Writes(1150, "1\n"), "1\n");
    assert_eq!((cases, message), (Vec::new(), None));
}

#[test]
fn crash_records_keep_the_first_error_and_the_last_line() {
    let (problem, _folder) = plain(1);
    let stderr = format!("panic: x\n{}", "\tat some frame\n".repeat(1024));
    let reported =
        Place::new(Drawn::new(move |_, _, _| Does::Crashes(stderr.clone()))).judge(&problem, &[("one", "")]);
    let Some(Notice::Done(result)) = reported["one"].last() else { panic!("{reported:?}") };
    let case = &result.as_ref().as_ref().unwrap().cases[0];
    assert_eq!(case.stderr, [0; 0], "of every submission it would stay until the last is judged");
    let recorded = case.recorded(problem.rule(), "one").case;
    assert_eq!(recorded.verdict.0, Verdict::RunTimeError);
    assert_eq!(recorded.stderr_excerpt.as_deref(), Some("panic: x … at some frame"));
}

#[test]
fn a_judging_is_opened_when_what_it_may_hold_has_room() {
    let order = |output: Bytes| {
        let (problem, _folder) = problem(1, JudgeOptions::default(), output);
        let place = Place::new(Drawn::new(|_, _, _| Does::Takes(10)));
        let reported = place.judge(&problem, &[("one", ""), ("other", "")]);
        assert!(reported.keys().all(|name| end(&reported, name) == "done AC"));
        place.drawn.log().iter().filter(|line| !line.contains("warms")).cloned().collect::<Vec<_>>()
    };
    let together = order(Bytes::from_mib(8));
    assert_eq!(together[..2], ["one is compiled", "other is compiled"]);
    let apart = order(Bytes::from_mib(2000));
    assert_eq!(
        apart[..4],
        ["one is compiled", "one runs on secret/01", "one is checked on 0", "other is compiled"],
        "two cases of each may be in memory at once"
    );
}

/// Ends the run once it was notified that the judging is alive.
struct Alive {
    reported: Vec<OpenJudging>,
    goes_on: Option<Sender<()>>,
    ended: Vec<String>,
}

impl Observer for Alive {
    fn receive(&mut self, _: usize, notice: Notice) -> ControlFlow<()> {
        if let Notice::Done(result) = notice {
            self.ended.push(ended(&result));
        }
        ControlFlow::Continue(())
    }

    fn is_alive(&mut self, open: &[OpenJudging]) {
        if self.goes_on.is_some() && open.iter().any(|one| matches!(one.phase, Phase::Running { .. })) {
            self.reported = open.to_vec();
            self.goes_on = None;
        }
    }
}

#[test]
fn waiting_callers_receive_the_open_phases() {
    let (problem, _folder) = plain(1);
    let (goes_on, stays) = channel();
    let stays = Arc::new(Mutex::new(stays));
    let place = Place::new(Drawn::new(move |_, _, _| Does::Stays(Arc::clone(&stays))));
    let mut alive = Alive { reported: Vec::new(), goes_on: Some(goes_on), ended: Vec::new() };
    let sources = ["one", "other"].map(|name| Ok(source(name)));
    place.engine.judge_all(&problem, sources, &mut alive).unwrap();
    let phases: Vec<_> =
        alive.reported.iter().map(|one| (one.number, one.submission.as_str(), &one.phase)).collect();
    let running = Phase::Running { case: "secret/01".to_owned(), pass: 1, attempt: 1 };
    assert_eq!(phases, [(0, "one", &running), (1, "other", &Phase::Queued)]);
    assert_eq!(alive.ended, ["AC", "AC"]);
}

#[test]
fn a_compiler_that_takes_long_holds_up_no_check() {
    let (problem, _folder) = plain(2);
    let (go_on, until) = channel();
    let (run_on, stays) = channel();
    let stays = Arc::new(Mutex::new(stays));
    let script = move |_: &str, _: &str, _| Does::Stays(Arc::clone(&stays));
    let place = Place::new(Drawn::new(script).compiling_long("bomb", until));
    let quick = place.open(&problem, &[("quick", "one")]);
    let bomb = place.open(&problem, &[("bomb", "other")]);
    // Now the runs of "quick" continue, and its second check is due after the compilation of "bomb" has begun.
    drop(run_on);
    let first = loop {
        let JudgingNotice { judging, notice } = place.received.recv().unwrap();
        if let Notice::Done(result) = notice {
            break (judging, ended(&result));
        }
    };
    assert_eq!(first, (quick[0].1.number, "AC".to_owned()));
    drop(go_on);
    assert_eq!(end(&place.receive(&bomb), "bomb"), "done AC");
}
