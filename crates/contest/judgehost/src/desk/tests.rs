//! Tables of events and actions.

use super::*;
use crate::judges::LanguageTested;
use crate::testing::job;
use documents::judgehost::{JobDone, JobSpent, JobTimeLimit, ReportAnswer};
use model::Verdict;

const NOW: Duration = Duration::from_secs(1);

fn words(actions: &[Action<u32>]) -> Vec<String> {
    let word = |action: &Action<u32>| match action {
        Action::Fetch(ticket, job) => format!("fetch {} {}", ticket.0, job.job),
        Action::Load(key, _) => format!("load {}", &key.package[..1]),
        Action::Judge { ticket, problem, limit_ns: None, .. } => format!("judge {} by {problem}", ticket.0),
        Action::Judge { ticket, problem, limit_ns: Some(limit), .. } => {
            format!("judge {} by {problem} limit {limit}", ticket.0)
        }
        Action::Test(language) => format!("test {language}"),
        Action::DropTest => "drop the test".to_owned(),
        Action::Cancel(ticket) => format!("cancel {}", ticket.0),
        Action::Forget(ticket) => format!("forget {}", ticket.0),
        Action::Report(ticket, _, what, _) => format!("report {} {}", ticket.0, kind(what)),
        Action::Emit(_) => String::new(),
    };
    actions.iter().map(word).filter(|word| !word.is_empty()).collect()
}

fn kind(what: &ReportKind) -> &'static str {
    match what {
        ReportKind::Begun => "begun",
        ReportKind::TimeLimit(_) => "limit",
        ReportKind::Runs { .. } => "runs",
        ReportKind::Done(_) => "done",
        ReportKind::Failed(_) => "failed",
        ReportKind::Returned { .. } => "returned",
    }
}

fn desk() -> Desk<u32> {
    Desk::new(
        3,
        &[
            language("c", None, true),
            language("rust", Some("no linker"), true),
            language("java", None, false),
        ],
    )
}

fn language(id: &str, error: Option<&str>, is_tested: bool) -> LanguageTest {
    LanguageTest { id: id.to_owned(), version: None, error: error.map(str::to_owned), is_tested }
}

fn claimed(jobs: Vec<Job>) -> ClaimResponse {
    ClaimResponse { jobs, ..ClaimResponse::default() }
}

fn key(package: &str) -> ProblemKey {
    ProblemKey::of(&job(package, 1))
}

fn ready(problem: u32) -> Result<Prepared<u32>, Failure> {
    Ok(Prepared { problem, derived: None, warnings: Vec::new() })
}

fn derived(problem: u32, limit: u64) -> Result<Prepared<u32>, Failure> {
    let derivation = documents::Derivation {
        slowest_submission: "a".to_owned(),
        slowest_cpu_time_ns: 1,
        accepted_to_limit: 2.0,
        resolution_ns: 1,
        rounding: "up".to_owned(),
        left_out: Vec::new(),
        derived_at: String::new(),
        tauto_version: String::new(),
    };
    let limit = JobTimeLimit { package: "a".repeat(64), time_limit_ns: limit, derivation };
    Ok(Prepared { problem, derived: Some(limit), warnings: Vec::new() })
}

fn done() -> Progress {
    let done = JobDone {
        verdict: Verdict::Accepted.into(),
        score: None,
        subtasks: Vec::new(),
        max_run_time_ns: None,
        compile_output: None,
        evidence: None,
        nondeterministic: Vec::new(),
        for_jury: Vec::new(),
        spent: JobSpent::default(),
    };
    Progress::Done { done: Box::new(done), evidence: Vec::new() }
}

fn answer(ticket: u64, state: ReportState, limit: Option<u64>, is_last: bool) -> Answered {
    Answered { ticket: Ticket(ticket), answer: ReportAnswer { state, time_limit_ns: limit }, is_last }
}

/// Takes jobs with these packages, and files and package of each; all are judged then.
fn judging(packages: &[&str]) -> Desk<u32> {
    let mut desk = desk();
    let jobs = packages.iter().zip(1..).map(|(package, number)| job(package, number)).collect();
    desk.claimed(NOW, claimed(jobs));
    for (package, number) in packages.iter().zip(1..) {
        desk.fetched(NOW, Ticket(number), Ok(Vec::new()));
        desk.loaded(NOW, &key(package), ready(7));
    }
    assert_eq!(desk.judging(), packages.len());
    desk
}

#[test]
fn a_job_is_judged_when_files_and_package_are_there_whichever_comes_first() {
    let mut desk = desk();
    let actions = desk.claimed(NOW, claimed(vec![job("a", 1), job("a", 2), job("b", 3)]));
    assert_eq!(
        words(&actions),
        ["fetch 1 demo/1-1", "load a", "fetch 2 demo/2-1", "fetch 3 demo/3-1", "load b"]
    );
    assert_eq!(desk.room(), 0);
    assert!(words(&desk.fetched(NOW, Ticket(1), Ok(Vec::new()))).is_empty());
    assert_eq!(words(&desk.loaded(NOW, &key("a"), ready(7))), ["judge 1 by 7"]);
    assert_eq!(words(&desk.fetched(NOW, Ticket(2), Ok(Vec::new()))), ["judge 2 by 7"]);
    assert_eq!(words(&desk.progressed(NOW, Ticket(1), Progress::Begun)), ["report 1 begun"]);
    assert_eq!(words(&desk.progressed(NOW, Ticket(1), done())), ["report 1 done"]);
    assert_eq!((desk.room(), desk.held().len()), (1, 3), "held until the server has the result");
    assert!(desk.progressed(NOW, Ticket(1), done()).is_empty(), "nothing follows the last");
    desk.answered(NOW, &[answer(1, ReportState::Taken, None, true)]);
    assert_eq!(desk.held().len(), 2);
    // The package stays ready.
    let actions = desk.claimed(NOW, claimed(vec![job("a", 4)]));
    assert_eq!(words(&actions), ["fetch 4 demo/4-1"]);
}

#[test]
fn an_error_of_a_package_is_about_its_jobs_alone() {
    let mut desk = desk();
    desk.claimed(NOW, claimed(vec![job("a", 1), job("b", 2), job("a", 3)]));
    let failed = desk.loaded(NOW, &key("a"), Err(Failure::package("does not unpack")));
    assert_eq!(words(&failed), ["cancel 1", "report 1 failed", "cancel 3", "report 3 failed"]);
    assert_eq!(desk.exceptions(NOW).1, ["a".repeat(64)]);
    assert!(desk.exceptions(NOW + PACKAGE_REST).1.is_empty(), "it is tried again later");
    desk.fetched(NOW, Ticket(2), Ok(Vec::new()));
    assert_eq!(words(&desk.loaded(NOW, &key("b"), ready(7))), ["judge 2 by 7"]);
    // A new job of the package is tried from the start.
    desk.answered(NOW, &[answer(1, ReportState::Taken, None, true)]);
    assert_eq!(words(&desk.claimed(NOW, claimed(vec![job("a", 4)]))), ["fetch 4 demo/4-1", "load a"]);
}

#[test]
fn jobs_in_a_language_that_does_not_work_are_refused_and_excepted() {
    let mut desk = desk();
    let rust = Job { language: Some("rust".to_owned()), ..job("a", 1) };
    assert_eq!(words(&desk.claimed(NOW, claimed(vec![rust]))), ["cancel 1", "report 1 failed"]);
    assert_eq!(desk.exceptions(NOW).0, ["rust"]);
    let mut desk = judging(&["a"]);
    let failure = Failure::new(FailureScopeId::Language, "its compiler is gone");
    assert_eq!(
        words(&desk.progressed(NOW, Ticket(1), Progress::Failed(failure))),
        ["cancel 1", "report 1 failed"]
    );
    assert_eq!(desk.exceptions(NOW).0, ["c", "rust"]);
}

#[test]
fn a_language_is_tested_before_its_first_job_or_when_there_is_time() {
    let in_java = |number| Job { language: Some("java".to_owned()), ..job("a", number) };
    let waiting = || {
        let mut desk = desk();
        let actions = desk.claimed(NOW, claimed(vec![in_java(1), in_java(2), job("a", 3)]));
        let words = words(&actions);
        assert_eq!(words.iter().filter(|word| *word == "test java").count(), 1);
        (1..=3).for_each(|ticket| drop(desk.fetched(NOW, Ticket(ticket), Ok(Vec::new()))));
        assert_eq!(
            self::words(&desk.loaded(NOW, &key("a"), ready(7))),
            ["judge 3 by 7"],
            "others need not wait"
        );
        assert!(desk.idle().is_none());
        desk
    };
    assert_eq!(
        words(&waiting().tested(NOW, "java", LanguageTested::Works)),
        ["judge 1 by 7", "judge 2 by 7"]
    );
    let failed = waiting().tested(NOW, "java", LanguageTested::Broken("no heap".to_owned()));
    assert_eq!(words(&failed), ["cancel 1", "report 1 failed", "cancel 2", "report 2 failed"]);
    let mut desk = desk();
    assert_eq!(words(desk.idle().as_slice()), ["test java"]);
    assert!(desk.idle().is_none(), "one at a time");
    assert_eq!(
        words(&desk.claimed(NOW, claimed(vec![job("a", 1)]))),
        ["drop the test", "fetch 1 demo/1-1", "load a"]
    );
    assert!(words(&desk.tested(NOW, "java", LanguageTested::Dropped)).is_empty());
    assert_eq!((desk.untested(), desk.exceptions(NOW).0), (vec!["java".to_owned()], vec!["rust".to_owned()]));
    assert!(desk.idle().is_none(), "the job is still here");
    desk.withdraw(&["demo/1-1".to_owned()], "cancelled");
    assert_eq!(words(desk.idle().as_slice()), ["test java"], "an interrupted test is taken up again");
    desk.tested(NOW, "java", LanguageTested::Works);
    assert!(desk.untested().is_empty());
    let mut desk = self::desk();
    assert_eq!(words(desk.idle().as_slice()), ["test java"]);
    let both = words(&desk.claimed(NOW, claimed(vec![job("a", 1), in_java(2)])));
    assert_eq!(both.iter().filter(|word| *word == "drop the test").count(), 1);
    let again = desk.tested(NOW, "java", LanguageTested::Dropped);
    assert_eq!(words(&again), ["test java"], "a job waits for it");
    let mut desk = self::desk();
    let unknown = Job { language: Some("cobol".to_owned()), ..job("a", 1) };
    assert_eq!(words(&desk.claimed(NOW, claimed(vec![unknown]))), ["cancel 1", "report 1 failed"]);
    assert_eq!(desk.exceptions(NOW).0, ["cobol", "rust"]);
}

#[test]
fn stale_and_cancelled_jobs_are_dropped_in_any_phase() {
    let mut desk = judging(&["a", "a"]);
    desk.claimed(NOW, claimed(vec![job("b", 3)]));
    desk.progressed(NOW, Ticket(1), done());
    let reported = HeldJob { job: "demo/1-1".to_owned(), fence: 1 };
    assert!(desk.stale(&[reported]).is_empty(), "the answer to the report decides");
    let stale = desk.answered(NOW, &[answer(1, ReportState::Stale, None, true)]);
    assert_eq!(words(&stale), ["cancel 1", "forget 1"]);
    let is_dropped = |action: &Action<u32>| matches!(action, Action::Emit(OperatorEvent::Dropped { reason, .. }) if reason == "its lease has ended");
    assert!(stale.iter().any(is_dropped));
    let cancelled = desk.withdraw(&["demo/2-1".to_owned(), "demo/9-1".to_owned()], "cancelled");
    assert_eq!(words(&cancelled), ["cancel 2", "forget 2"]);
    assert!(desk.progressed(NOW, Ticket(2), done()).is_empty(), "too late");
    let lease = |fence| HeldJob { job: "demo/3-1".to_owned(), fence };
    assert!(desk.stale(&[lease(2)]).is_empty(), "an earlier lease of the job");
    assert_eq!(words(&desk.stale(&[lease(3)])), ["cancel 3", "forget 3"]);
    assert!(desk.is_empty());
    assert!(desk.fetched(NOW, Ticket(3), Ok(Vec::new())).is_empty());
}

#[test]
fn a_newer_lease_of_a_job_replaces_the_older() {
    let mut desk = judging(&["a"]);
    let again = Job { fence: 1, ..job("a", 1) };
    assert!(words(&desk.claimed(NOW, claimed(vec![again]))).is_empty(), "the answer came twice");
    let newer = Job { fence: 2, ..job("a", 1) };
    let actions = desk.claimed(NOW, claimed(vec![newer]));
    assert_eq!(words(&actions), ["cancel 1", "forget 1", "fetch 2 demo/1-1"]);
    assert_eq!(desk.held()[0].fence, 2);
}

#[test]
fn the_server_decides_whether_a_derived_limit_holds() {
    let mut desk = desk();
    desk.claimed(NOW, claimed(vec![job("a", 1), job("a", 2)]));
    desk.fetched(NOW, Ticket(1), Ok(Vec::new()));
    desk.fetched(NOW, Ticket(2), Ok(Vec::new()));
    assert_eq!(words(&desk.loaded(NOW, &key("a"), derived(7, 100))), ["report 1 limit"]);
    // The job that asked is withdrawn before the answer: the next one asks.
    let actions = desk.withdraw(&["demo/1-1".to_owned()], "cancelled");
    assert_eq!(words(&actions), ["cancel 1", "forget 1", "report 2 limit"]);
    let answered = desk.answered(NOW, &[answer(2, ReportState::Taken, Some(80), false)]);
    assert_eq!(words(&answered), ["judge 2 by 7 limit 80"]);
    // When no job waits any more, the next one asks.
    let mut desk = self::desk();
    desk.claimed(NOW, claimed(vec![job("a", 1)]));
    desk.withdraw(&["demo/1-1".to_owned()], "cancelled");
    assert!(words(&desk.loaded(NOW, &key("a"), derived(7, 100))).is_empty());
    assert_eq!(words(&desk.claimed(NOW, claimed(vec![job("a", 2)]))), ["fetch 2 demo/2-1", "report 2 limit"]);
    desk.fetched(NOW, Ticket(2), Ok(Vec::new()));
    let answered = desk.answered(NOW, &[answer(2, ReportState::Taken, Some(100), false)]);
    assert_eq!(words(&answered), ["judge 2 by 7"]);
}

#[test]
fn a_draining_judgehost_ends_what_runs_and_gives_back_the_rest() {
    let mut desk = judging(&["a"]);
    desk.claimed(NOW, claimed(vec![job("b", 2)]));
    assert_eq!(words(&desk.drain()), ["cancel 2", "report 2 returned"]);
    assert_eq!(desk.room(), 0);
    let late = desk.claimed(NOW, claimed(vec![job("a", 3)]));
    assert_eq!(words(&late), ["cancel 3", "report 3 returned"], "a claim was on its way");
    assert!(desk.drain().is_empty(), "once");
    assert_eq!(words(&desk.progressed(NOW, Ticket(1), done())), ["report 1 done"]);
    assert!(desk.is_reported() && !desk.is_empty());
    for ticket in 1..=3 {
        desk.answered(NOW, &[answer(ticket, ReportState::Taken, None, true)]);
    }
    assert!(desk.is_empty());
    let mut desk = judging(&["a"]);
    assert_eq!(words(&desk.stop()), ["cancel 1", "report 1 returned"]);
    let mut desk = judging(&["a"]);
    let drain_reason = Some("it is slow".to_owned());
    let asked = ClaimResponse { drain: true, drain_reason, ..ClaimResponse::default() };
    let actions = desk.claimed(NOW, asked);
    let message = "the server takes this judgehost out: it is slow".to_owned();
    let is_warning = |action: &Action<u32>| matches!(action, Action::Emit(OperatorEvent::Warning { message: text }) if *text == message);
    assert!(actions.iter().any(is_warning), "{actions:?}");
    assert!(desk.is_draining() && desk.judging() == 1);
}

#[test]
fn the_time_is_split_into_fetching_waiting_and_the_rest() {
    let at = Duration::from_millis;
    let mut desk = desk();
    desk.claimed(at(10), claimed(vec![job("a", 1)]));
    desk.loaded(at(20), &key("a"), ready(7));
    desk.fetched(at(30), Ticket(1), Ok(Vec::new()));
    desk.progressed(at(70), Ticket(1), Progress::Begun);
    let actions = desk.progressed(at(100), Ticket(1), done());
    let spent = actions.iter().find_map(|action| match action {
        Action::Report(_, _, ReportKind::Done(done), _) => Some(done.spent),
        _ => None,
    });
    let spent = spent.unwrap();
    assert_eq!((spent.fetching_us, spent.waiting_us, spent.total_us), (20_000, 40_000, 90_000));
}

#[test]
fn all_jobs_are_dropped_when_the_server_does_not_know_the_judgehost() {
    let mut desk = judging(&["a", "b"]);
    let actions = desk.abandon("unknown");
    assert_eq!(words(&actions), ["cancel 1", "forget 1", "cancel 2", "forget 2"]);
    assert_eq!(desk.room(), 3);
}
