//! Leases that end while their judgehost still works.
//!
//! A lease lasts 30 s. Instead of waiting, the server is started again with a clock that is ahead.

use crate::clock::SteppedClock;
use crate::host::{Host, reports};
use crate::world::{ServerData, World};
use documents::judgehost::{Report, ReportKind, ReportState};
use serde_json::json;

const LEASE_MS: i64 = 30_000;

struct Ended {
    world: World,
    first: Host,
    job: documents::judgehost::Job,
    _clock: SteppedClock,
}

/// Returns a contest in which one judgehost has a job whose lease has ended.
fn with_ended_lease() -> Result<Ended, String> {
    let clock = SteppedClock::build()?;
    let mut place = ServerData::folder();
    place.environment = clock.environment();
    let mut world = World::new(place);
    assert_eq!(world.submit(), Ok(201));
    let first = Host::new(world.port, &world.host_token, "h1");
    assert_eq!(first.register().unwrap().0, 200);
    let job = first.claim(1, 5).unwrap().remove(0);
    world.kill_server();
    clock.set(LEASE_MS + 1);
    world.start_server();
    Ok(Ended { world, first, job, _clock: clock })
}

/// Returns the report of a failure with a job.
fn failed(job: &documents::judgehost::Job, scope: &str) -> Report {
    let failed = json!({
        "job": job.job, "fence": job.fence, "number": 1, "kind": "failed", "scope": scope, "reason": "test",
    });
    serde_json::from_value(failed).unwrap()
}

/// What a judgehost may not take does not keep it from what comes behind.
pub fn jobs_of_others_block_no_other_job() -> Result<(), String> {
    let mut world = World::new(ServerData::folder());
    let host = Host::new(world.port, &world.host_token, "h1");
    assert_eq!(host.register().unwrap().0, 200);
    assert_eq!(world.submit(), Ok(201));
    let job = host.claim(1, 5).unwrap().remove(0);
    assert_eq!(host.report(&[failed(&job, "language")]).unwrap(), [ReportState::Taken]);
    // From now on it gets nothing in C.
    for language in ["c", "c", "cpp", "cpp", "cpp"] {
        assert_eq!(world.submit_in(language, "a"), Ok(201));
    }
    let mut taken = Vec::new();
    while taken.len() < 3 {
        let job = host.claim(1, 5).unwrap().pop().unwrap_or_else(|| panic!("nothing after {taken:?}"));
        host.report(&reports(&job)).unwrap();
        taken.push(job.judgement);
    }
    assert_eq!(taken, ["4-1", "5-1", "6-1"]);
    world.start_host("h2");
    world.check("the second judgehost has judged the rest");
    Ok(())
}

/// A result that the rules refuse is a judging error after three times, and not judged for ever.
pub fn a_result_that_is_refused() -> Result<(), String> {
    let mut world = World::new(ServerData::folder());
    let host = Host::new(world.port, &world.host_token, "h1");
    assert_eq!(host.register().unwrap().0, 200);
    assert_eq!(world.submit(), Ok(201));
    for _ in 0..3 {
        let job =
            std::iter::repeat_with(|| host.claim(1, 5).unwrap().pop()).take(12).flatten().next().unwrap();
        let mut reports = reports(&job);
        // The problem has no such case.
        let ReportKind::Runs { runs } = &mut reports[1].what else { panic!("{reports:?}") };
        runs[0].ordinal = 1000;
        let states = host.report(&reports).unwrap();
        assert_eq!(states, [ReportState::Taken, ReportState::Cancelled, ReportState::Stale]);
    }
    let judgements = world.admin.must_get("/api/contests/c/judgements");
    assert_eq!(judgements[0]["judgement_type_id"], "JE", "{judgements}");
    assert!(host.claim(1, 3).unwrap().is_empty());
    Ok(())
}

/// Another judgehost has judged it meanwhile.
pub fn a_judgehost_returns() -> Result<(), String> {
    let Ended { mut world, first, job, _clock } = with_ended_lease()?;
    world.start_host("h2");
    world.check("the second judgehost has judged it");
    let states = first.report(&reports(&job)).unwrap();
    assert!(states.iter().all(|state| *state != ReportState::Taken), "{states:?}");
    world.check("the first has returned");
    Ok(())
}

/// Both report, the one whose lease has ended first.
pub fn two_judgehosts_with_one_job() -> Result<(), String> {
    let Ended { mut world, first, job, _clock } = with_ended_lease()?;
    let second = Host::new(world.port, &world.host_token, "h2");
    assert_eq!(second.register().unwrap().0, 200);
    let again = second.claim(1, 5).unwrap().pop();
    let again = again.unwrap_or_else(|| panic!("{}", world.admin.must_get("/api/jobs")));
    assert_eq!(again.job, job.job);
    assert!(again.fence > job.fence);
    let states = first.report(&reports(&job)).unwrap();
    assert!(states.iter().all(|state| *state == ReportState::Stale), "{states:?}");
    let heartbeat = first.heartbeat(std::slice::from_ref(&job)).unwrap();
    assert_eq!(heartbeat.1["stale"][0], job.job.as_str());
    let states = second.report(&reports(&again)).unwrap();
    assert!(states.iter().all(|state| *state == ReportState::Taken), "{states:?}");
    // Both say everything again, as after an answer that was lost.
    let states = first.report(&reports(&job)).unwrap();
    assert!(states.iter().all(|state| *state != ReportState::Taken), "{states:?}");
    second.report(&reports(&again)).unwrap();
    world.start_host("h3");
    for _ in 0..8 {
        assert_eq!(world.submit(), Ok(201));
    }
    world.check("both have reported");
    Ok(())
}
