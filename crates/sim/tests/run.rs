//! Whole runs of small traces.

use api::{SimJob, SimLine, SimOptions, SimSummary};
use proptest::prelude::*;
use sched::fleet::policy::{Limits, Policy, Promise};
use serde_json::{Value, json};
use sim::run::{Checkpoint, Run, plain_options};
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
        let hosts = (0..hosts).map(|at| with(host(&format!("h{at}"), 4), json!({"numa_nodes": 2})));
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
        let mut first = Run::start(open(&text), policy.clone(), options.clone(), "t.trace", &mut bytes)
            .expect("it starts");
        first.advance(whole.summary.length_ms * part / 100).expect("it runs");
        let checkpoint = first.checkpoint().expect("it is kept");
        drop(first);
        let checkpoint = Checkpoint::read(&checkpoint).expect("it is whole");
        let written = checkpoint.written();
        prop_assert!(written.is_in(bytes.as_slice()).expect("it is read"));
        bytes.truncate(written.bytes as usize);
        let rest = Run::resume(checkpoint, open(&text), &policy, &options, Vec::new()).expect("it goes on");
        let (summary, _, rest) = rest.finish().expect("it ends");
        bytes.extend(rest);
        prop_assert_eq!(summary, whole.summary);
        prop_assert!(bytes == whole.bytes, "the file differs");
    }
}

#[test]
fn a_checkpoint_of_another_run_is_refused_and_a_damaged_one_too() {
    let text = trace(&[host("h", 1), job("a", 0, 1, HOUR_MS), job("b", 2 * HOUR_MS, 1, 1000)]);
    let mut bytes = Vec::new();
    let mut run =
        Run::start(open(&text), built_in("pack"), plain_options(), "", &mut bytes).expect("it starts");
    run.advance(HOUR_MS).expect("it runs");
    let checkpoint = run.checkpoint().expect("it is kept");
    drop(run);
    let refused = |text: &str, policy: &str, options: SimOptions, bytes: &[u8]| {
        let run = Checkpoint::read(bytes).and_then(|checkpoint| {
            Run::resume(checkpoint, open(text), &built_in(policy), &options, Vec::new())
        });
        run.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let refused_here = |bytes: &[u8]| refused(&text, "pack", plain_options(), bytes);
    assert_eq!(refused_here(&checkpoint), "");
    let other = trace(&[host("h", 2), job("a", 0, 1, HOUR_MS), job("b", 2 * HOUR_MS, 1, 1000)]);
    assert!(refused(&other, "pack", plain_options(), &checkpoint).contains("another trace"));
    assert!(refused(&text, "spread", plain_options(), &checkpoint).contains("another policy"));
    let seed = SimOptions { seed: 2, ..plain_options() };
    assert!(refused(&text, "pack", seed, &checkpoint).contains("another seed"));
    assert!(refused_here(&checkpoint[..20]).contains("damaged"));
    for at in 0..checkpoint.len() {
        let mut flipped = checkpoint.clone();
        flipped[at] ^= 1;
        assert!(refused_here(&flipped).contains("damaged"), "byte {at}");
    }
    let written = Checkpoint::read(&checkpoint).expect("it is whole").written();
    bytes[10] ^= 1;
    assert!(!written.is_in(bytes.as_slice()).expect("it is read"), "another file");
    assert!(!written.is_in(&b"short"[..]).expect("it is read"));
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

#[test]
fn decisions_take_their_time_however_many_jobs_come() {
    let at_least = |decision_us, jobs: u64, every_ms| {
        let jobs = (0..jobs).map(|at| job(&format!("j{at}"), at * every_ms, 1, 1000));
        let records: Vec<Value> = [host("h", 64)].into_iter().chain(jobs).collect();
        let options = SimOptions { decision_us, ..plain_options() };
        run_with(&trace(&records), built_in("pack"), options)
    };
    let slow = at_least(61_000_000, 2, 30_000);
    assert_eq!((slow.jobs["j0"].start_ms, slow.jobs["j1"].start_ms), (Some(61_000), Some(122_000)));
    // They come twice as fast as they are decided about.
    let busy = at_least(200_000, 50, 100);
    assert_eq!(busy.jobs["j49"].start_ms, Some(50 * 200));
    let fine = at_least(100, 30, 0);
    assert_eq!(fine.jobs["j29"].start_ms, Some(3), "thirty decisions of 0.1 ms");
}

#[test]
fn what_is_refused_starves_nobody_behind_it() {
    // Strict jobs are tried first, and none of these finds a host; they all differ.
    let never = (0..200).map(|at| with(job(&format!("n{at}"), 0, 90 + at, 1000), json!({"level": "strict"})));
    let last = [job("first", 0, 2, 60_000), job("last", 1, 2, 60_000)];
    let records: Vec<Value> = [host("h", 2)].into_iter().chain(never).chain(last).collect();
    let ran = run(&records, built_in("pack"));
    assert_eq!(ran.jobs["last"].start_ms, Some(60_000));
    // One decision for each job, and one for each when room was made.
    assert!(ran.summary.decisions <= 2 * 202 + 202, "{}", ran.summary.decisions);
}

#[test]
fn a_run_goes_on_until_its_end_though_nothing_happens() {
    let endless = json!({"job": "a", "at_ms": 0, "cpu_milli": 1000, "memory_mib": 1, "level": "standard"});
    let text = trace(&[host("h", 2), endless]);
    let options = SimOptions { until_ms: Some(2 * HOUR_MS + 1), ..plain_options() };
    let ran = run_with(&text, built_in("first-fit"), options);
    assert_eq!(ran.summary.length_ms, 2 * HOUR_MS + 1);
    assert_eq!(ran.summary.all.utilisation, Some(0.5));
    assert_eq!(samples(&ran).len(), 120);
}

fn samples(ran: &Ran) -> Vec<api::SimSample> {
    let lines = ran.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let sample = |line| match serde_json::from_slice(line).expect("a line") {
        SimLine::Sample(sample) => Some(sample),
        _ => None,
    };
    lines.filter_map(sample).collect()
}

#[test]
fn lines_of_figures_become_rarer_and_lose_nothing() {
    let text = trace(&[host("h", 2), job("a", 0, 1, 30 * HOUR_MS)]);
    let options = SimOptions { sample_ms: 1000, ..plain_options() };
    let ran = run_with(&text, built_in("first-fit"), options);
    let samples = samples(&ran);
    let rest = (30 * 3600 - 20_000) / 2;
    // The job ends at the same time as the last line is due, before it.
    assert!((20_000 + 20_000..=20_000 + rest).contains(&samples.len()), "{}", samples.len());
    let mut before_ms = 0;
    for sample in &samples {
        assert!(sample.used_cpus == 1.0, "{sample:?}");
        assert!(sample.at_ms > before_ms);
        before_ms = sample.at_ms;
    }
    let odd = SimOptions { sample_ms: 7 * 60_000, ..plain_options() };
    let ran = run_with(&text, built_in("first-fit"), odd);
    assert_eq!(ran.summary.usable, Some(0.0), "one CPU is free in each hour");
}

#[test]
fn a_repair_brings_back_no_host_that_was_taken_down_or_drained_meanwhile() {
    let options = |failures| SimOptions { failures_per_1000_host_days: failures, ..plain_options() };
    for to in ["down", "drain"] {
        let change = json!({"change": "h", "at_ms": HOUR_MS, "to": to});
        let late = job("late", 10 * HOUR_MS, 1, 1000);
        let text = trace(&[host("h", 2), job("a", 0, 1, 60_000), change, late]);
        let ran = run_with(&text, built_in("first-fit"), options(1_000_000));
        assert!(ran.summary.failures > 0, "it fails again and again");
        assert_eq!(ran.jobs["late"].start_ms, None, "{to}");
    }
}

#[test]
fn options_out_of_range_are_refused() {
    let text = trace(&[host("h", 2)]);
    let refused = |options: SimOptions| {
        let run = Run::start(open(&text), built_in("pack"), options, "", Vec::new());
        run.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(refused(plain_options()), "");
    for options in [
        SimOptions { repair_ms: u64::MAX, ..plain_options() },
        SimOptions { stale_ms: u64::MAX, ..plain_options() },
        SimOptions { decision_us: u64::MAX, ..plain_options() },
        SimOptions { sample_ms: 0, ..plain_options() },
        SimOptions { retry_ms: 0, ..plain_options() },
    ] {
        assert!(refused(options.clone()).contains("expected at"), "{options:?}");
    }
}

#[test]
fn a_move_costs_a_job_its_pause_and_no_more() {
    // The host is drained at once, and a move of 20 GiB takes two seconds.
    let drain = json!({"change": "h", "at_ms": 1000, "to": "drain"});
    let large = |job| with(job, json!({"memory_mib": 20 * 1024}));
    let hosts = [
        with(host("h", 4), json!({"memory_mib": 60_000})),
        with(host("i", 4), json!({"memory_mib": 60_000})),
    ];
    let end_ms = 300_000 + 1000;
    let of = |name: &str, fields| with(large(job(name, 0, 1, end_ms)), fields);
    let batch = of("batch", json!({"elastic": true}));
    let idle = of("idle", json!({"use": [[0, 0]]}));
    let [h, i] = hosts;
    let ran = run(&[h, i, batch, idle, drain], built_in("load-aware"));
    let moved = |name: &str| (ran.jobs[name].moves, ran.jobs[name].missed_s, ran.jobs[name].end_ms);
    let (moves, missed_s, ended_ms) = moved("batch");
    assert_eq!(moves, ran.jobs["batch"].moves);
    assert_eq!(ended_ms, Some(end_ms + 2000 * u64::from(moves)), "batch work takes longer");
    assert_eq!(missed_s, 2.0 * f64::from(moves));
    assert_eq!(moved("idle").1, 0.0, "nothing was missed where nothing was wanted");
    // All that ran on the drained host moved in the round at five minutes, one second before the end.
    let all: f64 = ran.jobs.values().map(|job| f64::from(job.moves)).sum();
    assert!(all > 0.0 && ran.summary.pauses_s <= 2.0 * all, "{:?}", ran.summary);
}

#[test]
fn strict_jobs_change_their_cores_to_make_room() {
    let strict =
        |name: &str, at_ms, cpus, for_ms| with(job(name, at_ms, cpus, for_ms), json!({"level": "strict"}));
    let records = [
        with(host("h", 8), json!({"numa_nodes": 2})),
        strict("a", 0, 2, 600_000),
        strict("b", 0, 2, 10 * HOUR_MS),
        strict("c", 0, 2, 600_000),
        strict("d", 0, 2, 10 * HOUR_MS),
        strict("e", 2 * HOUR_MS, 3, HOUR_MS),
    ];
    let ran = run(&records, built_in("load-aware"));
    assert_eq!(ran.jobs["e"].start_ms, Some(2 * HOUR_MS));
    assert_eq!(ran.summary.moves.get("cores"), Some(&1));
    assert_eq!(ran.jobs["b"].moves + ran.jobs["d"].moves, 1);
    let without = run(&records, built_in("pack"));
    assert_eq!(without.jobs["e"].start_ms, Some(10 * HOUR_MS), "a policy without moves waits");
}

#[test]
fn what_was_refused_to_another_takes_no_decision() {
    let never = (0..100).map(|at| job(&format!("n{at}"), 0, 99, 1000));
    let records: Vec<Value> = [host("h", 2)].into_iter().chain(never).chain([job("a", 0, 1, 1000)]).collect();
    let options = SimOptions { decision_us: 1_000_000, ..plain_options() };
    let ran = run_with(&trace(&records), built_in("pack"), options);
    assert_eq!(ran.jobs["a"].start_ms, Some(2000), "one decision for all that are too large, and its own");
}

#[test]
fn a_job_waits_no_longer_than_until_its_host_comes_back() {
    let change = |at_ms, to| json!({"change": "h", "at_ms": at_ms, "to": to});
    for gone in ["down", "drain"] {
        let records = [host("h", 2), change(1000, gone), job("a", 2000, 1, 1000), change(HOUR_MS, "up")];
        assert_eq!(run(&records, built_in("pack")).jobs["a"].start_ms, Some(HOUR_MS), "{gone}");
    }
}

/// Places by prediction, moves nothing, and takes requests for ten times the CPUs.
fn predicting() -> Policy {
    let mut policy = Policy { rescheduling: None, ..built_in("load-aware") };
    policy.pools = overcommitted(10_000).pools;
    if let Some(fallback) = &mut policy.fallback {
        fallback.pools.clone_from(&policy.pools);
    }
    policy
}

/// Returns a host, and more jobs than are predicted to fit; what each uses of its eight CPUs.
fn crowd(use_milli: u32) -> String {
    let one = |at| with(job(&format!("j{at}"), 0, 8, 3 * HOUR_MS), json!({"use": [[0, use_milli]]}));
    let jobs = (0..9).map(one);
    trace(&[host("h", 8)].into_iter().chain(jobs).collect::<Vec<_>>())
}

fn starts(ran: &Ran) -> Vec<u64> {
    let mut starts: Vec<u64> = ran.jobs.values().filter_map(|job| job.start_ms).collect();
    starts.sort_unstable();
    starts
}

#[test]
fn what_a_window_shows_makes_room() {
    let ran = run_with(&crowd(100), predicting(), plain_options());
    let starts = starts(&ran);
    assert_eq!((starts[0], starts.len()), (0, 9));
    let late = starts.iter().filter(|start_ms| **start_ms > 0).copied().collect::<Vec<_>>();
    let window_ms = predicting().prediction.map_or(0, |prediction| prediction.window_ms);
    assert!(!late.is_empty() && late.iter().all(|at| (window_ms..HOUR_MS).contains(at)), "{late:?}");
    assert_eq!(ran.summary.degraded_ms, 0);
}

#[test]
fn the_fallback_takes_jobs_that_wait_and_old_news_keep_it() {
    let busy = crowd(8000);
    let stale_ms = predicting().prediction.map_or(0, |prediction| prediction.stale_after_ms);
    for options in [
        SimOptions { outages_ms: vec![(0, 3 * HOUR_MS)], ..plain_options() },
        SimOptions { stale_ms: stale_ms + 600_000, ..plain_options() },
    ] {
        let ran = run_with(&busy, predicting(), options);
        let last_ms = starts(&ran)[8];
        assert!((stale_ms..stale_ms + 600_000).contains(&last_ms), "{last_ms}");
        assert!(ran.summary.degraded_ms > HOUR_MS, "{}", ran.summary.degraded_ms);
    }
    let ran = run_with(&busy, predicting(), plain_options());
    assert_eq!(ran.summary.degraded_ms, 0);
    assert!(starts(&ran)[8] >= 2 * HOUR_MS, "{:?}", starts(&ran));
}

#[test]
fn hosts_are_hot_above_four_fifths_and_full_from_85_percent() {
    let using = |use_milli: u32, request_milli: u32| {
        let fields = json!({"use": [[0, use_milli]], "cpu_milli": request_milli});
        run(&[host("h", 10), with(job("a", 0, 1, 2 * HOUR_MS), fields)], built_in("pack")).summary
    };
    assert_eq!((using(8000, 5000).all.hot, using(8001, 5000).all.hot), (Some(0.0), Some(1.0)));
    assert_eq!(using(0, 6000).usable, Some(1.0), "four CPUs are free");
    assert_eq!((using(0, 8499).usable_when_full, using(0, 8500).usable_when_full), (None, Some(0.0)));
    // A request for four takes four of 4.9.
    let usable = using(0, 5100).usable.unwrap_or(0.0);
    assert!((usable - 4.0 / 4.9).abs() < 1e-12, "{usable}");
}
