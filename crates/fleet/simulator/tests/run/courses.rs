//! What happens to hosts and jobs in the course of a run, and the figures of it.

use super::*;

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
fn run_ends_at_the_time_of_the_options() {
    let options = SimOptions { until_ms: Some(HOUR_MS), ..plain_options() };
    let text = trace(&[host("h", 1), job("a", 0, 1, 10 * HOUR_MS), job("late", 5 * HOUR_MS, 1, 1000)]);
    let ran = run_with(&text, built_in("first-fit"), options);
    assert_eq!((ran.summary.length_ms, ran.jobs["a"].end_ms), (HOUR_MS, None));
    assert!(!ran.jobs.contains_key("late"));
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

fn samples(ran: &Ran) -> Vec<documents::SimSample> {
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

#[test]
fn a_run_ends_with_its_last_job_whatever_was_expected_before() {
    // The work is slowed a thousand times at first, so that its end is expected in forty days.
    let service = with(job("service", 0, 1, HOUR_MS), json!({"use": [[0, 999]]}));
    let batch = with(job("batch", 0, 1, HOUR_MS), json!({"level": "best-effort", "elastic": true}));
    let ran = run(&[host("h", 1), service, batch], built_in("spread"));
    assert_eq!(ran.jobs["batch"].end_ms, Some(ran.summary.length_ms));
    assert!(ran.summary.length_ms <= 2 * HOUR_MS, "{}", ran.summary.length_ms);
    let used = ran.summary.all.utilisation;
    assert!(used > Some(0.999), "{used:?}");
    let down = json!({"change": "h", "at_ms": HOUR_MS, "to": "down"});
    let ran = run(&[host("h", 1), host("i", 1), job("a", 0, 1, 2 * HOUR_MS), down], built_in("spread"));
    assert_eq!(ran.summary.length_ms, 2 * HOUR_MS);
}

#[test]
fn failures_do_not_keep_a_run_going() {
    let hosts = (0..200).map(|at| host(&format!("h{at}"), 1));
    let records: Vec<Value> = hosts.chain([job("a", 0, 1, HOUR_MS)]).collect();
    let options = SimOptions { failures_per_1000_host_days: 1000, ..plain_options() };
    let ran = run_with(&trace(&records), built_in("spread"), options.clone());
    assert!(ran.summary.length_ms <= 2 * HOUR_MS, "{}", ran.summary.length_ms);
    // One that fits nowhere is not waited for.
    let records: Vec<Value> = records.into_iter().chain([job("b", 1, 2, HOUR_MS)]).collect();
    let ran = run_with(&trace(&records), built_in("spread"), options);
    assert!(ran.summary.length_ms <= 2 * HOUR_MS, "{}", ran.summary.length_ms);
    assert_eq!(ran.summary.levels["standard"].unplaced, 1);
}

#[test]
fn a_job_without_its_host_misses_what_it_wants() {
    let change = |at_ms, to| json!({"change": "h", "at_ms": at_ms, "to": to});
    let service = job("service", 0, 2, 10 * HOUR_MS);
    let batch = with(job("batch", 0, 2, 10 * HOUR_MS), json!({"elastic": true}));
    let records = [host("h", 4), service.clone(), batch.clone(), change(HOUR_MS, "down")];
    let options = SimOptions { until_ms: Some(5 * HOUR_MS), ..plain_options() };
    let ran = run_with(&trace(&records), built_in("spread"), options);
    let fared = &ran.summary.levels["standard"];
    assert_eq!((fared.waiting, fared.running, fared.unplaced), (2, 0, 0));
    let of = |ran: &Ran, name: &str| {
        let job = &ran.jobs[name];
        (job.end_ms.map(|end_ms| end_ms / HOUR_MS), job.missed_s / 3600.0, job.short_ms / HOUR_MS)
    };
    assert_eq!(of(&ran, "service"), (None, 2.0 * 4.0, 4));
    assert_eq!(of(&ran, "batch"), (None, 0.0, 0), "it begins anew");
    let back =
        [host("h", 4), service.clone(), batch.clone(), change(HOUR_MS, "down"), change(3 * HOUR_MS, "up")];
    let ran = run(&back, built_in("spread"));
    assert_eq!(of(&ran, "service"), (Some(10), 2.0 * 2.0, 2), "its time goes on");
    assert_eq!(of(&ran, "batch"), (Some(13), 0.0, 0));
    assert_eq!(ran.summary.levels["standard"].wait.map(|wait| wait.max_ms), Some(2 * HOUR_MS));
    let late = [host("h", 4), service, batch, change(HOUR_MS, "down"), change(20 * HOUR_MS, "up")];
    let ran = run(&late, built_in("spread"));
    assert_eq!(of(&ran, "service"), (Some(10), 2.0 * 9.0, 9), "it was over before its host came back");
    assert_eq!(of(&ran, "batch").0, Some(30));
}
