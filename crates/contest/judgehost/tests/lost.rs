//! A judgehost with a server that loses answers, ends leases, cancels, or is not there. Judgings are from a recording.

#![allow(clippy::unwrap_used, reason = "a test fails where it is")]

use documents::judgehost::{JobTimeLimit, ReportKind};
use judgehost::{
    CachedPackage, CancelJudging, Failure, JudgeTask, Judges, OperatorEvent, Prepared, ProblemKey, Progress,
    ProgressSink, Recorded, Recording,
};
use model::{Nanos, Verdict};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use test_jobs::{Server, is_ended, reported, start, start_with};

/// A judging of three short cases.
fn short() -> Recording {
    let case = (Verdict::Accepted, Nanos(1000), Duration::from_millis(2));
    Recording { compiling: Duration::ZERO, cases: vec![case; 3], end: Ok(Verdict::Accepted) }
}

fn long() -> Recording {
    Recording::of(Verdict::Accepted, Duration::from_secs(3600))
}

fn judges(recording: fn() -> Recording) -> Recorded {
    Recorded::start(2, move |_| recording()).unwrap()
}

const WHOLE: &str = "begun run 1 run 2 run 3 done AC";

#[test]
fn jobs_are_judged_with_every_case_reported_in_order() {
    let server = Server::start();
    let package = server.put(b"a package");
    let jobs: Vec<_> = (1..=20).map(|number| server.add(number, &package)).collect();
    let host = start(&server, judges(short));
    server.wait("all jobs", |state| jobs.iter().all(|job| is_ended(state, job)));
    let events = host.end();
    let state = server.lock();
    for job in &jobs {
        assert_eq!(reported(&state, job), WHOLE);
    }
    let fetched = format!("GET /api/blobs/{}", package.hash);
    assert_eq!(state.requests.iter().filter(|request| **request == fetched).count(), 1, "fetched once");
    assert_eq!(state.tokens.iter().collect::<Vec<_>>(), ["Bearer secret"]);
    let evidence = state.taken.iter().find_map(|report| match &report.what {
        ReportKind::Done(done) => done.evidence.clone(),
        _ => None,
    });
    assert_eq!(state.blobs[&evidence.unwrap().hash], b"recorded\n", "stored before it is named");
    assert_eq!(events.last(), Some(&OperatorEvent::Ended { judged: 20, undelivered: 0 }));
}

#[test]
fn reports_are_repeated_until_they_are_answered() {
    let server = Server::start();
    let package = server.put(b"a package");
    server.change(|state| state.answers_to_lose = 3);
    let jobs: Vec<_> = (1..=4).map(|number| server.add(number, &package)).collect();
    let host = start(&server, judges(short));
    server.wait("all jobs", |state| jobs.iter().all(|job| is_ended(state, job)));
    host.end();
    let state = server.lock();
    for job in &jobs {
        assert_eq!(reported(&state, job), WHOLE);
    }
    let mut once = state.came.clone();
    once.sort();
    once.dedup();
    assert!(once.len() < state.came.len(), "some came again, each with its own number");
}

#[test]
fn judging_goes_on_without_the_server() {
    let server = Server::start();
    let package = server.put(b"a package");
    let (go_on, waits) = channel::<()>();
    let waits = Arc::new(Mutex::new(waits));
    let judges = Recorded::start(1, move |_| {
        // The script is asked when the job begins: then the server goes.
        let _ = waits.lock().unwrap().recv();
        short()
    });
    let host = start(&server, judges.unwrap());
    let job = server.add(1, &package);
    server.wait("the claim", |state| state.jobs.is_empty());
    server.wait("the files", |state| {
        state.requests.iter().any(|request| request.contains(&package.hash))
            && state.requests.iter().any(|request| request.contains(&job.files[0].hash))
    });
    server.change(|state| state.is_down = true);
    go_on.send(()).unwrap();
    host.wait_for(|event| matches!(event, OperatorEvent::Judged { .. }));
    assert!(server.lock().taken.is_empty());
    server.change(|state| state.is_down = false);
    server.wait("the result", |state| is_ended(state, &job));
    assert_eq!(reported(&server.lock(), &job), WHOLE);
    drop(go_on);
    let events = host.end();
    assert!(events.contains(&OperatorEvent::Found), "{events:?}");
}

#[test]
fn a_stale_lease_ends_the_judging_and_its_result() {
    let server = Server::start();
    let package = server.put(b"a package");
    let host = start(&server, judges(long));
    let job = server.add(1, &package);
    server.wait("the begin", |state| reported(state, &job) == "begun");
    server.change(|state| state.stale.insert(job.job.clone()));
    let dropped = OperatorEvent::Dropped { job: job.job.clone(), reason: "its lease has ended".to_owned() };
    host.wait_for(|event| *event == dropped);
    let events = host.end();
    assert_eq!(events.last(), Some(&OperatorEvent::Ended { judged: 0, undelivered: 0 }));
    assert_eq!(reported(&server.lock(), &job), "begun");
}

#[test]
fn a_result_that_comes_too_late_is_dropped_with_an_event() {
    let server = Server::start();
    let package = server.put(b"a package");
    let job = server.add(1, &package);
    server.change(|state| state.stale.insert(job.job.clone()));
    let host = start(&server, judges(short));
    let dropped = OperatorEvent::Dropped { job: job.job.clone(), reason: "its lease has ended".to_owned() };
    host.wait_for(|event| *event == dropped);
    host.end();
    assert!(server.lock().taken.is_empty());
}

#[test]
fn a_cancelled_judging_ends() {
    let server = Server::start();
    let package = server.put(b"a package");
    let host = start(&server, judges(long));
    let (one, two) = (server.add(1, &package), server.add(2, &package));
    server.wait("the begin", |state| reported(state, &one) == "begun" && reported(state, &two) == "begun");
    server.change(|state| state.cancel.push(one.job.clone()));
    server.change(|state| state.cancelled.insert(two.job.clone()));
    let dropped = |job: &str| OperatorEvent::Dropped { job: job.to_owned(), reason: "cancelled".to_owned() };
    host.wait_for(|event| *event == dropped(&one.job));
    assert!(!host.events.lock().unwrap().contains(&dropped(&two.job)));
    // It runs on; a second request ends it at once.
    host.ending.ask();
    assert!(!host.end().is_empty());
}

#[test]
fn an_ending_judgehost_gives_back_what_it_does_not_finish_in_time() {
    let server = Server::start();
    let package = server.put(b"a package");
    let host = start_with(&server, judges(long), |options| options.drain_max = Duration::from_millis(50));
    let job = server.add(1, &package);
    server.wait("the begin", |state| reported(state, &job) == "begun");
    host.end();
    assert_eq!(reported(&server.lock(), &job), "begun returned");
}

#[test]
fn a_server_can_drain_a_judgehost() {
    let server = Server::start();
    let package = server.put(b"a package");
    let job = server.add(1, &package);
    let host = start(&server, judges(short));
    server.wait("the job", |state| is_ended(state, &job));
    server.change(|state| state.drain = true);
    host.join().unwrap();
}

#[test]
fn errors_have_their_scope() {
    let server = Server::start();
    let (good, bad) = (server.put(b"a package"), server.put(b"a bad package"));
    let bad_hash = bad.hash.clone();
    let judges = Recorded::start(1, |job| match job.judgement.as_str() {
        "3-1" => Recording { end: Err(Failure::machine("no cgroups")), ..short() },
        _ => short(),
    });
    let judges = judges.unwrap().preparing(move |key| match key.package == bad_hash {
        true => Err(Failure::package("its validator does not build")),
        false => Ok(None),
    });
    let one = server.add(1, &bad);
    let two = server.add(2, &good);
    let three = server.add(3, &good);
    let mut missing = server.add(4, &good);
    server.change(|state| {
        let last = state.jobs.back_mut().unwrap();
        last.package.hash = "0".repeat(64);
        missing = last.clone();
    });
    let host = start(&server, judges);
    server.wait("all jobs", |state| [&one, &two, &three, &missing].iter().all(|job| is_ended(state, job)));
    server.wait("the exception", |state| {
        state.claims.iter().any(|claim| claim.except_packages.contains(&bad.hash))
    });
    host.end();
    let state = server.lock();
    assert_eq!(reported(&state, &one), "failed Package");
    assert_eq!(reported(&state, &two), WHOLE);
    assert_eq!(reported(&state, &three), "begun run 1 run 2 run 3 failed Machine");
    assert_eq!(reported(&state, &missing), "failed Package");
    assert!(
        state.claims.iter().all(|claim| claim.scores == ["format", "domjudge"]),
        "else the server withholds jobs"
    );
}

#[test]
fn a_cut_package_is_resumed() {
    let server = Server::start();
    let bytes: Vec<u8> = (0..100_000_u32).map(|number| number as u8).collect();
    let package = server.put(&bytes);
    server.change(|state| state.cuts = 1);
    let mut job = server.add(1, &package);
    server.change(|state| {
        // The only blob is the package: what is cut is certain.
        state.jobs[0].files.clear();
        job = state.jobs[0].clone();
    });
    let host = start(&server, judges(short));
    server.wait("the job", |state| is_ended(state, &job));
    host.end();
    let state = server.lock();
    assert_eq!(reported(&state, &job), WHOLE);
    assert_eq!(state.ranges.len(), 1, "the rest was asked for");
    assert!(state.ranges[0].starts_with("bytes=") && state.ranges[0] != "bytes=0-");
}

#[test]
fn a_derived_limit_is_reported_once_and_the_servers_holds() {
    let server = Server::start();
    let package = server.put(b"a package");
    server.change(|state| state.derived_ns = Some(7));
    let judges = judges(short).preparing(|key| {
        let derivation = documents::Derivation {
            slowest_submission: "accepted/a.c".to_owned(),
            slowest_cpu_time_ns: 1,
            accepted_to_limit: 2.0,
            resolution_ns: 1,
            rounding: "up".to_owned(),
            left_out: Vec::new(),
            derived_at: "2026-01-02T03:04:05Z".to_owned(),
            tauto_version: "0".to_owned(),
        };
        Ok(Some(JobTimeLimit { package: key.package.clone(), time_limit_ns: 9, derivation }))
    });
    let jobs: Vec<_> = (1..=3).map(|number| server.add(number, &package)).collect();
    let host = start(&server, judges);
    server.wait("all jobs", |state| jobs.iter().all(|job| is_ended(state, job)));
    host.end();
    let state = server.lock();
    let limits = state.taken.iter().filter(|report| matches!(report.what, ReportKind::TimeLimit(_)));
    assert_eq!(limits.count(), 1);
}

#[test]
fn a_judgehost_that_the_server_does_not_know_registers_again() {
    let server = Server::start();
    let package = server.put(b"a package");
    let host = start(&server, judges(short));
    server.wait("the claim", |state| !state.claims.is_empty());
    server.change(|state| state.refusals.push_back(404));
    server.wait("the second time", |state| state.registered.len() == 2);
    let job = server.add(1, &package);
    server.wait("the job", |state| is_ended(state, &job));
    host.end();
}

#[test]
fn a_restarted_server_receives_the_machine_report() {
    let server = Server::start();
    let host = start(&server, judges(short));
    server.wait("a heartbeat", |state| !state.beats.is_empty());
    server.change(|state| {
        assert!(state.registered[0].machine.is_some() && state.beats[0].machine.is_none());
        state.wants_machine = true;
    });
    server.wait("the machine", |state| state.beats.iter().any(|beat| beat.machine.is_some()));
    host.end();
}

#[test]
fn a_refused_judgehost_names_the_reason() {
    let server = Server::start();
    server.change(|state| state.refusals.push_back(409));
    let error = start(&server, judges(short)).join().unwrap_err();
    assert_eq!(error, "the server refuses this judgehost: not now");
    server.change(|state| state.refusals.push_back(403));
    let error = start(&server, judges(short)).join().unwrap_err();
    assert!(error.ends_with("403: not now"), "{error}");
}

/// Judges as recorded, on a machine that counts otherwise by the end of each judging.
struct Doubtful(Recorded);

impl Judges for Doubtful {
    type Problem = <Recorded as Judges>::Problem;

    fn places(&self) -> u32 {
        self.0.places()
    }

    fn open_max(&self) -> usize {
        self.0.open_max()
    }

    fn prepare(&self, cached: &CachedPackage, key: &ProblemKey) -> Result<Prepared<Self::Problem>, Failure> {
        self.0.prepare(cached, key)
    }

    fn with_time_limit(&self, problem: &Self::Problem, limit: Nanos) -> Self::Problem {
        self.0.with_time_limit(problem, limit)
    }

    fn judge(
        &self,
        problem: &Self::Problem,
        task: JudgeTask,
        sink: ProgressSink,
    ) -> Result<Box<dyn CancelJudging>, Failure> {
        let doubting: ProgressSink = Arc::new(move |ticket, progress| {
            let is_result = matches!(progress, Progress::Done { .. });
            sink(ticket, if is_result { Progress::Doubted("7 instead of 8".to_owned()) } else { progress });
        });
        self.0.judge(problem, task, doubting)
    }

    fn run_reference(&self) -> Option<Nanos> {
        None
    }

    fn busy(&self) -> Nanos {
        self.0.busy()
    }
}

#[test]
fn a_machine_that_counts_otherwise_takes_itself_out() {
    let server = Server::start();
    let package = server.put(b"a package");
    let jobs: Vec<_> = (1..=8).map(|number| server.add(number, &package)).collect();
    let host = start(&server, Doubtful(judges(short)));
    let events = Arc::clone(&host.events);
    assert_eq!(
        host.join().unwrap_err(),
        "this judgehost has taken itself out: 7 instead of 8; find out what has changed on this machine, and start it again"
    );
    let state = server.lock();
    let is_done = |report: &documents::judgehost::Report| matches!(report.what, ReportKind::Done(_));
    assert!(!state.taken.iter().any(is_done), "no result is believed: {:?}", state.taken);
    // The job that was judged has failed once, so that a job that disturbs every machine ends; the rest comes back.
    let ended = |how: &str| jobs.iter().filter(|job| reported(&state, job).contains(how)).count();
    let (failed, returned) = (ended("failed"), ended("returned"));
    assert!(failed >= 1, "{:?}", state.taken);
    assert_eq!(
        failed + returned + state.jobs.len(),
        jobs.len(),
        "{failed} failed, {returned} are given back"
    );
    let said =
        OperatorEvent::Warning { message: "this judgehost takes itself out: 7 instead of 8".to_owned() };
    assert!(events.lock().unwrap().contains(&said));
}
