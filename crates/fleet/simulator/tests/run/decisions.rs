//! When jobs are decided about, and by what.

use super::*;

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
fn lost_observations_make_the_fallback_decide() {
    let options = SimOptions { outages_ms: vec![(HOUR_MS, 3 * HOUR_MS)], ..plain_options() };
    let jobs = (0..20).map(|at| job(&format!("j{at}"), at * 600_000, 1, HOUR_MS));
    let records: Vec<Value> = [host("h", 8)].into_iter().chain(jobs).collect();
    let ran = run_with(&trace(&records), built_in("load-aware"), options);
    let degraded = ran.summary.degraded_ms;
    assert!((HOUR_MS..2 * HOUR_MS).contains(&degraded), "{degraded}");
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
fn refused_job_does_not_starve_later_ones() {
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
fn refusal_holds_for_equal_jobs_without_a_decision() {
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
fn low_observed_loads_make_room() {
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
fn a_job_is_waited_for_while_the_policy_may_still_take_it() {
    let first = json!({"job": "A", "at_ms": 0, "cpu_milli": 4000, "memory_mib": 64, "level": "standard",
        "use": [[0, 3600], [900_000, 10]]});
    let second = json!({"job": "B", "at_ms": 400_000, "cpu_milli": 4000, "memory_mib": 64, "level": "best-effort",
        "use": [[0, 1000]], "for_ms": HOUR_MS});
    let ran = run(&[host("h", 4), first, second], built_in("load-aware"));
    let start_ms = ran.jobs["B"].start_ms;
    assert!(start_ms > Some(900_000), "{start_ms:?}");
    assert_eq!(ran.jobs["B"].end_ms, start_ms.map(|start_ms| start_ms + HOUR_MS));
    let never = run(&[host("h", 4), job("C", 0, 5, HOUR_MS)], built_in("load-aware"));
    assert!(never.summary.length_ms < 2 * HOUR_MS, "{}", never.summary.length_ms);
}

/// Four strict jobs of a quarter of a host with two NUMA nodes, of which one in each node stays.
fn scattered(at: u32, noise_max_permille: Option<u32>) -> Vec<Value> {
    let place = json!({"numa_nodes": 2, "labels": [format!("l{at}")], "noise_permille": 2});
    let strict = |name: &str, for_ms| {
        let fields =
            json!({"level": "strict", "needs": [format!("l{at}")], "noise_max_permille": noise_max_permille});
        with(job(&format!("{name}{at}"), 0, 4, for_ms), fields)
    };
    let jobs = [("a", 600_000), ("b", 20 * HOUR_MS), ("c", 600_000), ("d", 20 * HOUR_MS)];
    let host = with(host(&format!("h{at}"), 16), place);
    [host].into_iter().chain(jobs.map(|(name, for_ms)| strict(name, for_ms))).collect()
}

fn large(at_ms: u64) -> Value {
    with(job("large", at_ms, 8, HOUR_MS), json!({"level": "strict"}))
}

#[test]
fn end_of_a_rest_needs_no_other_event() {
    let records: Vec<Value> = scattered(0, None).into_iter().chain([large(1_200_000)]).collect();
    let options = SimOptions { outages_ms: vec![(0, 20 * HOUR_MS)], ..plain_options() };
    let mut policy = built_in("load-aware");
    policy.prediction.as_mut().expect("it predicts").stale_after_ms = 7 * 24 * HOUR_MS;
    let ran = run_with(&trace(&records), policy, options);
    let start_ms = ran.jobs["large"].start_ms.unwrap_or(0);
    assert!((HOUR_MS..HOUR_MS + 300_001).contains(&start_ms), "{start_ms}");
}

#[test]
fn hosts_whose_jobs_keep_their_cores_are_passed_over() {
    // All hosts come first, and all of their jobs but the last host's are timed.
    let (hosts, jobs): (Vec<Value>, Vec<Value>) = (0..40)
        .flat_map(|at| scattered(at, (at < 39).then_some(50)))
        .partition(|record| record.get("host").is_some());
    let records: Vec<Value> = hosts.into_iter().chain(jobs).chain([large(2 * HOUR_MS)]).collect();
    let ran = run(&records, built_in("load-aware"));
    assert_eq!(ran.jobs["large"].start_ms, Some(2 * HOUR_MS));
}

#[test]
fn services_differ_to_refusals_only_where_they_matter() {
    let waiting = |at: u64| with(job(&format!("w{at}"), 0, 2, 1000), json!({"service": format!("s{at}")}));
    let busy = job("busy", 0, 2, 10 * HOUR_MS);
    let short = |at: u64| {
        let fields = json!({"level": "best-effort"});
        with(job(&format!("e{at}"), at * 60_000, 1, 1000), fields)
    };
    let records: Vec<Value> =
        [host("h", 2), busy].into_iter().chain((0..50).map(waiting)).chain((1..100).map(short)).collect();
    let decisions = run(&records, built_in("pack")).summary.decisions;
    assert!(decisions < 500, "{decisions} decisions for 150 jobs of three kinds");
}

#[test]
fn a_refusal_holds_for_jobs_of_which_as_much_is_expected() {
    let of = |name: &str, service: &str, at_ms, use_milli| {
        let fields = json!({"service": service, "use": [[0, use_milli]]});
        with(job(name, at_ms, 8, 2 * HOUR_MS), fields)
    };
    // Each service shows what it uses; later the heavy ones fit on no host, not even an empty one.
    let (first, then) = (
        [of("h0", "heavy", 0, 8000), of("m0", "middle", 0, 7000), of("l0", "light", 0, 100)],
        [("h1", "heavy"), ("m1", "middle"), ("m2", "middle"), ("l1", "light")],
    );
    let then = then.map(|(name, service)| of(name, service, 3 * HOUR_MS, 100));
    let records: Vec<Value> = [host("h", 8)].into_iter().chain(first).chain(then).collect();
    let options = SimOptions { until_ms: Some(3 * HOUR_MS), ..plain_options() };
    let ran = run_with(&trace(&records), predicting(), options.clone());
    assert_eq!(ran.jobs["l1"].start_ms, Some(3 * HOUR_MS), "little is expected of it");
    assert_eq!(["h1", "m1", "m2"].map(|name| ran.jobs[name].start_ms), [None; 3]);
    let others: Vec<Value> = records.into_iter().filter(|record| record["job"] != json!("m2")).collect();
    let without = run_with(&trace(&others), predicting(), options);
    assert_eq!(
        ran.summary.decisions, without.summary.decisions,
        "the second of the middle ones is like the first"
    );
}

#[test]
fn equal_jobs_are_served_in_order_of_arrival() {
    let rest = with(job("rest", 0, 1, 60_000), json!({"level": "best-effort"}));
    let records =
        [host("h", 2), job("busy", 0, 2, 120_000), rest, job("a", 1000, 2, 1000), job("b", 2000, 2, 1000)];
    // They ask in vain when best effort ends.
    let ran = run(&records, built_in("pack"));
    assert_eq!(ran.jobs["a"].start_ms, Some(120_000));
    assert!(ran.jobs["b"].start_ms > ran.jobs["a"].start_ms);
}

#[test]
fn waiting_jobs_come_before_later_ones() {
    let options = SimOptions { decision_us: 5_000_000, ..plain_options() };
    let jobs = [job("busy", 0, 1, 15_000), job("waits", 1000, 1, HOUR_MS), job("late", 22_000, 1, HOUR_MS)];
    let records: Vec<Value> = [host("h", 1)].into_iter().chain(jobs).collect();
    let ran = run_with(&trace(&records), built_in("pack"), options);
    // The first is placed at 5 s and ends at 20 s.
    assert_eq!(ran.jobs["waits"].start_ms, Some(25_000));
}

#[test]
fn a_strict_job_is_waited_for_until_others_have_rested() {
    let mut policy = built_in("load-aware");
    policy.rescheduling.as_mut().expect("it moves").rest_ms = 9 * HOUR_MS;
    let mut records = scattered(0, None);
    for record in &mut records[1..] {
        if record["for_ms"] == json!(20 * HOUR_MS) {
            record.as_object_mut().expect("a record").remove("for_ms");
        }
    }
    records.push(large(1_200_000));
    let ran = run(&records, policy);
    assert_eq!(ran.jobs["large"].start_ms.map(|start_ms| start_ms / HOUR_MS), Some(9));
}
