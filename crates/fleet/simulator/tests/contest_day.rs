//! Days that are simulated with the state machines of production.

use documents::{SimPolicy, SimPool, SimPrice};
use model::{Nanos, Verdict};
use simulator::contest_day::{
    Day, Noise, Policy, PoolName, Quantiles, Truth, machines_needed, price, read, simulate, summary, surest,
};

/// A small contest; `with` replaces lines by their first word.
fn text(with: &[(&str, &str)]) -> String {
    let lines = [
        ("teams:", "teams: 20"),
        ("duration_minutes:", "duration_minutes: 60"),
        ("problems:", "problems: [{count: 3, tests: 8, time_limit_ms: 1000}]"),
        ("arrivals:", "arrivals: {submissions: 200, weights: [3, 1, 2]}"),
        ("programs:", "programs: {}"),
        ("pools:", "pools:"),
        ("strict:", "  strict: {machines: 2, places: 2, noise: {slowdown_permille: 0}}"),
        ("fast:", "  fast: {machines: 2, places: 2, bound_permille: 1100, noise: {azure: B8ms long}}"),
    ];
    let line = |(word, usual): &(&str, &str)| {
        let other = with.iter().find(|(replaced, _)| replaced == word);
        format!("{}\n", other.map_or(*usual, |(_, text)| *text))
    };
    lines.iter().map(line).collect()
}

fn day(with: &[(&str, &str)]) -> Day {
    read("day.yaml", &text(with)).unwrap_or_else(|findings| panic!("{findings:?}"))
}

fn summed_up(day: &Day, submissions: &[Truth], policy: Policy) -> SimPolicy {
    summary(day, submissions, policy, &simulate(day, submissions, policy, 1))
}

fn strict(summary: &SimPolicy) -> Option<&SimPool> {
    summary.pools.iter().find(|pool| pool.pool == "strict")
}

const NEAR: (&str, &str) = (
    "programs:",
    "programs: {shares: {near_limit: 1}, slowest_test_percent: {near_limit: {0: 90, 100: 112}}}",
);

#[test]
fn every_submission_gets_its_true_verdict_where_there_is_no_noise() {
    let day = day(&[]);
    let submissions = day.submissions(1);
    for policy in [Policy::StrictOnly, Policy::FastThenStrict] {
        let course = simulate(&day, &submissions, policy, 1);
        let summary = summary(&day, &submissions, policy, &course);
        assert_eq!((course.ended.len(), summary.wrong, summary.undecided), (200, 0, 0), "{policy:?}");
        for verdict in
            [Verdict::Accepted, Verdict::WrongAnswer, Verdict::TimeLimitExceeded, Verdict::CompileError]
        {
            assert!(course.ended.iter().any(|ended| ended.verdict == verdict), "{policy:?}: {verdict}");
        }
    }
}

#[test]
fn the_seed_decides_everything() {
    let day = day(&[NEAR]);
    let course = |seed| simulate(&day, &day.submissions(seed), Policy::FastThenStrict, seed);
    assert_eq!(course(1), course(1));
    assert_ne!(course(1), course(2));
}

#[test]
fn times_near_the_limit_go_on_to_the_strict_pool() {
    let day = day(&[NEAR]);
    let submissions = day.submissions(1);
    let of = |policy| summed_up(&day, &submissions, policy);
    let both = of(Policy::FastThenStrict);
    assert_eq!((both.went_on, both.wrong), (200, 0), "a time from 90 per cent on may be over the limit");
    assert_eq!(strict(&both).map(|pool| pool.judgements), Some(200));
    let fast = of(Policy::FastOnly);
    assert!(fast.wrong > 0 && fast.wrong_ones.iter().all(|wrong| wrong.truth.0 == Verdict::Accepted));
    assert!(strict(&fast).is_none());
    let easy = (
        "programs:",
        "programs: {shares: {accepted: 1, wrong: 1}, slowest_test_percent: {usual: {0: 1, 100: 98}}}",
    );
    let day = Day { programs: self::day(&[easy]).programs, ..day };
    let submissions = day.submissions(1);
    let course = simulate(&day, &submissions, Policy::FastThenStrict, 1);
    let gone = course.ended.iter().filter(|ended| ended.went_on).count();
    assert!((1..40).contains(&gone), "few of them need more than nine tenths of the limit: {gone}");
}

#[test]
fn verdicts_within_the_rules_agreement_are_too_close_not_wrong() {
    let of = |slowdown: &str, percent: &str| {
        let strict =
            format!("  strict: {{machines: 2, places: 2, noise: {{slowdown_permille: {slowdown}}}}}");
        let programs = format!(
            "programs: {{shares: {{near_limit: 1}}, slowest_test_percent: {{near_limit: {percent}}}, \
             other_tests_percent: 50}}"
        );
        let day = day(&[("strict:", &strict), ("programs:", &programs)]);
        let submissions = day.submissions(1);
        summed_up(&day, &submissions, Policy::StrictOnly)
    };
    // Little noise, but always some: the lowest of many runs is over a limit that the program just keeps.
    let near = of("{0: 0, 90: 2, 99: 20, 100: 400}", "99.998");
    assert!(near.too_close > 20 && near.wrong == 0, "{} too close, {} wrong", near.too_close, near.wrong);
    for one in &near.too_close_ones {
        assert_eq!((one.verdict.0, one.truth.0), (Verdict::TimeLimitExceeded, Verdict::Accepted), "{one:?}");
    }
    // Two per cent of slowdown all the time, which nothing shows: the rule takes times within one per cent as the same.
    let counts = |percent| {
        let summary = of("20", percent);
        (summary.too_close, summary.wrong)
    };
    assert_eq!(counts("99.1"), (200, 0), "the limit is 0.9 per cent above it");
    assert_eq!(counts("98.9"), (0, 200), "the limit is 1.1 per cent above it");
    assert_eq!(counts("98"), (0, 0), "slowed down, it keeps the limit");
}

#[test]
fn disturbances_that_are_seen_cost_repeats_and_no_verdict() {
    let noisy = "  strict: {machines: 2, places: 2, noise: {slowdown_permille: {0: 0, 50: 0, 60: 300, 100: 900}, \
                 lasts_ms: 700, seen_percent: 100}}";
    let programs =
        "programs: {shares: {near_limit: 1}, slowest_test_percent: {near_limit: {0: 70, 100: 99}}}";
    let day = day(&[("strict:", noisy), ("programs:", programs)]);
    let submissions = day.submissions(1);
    let summary = summed_up(&day, &submissions, Policy::StrictOnly);
    let strict = strict(&summary).unwrap();
    assert!(strict.repeated > 20 && strict.runs > strict.tests, "{strict:?}");
    assert_eq!(summary.wrong, 0, "{:?}", summary.wrong_ones);
}

#[test]
fn a_rejudging_goes_to_the_strict_pool_and_after_the_contest() {
    let arrivals = "arrivals: {submissions: 200, rejudgings: [{problem: 2, at_minutes: 60}]}";
    let day = day(&[("arrivals:", arrivals)]);
    let submissions = day.submissions(1);
    let course = simulate(&day, &submissions, Policy::FastThenStrict, 1);
    let of = submissions.iter().filter(|truth| truth.problem == 1).count();
    let again: Vec<_> = course.ended.iter().filter(|ended| ended.is_rejudging).collect();
    assert_eq!((again.len(), again.iter().any(|ended| ended.went_on)), (of, false));
    let queue = &course.pools[&PoolName::Strict].queue;
    let most = queue.iter().max_by_key(|queue| queue.unfinished).unwrap();
    assert!(most.unfinished as usize >= of && most.waiting as usize >= of - 16, "{most:?}");
}

#[test]
fn more_machines_help_until_only_the_judging_itself_takes_time() {
    let day =
        day(&[("arrivals:", "arrivals: {submissions: 900}"), ("duration_minutes:", "duration_minutes: 10")]);
    let submissions = day.submissions(1);
    let needed = |goal| machines_needed(&day, &submissions, Policy::StrictOnly, goal, 1);
    let enough = needed(Nanos::from_millis(3_600_000));
    assert_eq!(enough.for_goal, Some(1));
    let never = needed(Nanos::from_millis(1));
    assert_eq!(never.for_goal, None);
    assert!(never.near_floor > 1 && never.near_floor_p99_ns >= never.floor_p99_ns, "{never:?}");
    let just_reached = needed(Nanos(never.near_floor_p99_ns));
    let expected = (Some(never.near_floor), Some(never.near_floor_p99_ns));
    assert_eq!((just_reached.for_goal, just_reached.p99_ns), expected, "one machine fewer misses it");
}

#[test]
fn a_sure_verdict_costs_what_its_place_costs_for_that_long() {
    let mut day = day(&[("programs:", "programs: {shares: {accepted: 1}, compile_ms: 1}")]);
    day.strict.price_micros = Some(3_600_000_000);
    let twice = Noise { slowdown: Quantiles::always(1_000_000), lasts: None, seen: 0 };
    let mut slow = day.strict.clone();
    (slow.name, slow.noise, slow.places) = ("slow".to_owned(), twice, 1);
    let submissions = day.submissions(1);
    let sample: Vec<_> = submissions.iter().enumerate().collect();
    let priced = price(&day, &[&slow, &day.strict], &sample, 1);
    let [cheap, dear] = &priced[..] else { panic!("{priced:?}") };
    assert_eq!((cheap.pool.as_str(), cheap.wrong, cheap.judgements), ("strict", 0, 200));
    // A place of two for one second: half of the machine's price per second, which is one.
    let seconds = |one: &SimPrice| one.used_ns as f64 / 1e9;
    assert!((cheap.sure_cost_micros.unwrap() as f64 / 1e6 - seconds(cheap) / 2.0).abs() < 1e-3);
    assert!(dear.wrong > 0 && dear.sure_cost_micros > dear.cost_micros, "{dear:?}");
    assert_eq!(surest(&priced), Some(cheap));
    let cheaper = SimPrice { sure_cost_micros: Some(1), ..dear.clone() };
    assert_eq!(surest(&[cheaper, cheap.clone()]), Some(cheap), "what is often wrong is never cheap");
}

#[test]
fn errors_of_a_file_name_the_line() {
    let check = |with: &[(&str, &str)], expected: &[&str]| {
        let findings = read("day.yaml", &text(with)).expect_err("it is wrong");
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert_eq!(lines, expected);
    };
    check(
        &[("teams:", "teams: none")],
        &[
            "day.yaml:1: teams: is 'none', expected a whole number from 1 to 100000; write digits, without a unit",
        ],
    );
    let many = ("problems:", "problems: [{count: 3, tests: 2000, time_limit_ms: 600000}]");
    check(
        &[many, ("arrivals:", "arrivals: {submissions: 3000}")],
        &[
            "day.yaml: has 6000000 tests of all submissions, expected at most 5000000; use fewer submissions or tests",
        ],
    );
    check(
        &[many, ("strict:", "  strict: {noise: {slowdown_permille: {0: 0, 100: 9}, lasts_ms: 1}}")],
        &[
            "day.yaml: has 240000000000 disturbances in all runs, expected at most 1000000000; raise lasts_ms, or use \
           fewer submissions or tests",
        ],
    );
    check(
        &[("programs:", "program: {}")],
        &["day.yaml:5: program: is not a known key; did you mean 'programs'?"],
    );
    check(
        &[("fast:", "  fast: {noise: {azure: D8s}, machine: 2}")],
        &[
            "day.yaml:8: pools.fast.machine: is not a known key; did you mean 'machines'?",
            "day.yaml:8: pools.fast.noise.azure: is 'D8s', expected one of B8ms long, B8ms short, D8s_v5 long, D8s_v5 short",
        ],
    );
    check(
        &[("strict:", "  strict: {noise: {slowdown_permille: {0: 5, 100: 1}}}")],
        &[
            "day.yaml:7: pools.strict.noise.slowdown_permille: expected per cents and values that ascend, from 0 to 100 per cent",
        ],
    );
    check(
        &[("duration_minutes:", "duration_minute: 60"), ("pools:", ""), ("strict:", ""), ("fast:", "")],
        &[
            "day.yaml:1: duration_minutes: is missing; is it meant by 'duration_minute' in line 2?",
            "day.yaml:1: pools: is missing",
            "day.yaml:2: duration_minute: is not a known key; did you mean 'duration_minutes'?",
        ],
    );
    check(
        &[("arrivals:", "arrivals: {submissions: 5, weights: [0, 0]}")],
        &["day.yaml:4: arrivals.weights: has only zeros, expected a number above 0 for at least one part"],
    );
}
