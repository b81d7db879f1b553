//! Whole runs of small traces.

use api::{SimJob, SimLine, SimOptions, SimSummary};
use proptest::prelude::*;
use sched::fleet::policy::{Limits, Policy, Promise};
use serde_json::{Value, json};
use sim::run::{Run, plain_options};
use sim::source::Source;
use sim::trace::Reader;
use std::collections::BTreeMap;
use std::io::Cursor;

const HOUR_MS: u64 = 3_600_000;

fn trace(records: &[Value]) -> String {
    let mut text = json!({"trace": 1, "name": "t", "made_by": "test"}).to_string();
    for record in records.iter().chain([&json!({"end": records.len()})]) {
        text.push('\n');
        text.push_str(&record.to_string());
    }
    text + "\n"
}

fn open(text: &str) -> impl Source + use<> {
    Reader::open(Cursor::new(text.as_bytes().to_vec())).expect("the trace begins well")
}

fn host(name: &str, cpus: u32) -> Value {
    json!({"host": name, "cpu_milli": cpus * 1000, "memory_mib": cpus * 4096})
}

fn job(name: &str, at_ms: u64, cpus: u32, for_ms: u64) -> Value {
    json!({"job": name, "at_ms": at_ms, "cpu_milli": cpus * 1000, "memory_mib": 100, "level": "standard", "for_ms": for_ms})
}

fn with(mut job: Value, fields: Value) -> Value {
    let fields = fields.as_object().expect("fields").clone();
    job.as_object_mut().expect("a record").extend(fields);
    job
}

fn built_in(name: &str) -> Policy {
    Policy::built_in(name).expect("it is built in")
}

/// First fit, with requests up to so many times the CPUs.
fn overcommitted(cpu_permille: u32) -> Policy {
    let pools = BTreeMap::from([("default".to_owned(), Promise { cpu_permille, ..Promise::default() })]);
    Policy { pools, ..built_in("first-fit") }
}

struct Ran {
    summary: SimSummary,
    jobs: BTreeMap<String, SimJob>,
    bytes: Vec<u8>,
}

fn run_with(text: &str, policy: Policy, options: SimOptions) -> Ran {
    let run = Run::start(open(text), policy, options, "t.trace", Vec::new()).expect("it starts");
    let (summary, _, bytes) = run.finish().expect("it ends");
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let jobs = lines.filter_map(|line| match serde_json::from_slice(line).expect("a line") {
        SimLine::Job(job) => Some((job.name.clone(), job)),
        _ => None,
    });
    Ran { jobs: jobs.collect(), summary, bytes }
}

fn run(records: &[Value], policy: Policy) -> Ran {
    run_with(&trace(records), policy, plain_options())
}

#[test]
fn batch_work_takes_longer_on_a_host_that_is_too_small_and_a_service_misses_cpu_time() {
    let shared = |is_elastic: bool| {
        let jobs = ["a", "b"].map(|name| with(job(name, 0, 1, 60_000), json!({"elastic": is_elastic})));
        let [a, b] = jobs;
        run(&[host("h", 1), a, b], overcommitted(2000))
    };
    let batch = shared(true);
    assert_eq!(batch.jobs["a"].end_ms, Some(120_000));
    assert_eq!(batch.jobs["b"].end_ms, Some(120_000));
    assert_eq!(batch.summary.all.utilisation, Some(1.0));
    let services = shared(false);
    assert_eq!(services.jobs["a"].end_ms, Some(60_000));
    assert_eq!((services.jobs["a"].wanted_s, services.jobs["a"].missed_s), (60.0, 30.0));
    assert_eq!(services.summary.levels["standard"].short_share, Some(1.0));
}

#[test]
fn best_effort_gets_what_is_left_and_strict_jobs_all_they_have() {
    let level = |job, level: &str| with(job, json!({"level": level}));
    let ran = run(
        &[
            host("h", 4),
            level(job("strict", 0, 2, 60_000), "strict"),
            job("standard", 0, 1, 60_000),
            with(level(job("rest", 0, 2, 60_000), "best-effort"), json!({"elastic": true})),
        ],
        built_in("first-fit"),
    );
    // The rest gets one CPU of the two that it wants for a minute, and then two.
    assert_eq!(ran.jobs["rest"].end_ms, Some(90_000));
    assert_eq!(ran.jobs["strict"].missed_s, 0.0);
    assert_eq!(ran.jobs["standard"].missed_s, 0.0);
}

#[test]
fn uses_change_as_the_trace_says() {
    let changes = json!({"use": [[0, 500], [HOUR_MS, 1500], [2 * HOUR_MS, 0]]});
    let ran = run(&[host("h", 2), with(job("a", 0, 2, 4 * HOUR_MS), changes)], built_in("first-fit"));
    assert_eq!(ran.jobs["a"].wanted_s, 2.0 * 3600.0);
    assert_eq!(ran.summary.all.utilisation, Some(0.25));
    assert_eq!(ran.summary.all.requested, Some(1.0));
}

#[test]
fn jobs_wait_for_room_and_for_decisions() {
    let ran = run(&[host("h", 1), job("a", 0, 1, 30_000), job("b", 1000, 1, 30_000)], built_in("pack"));
    assert_eq!(ran.jobs["b"].start_ms, Some(30_000));
    assert_eq!(ran.summary.levels["standard"].wait.map(|wait| wait.max_ms / 1000), Some(29));
    let never = run(&[host("h", 1), job("a", 0, 2, 30_000)], built_in("pack"));
    assert_eq!((never.jobs["a"].start_ms, never.summary.levels["standard"].unplaced), (None, 1));
    let slow = SimOptions { decision_us: 2_500_000, ..plain_options() };
    let text = trace(&[host("h", 4), job("a", 0, 1, 30_000), job("b", 0, 1, 30_000)]);
    let ran = run_with(&text, built_in("pack"), slow);
    assert_eq!((ran.jobs["a"].start_ms, ran.jobs["b"].start_ms), (Some(2_500), Some(5_000)));
}

#[test]
fn jobs_of_a_failed_host_begin_anew_or_go_on_elsewhere() {
    let down = json!({"change": "h", "at_ms": 20_000, "to": "down"});
    let batch = with(job("batch", 0, 1, 30_000), json!({"elastic": true}));
    let records = [host("h", 2), host("i", 2), batch, job("service", 0, 1, 30_000), down];
    let ran = run(&records, built_in("first-fit"));
    assert_eq!((ran.jobs["batch"].restarts, ran.jobs["batch"].end_ms), (1, Some(50_000)));
    assert_eq!((ran.jobs["service"].restarts, ran.jobs["service"].end_ms), (1, Some(30_000)));
    let options = SimOptions { failures_per_1000_host_days: 1_000_000, ..plain_options() };
    let text = trace(&[host("h", 2), job("a", 0, 1, HOUR_MS)]);
    let ran = run_with(&text, built_in("first-fit"), options);
    assert!(ran.summary.failures > 0 && ran.jobs["a"].restarts > 0);
}

#[test]
fn a_drained_host_keeps_no_job_that_can_move() {
    let drain = json!({"change": "h", "at_ms": 60_000, "to": "drain"});
    let records = [host("h", 4), host("i", 4), job("a", 0, 1, HOUR_MS), drain, job("b", 61_000, 1, HOUR_MS)];
    let ran = run(&records, built_in("load-aware"));
    assert_eq!(ran.summary.moves.get("drain"), Some(&1));
    assert_eq!((ran.jobs["a"].moves, ran.jobs["b"].host.as_deref()), (1, Some("i")));
}

#[test]
fn lost_observations_make_the_fallback_decide() {
    let options = SimOptions { outages_ms: vec![(HOUR_MS, 3 * HOUR_MS)], ..plain_options() };
    let jobs = (0..20).map(|at| job(&format!("j{at}"), at * 600_000, 1, HOUR_MS));
    let records: Vec<Value> = [host("h", 8)].into_iter().chain(jobs).collect();
    let ran = run_with(&trace(&records), built_in("load-aware"), options);
    let degraded = ran.summary.degraded_ms;
    assert!((HOUR_MS..2 * HOUR_MS).contains(&degraded), "{degraded}");
}

#[test]
fn a_run_ends_when_told_to() {
    let options = SimOptions { until_ms: Some(HOUR_MS), ..plain_options() };
    let text = trace(&[host("h", 1), job("a", 0, 1, 10 * HOUR_MS), job("late", 5 * HOUR_MS, 1, 1000)]);
    let ran = run_with(&text, built_in("first-fit"), options);
    assert_eq!((ran.summary.length_ms, ran.jobs["a"].end_ms), (HOUR_MS, None));
    assert!(!ran.jobs.contains_key("late"));
}

fn records() -> impl Strategy<Value = Vec<Value>> {
    let one = (
        0..6 * HOUR_MS,
        1..4_u32,
        1..3 * HOUR_MS,
        prop::sample::select(vec!["strict", "standard", "best-effort"]),
        any::<bool>(),
        prop::collection::vec((1..HOUR_MS, 0..3000_u32), 0..4),
        0..4_u32,
    );
    (prop::collection::vec(one, 1..40), 1..4_u32).prop_map(|(mut jobs, hosts)| {
        jobs.sort_by_key(|job| job.0);
        let hosts = (0..hosts).map(|at| host(&format!("h{at}"), 4));
        let numbered = jobs.into_iter().enumerate();
        let jobs = numbered.map(|(at, (at_ms, cpus, for_ms, level, elastic, changes, service))| {
            let mut offset = 0;
            let mut uses = vec![json!([0, 700])];
            for (after, milli) in changes {
                offset += after;
                if offset < for_ms {
                    uses.push(json!([offset, milli]));
                }
            }
            let fields =
                json!({"level": level, "elastic": elastic, "use": uses, "service": format!("s{service}")});
            with(job(&format!("j{at}"), at_ms, cpus, for_ms), fields)
        });
        hosts.chain(jobs).collect()
    })
}

fn policies() -> impl Strategy<Value = Policy> {
    prop::sample::select(Policy::BUILT_IN.to_vec()).prop_map(|name| {
        let promise = Promise { cpu_permille: 2000, ..Promise::default() };
        let pools = BTreeMap::from([("default".to_owned(), promise)]);
        Policy { pools, limits: Limits::default(), ..built_in(name) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// What hosts gave is what jobs got; nothing is lost between the two.
    #[test]
    fn cpu_time_is_conserved(records in records(), policy in policies(), failures in 0..4000_u32) {
        let options = SimOptions { failures_per_1000_host_days: failures, ..plain_options() };
        let ran = run_with(&trace(&records), policy, options);
        let got: f64 = ran.jobs.values().map(|job| job.wanted_s - job.missed_s).sum();
        let moves: f64 = ran.jobs.values().map(|job| f64::from(job.moves)).sum();
        let (mut end_ms, mut used) = (0, 0.0);
        for line in ran.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            if let SimLine::Sample(sample) = serde_json::from_slice(line).expect("a line") {
                used += sample.used_cpus * 60.0;
                end_ms = sample.at_ms;
            }
        }
        // Samples end at the last whole minute, and what a move's pause costs a job the host has all the same.
        let rest_s = (ran.summary.length_ms - end_ms) as f64 / 1000.0;
        let most = 12.0 * rest_s + 4.0 * moves + 0.01;
        prop_assert!((used - got).abs() <= most, "used {used}, got {got}, rest {rest_s}");
        let jobs = records.iter().filter(|record| record.get("job").is_some()).count();
        prop_assert_eq!(ran.jobs.len(), jobs);
    }

    /// A run that went on from a checkpoint writes what one without it writes.
    #[test]
    fn a_checkpoint_changes_nothing(
        records in records(), policy in policies(), part in 0..100_u64, stale in 0..2_u64
    ) {
        let options =
            SimOptions { failures_per_1000_host_days: 5000, stale_ms: stale * 420_000, ..plain_options() };
        let text = trace(&records);
        let whole = run_with(&text, policy.clone(), options.clone());
        let again = run_with(&text, policy.clone(), options.clone());
        prop_assert_eq!(&whole.bytes, &again.bytes, "the same run gives the same bytes");
        let mut bytes = Vec::new();
        let mut first = Run::start(open(&text), policy, options, "t.trace", &mut bytes).expect("it starts");
        first.advance(whole.summary.length_ms * part / 100).expect("it runs");
        let checkpoint = first.checkpoint().expect("it is kept");
        let written = first.written() as usize;
        drop(first);
        bytes.truncate(written);
        let rest = Run::resume(&checkpoint, open(&text), Vec::new()).expect("it goes on");
        let (summary, _, rest) = rest.finish().expect("it ends");
        bytes.extend(rest);
        prop_assert_eq!(summary, whole.summary);
        prop_assert!(bytes == whole.bytes, "the file differs");
    }
}

#[test]
fn a_checkpoint_of_another_trace_is_refused() {
    let text = trace(&[host("h", 1), job("a", 0, 1, HOUR_MS), job("b", 2 * HOUR_MS, 1, 1000)]);
    let mut run =
        Run::start(open(&text), built_in("pack"), plain_options(), "", Vec::new()).expect("it starts");
    run.advance(HOUR_MS).expect("it runs");
    let checkpoint = run.checkpoint().expect("it is kept");
    let refused = |text: &str, bytes: &[u8]| {
        let run = Run::resume(bytes, open(text), Vec::new());
        run.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let other = trace(&[host("h", 2), job("a", 0, 1, HOUR_MS), job("b", 2 * HOUR_MS, 1, 1000)]);
    assert!(refused(&other, &checkpoint).contains("another trace"), "{}", refused(&other, &checkpoint));
    assert!(refused(&text, &checkpoint[..20]).contains("no checkpoint"));
    assert_eq!(refused(&text, &checkpoint), "");
}

#[test]
fn decisions_are_explained_by_the_run_itself() {
    let records = [host("small", 1), host("large", 8), job("a", 0, 4, HOUR_MS), job("b", 0, 6, HOUR_MS)];
    let mut run = Run::start(open(&trace(&records)), built_in("pack"), plain_options(), "", Vec::new())
        .expect("it starts");
    run.watch("b");
    let (_, explained, _) = run.finish().expect("it ends");
    let [first, second] = &explained[..] else { panic!("two decisions: {explained:?}") };
    assert_eq!((first.host.as_deref(), first.passed), (None, 0));
    assert_eq!(first.failed.values().sum::<u64>(), 2);
    assert_eq!((second.host.as_deref(), second.at_ms), (Some("large"), HOUR_MS));
    assert_eq!(second.candidates[0].host, "large");
}
