use super::*;
use crate::RuleNumbers;
use model::{Evidence, Guard, Reading, Slowdown, Usage};
use proptest::prelude::*;

const DONE: RunEnd = RunEnd::Exited(0);
const KILLED: RunEnd = RunEnd::Limit(LimitKind::CpuTime);
const CLOCK: RunEnd = RunEnd::Limit(LimitKind::WallTime);
const CRASH: RunEnd = RunEnd::Signaled(11);

fn run(end: RunEnd, cpu_ms: u64, steal_ms: u64) -> RunResult {
    RunResult {
        end,
        usage: Usage { cpu_time: Nanos::from_millis(cpu_ms), ..Usage::default() },
        evidence: Evidence { steal: Reading::Known(Nanos::from_millis(steal_ms)), ..Evidence::default() },
    }
}

fn rule() -> TimeRule {
    TimeRule::new(Nanos::from_millis(1000))
}

fn reported(ruling: &Ruling) -> String {
    match ruling {
        Ruling::CheckOutput { run } => format!("check {run}"),
        Ruling::Verdict { verdict, run, .. } => format!("{verdict} {run}"),
        Ruling::RunAgain { .. } => "again".to_owned(),
        Ruling::Undecided { run, .. } => format!("undecided {run}"),
    }
}

fn check(runs: &[(RunEnd, u64, u64)], expected: &str) {
    let results: Vec<RunResult> = runs.iter().map(|(end, cpu, steal)| run(*end, *cpu, *steal)).collect();
    assert_eq!(reported(&rule().rule(&results, 9)), expected, "{runs:?}");
}

#[test]
fn in_a_hurry_one_run_decides() {
    let quick = TimeRule { quick: true, ..rule() };
    let ruled = |run| match quick.rule(&[run], quick.repeats_allowed(10)) {
        Ruling::Verdict { verdict, run: 0, reason } => {
            assert!(reason.ends_with("; one run decides, as was asked for"), "{reason}");
            Some(verdict)
        }
        Ruling::CheckOutput { run: 0 } => None,
        other => panic!("{other:?}"),
    };
    let run = |end, cpu_ms| RunResult {
        usage: Usage { cpu_time: Nanos::from_millis(cpu_ms), ..Usage::default() },
        ..RunResult::never_executed(end, "1".parse().unwrap(), "made up")
    };
    assert_eq!(ruled(run(RunEnd::Exited(0), 1)), None);
    let over = quick.limit.0 / 1_000_000 + 1;
    assert_eq!(ruled(run(RunEnd::Exited(0), over)), Some(Verdict::TimeLimitExceeded));
    assert_eq!(ruled(run(RunEnd::Limit(LimitKind::CpuTime), 2 * over)), Some(Verdict::TimeLimitExceeded));
    assert_eq!(ruled(run(RunEnd::Limit(LimitKind::WallTime), 1)), Some(Verdict::WallTimeLimitExceeded));
}

#[test]
fn run_within_the_limit_is_final() {
    check(&[(DONE, 999, 0)], "check 0");
    check(&[(DONE, 1000, 500)], "check 0");
    check(&[(CRASH, 10, 90)], "RTE 0");
    check(&[(RunEnd::Exited(3), 10, 0)], "RTE 0");
    check(&[(RunEnd::Limit(LimitKind::Memory), 1500, 90)], "MLE 0");
    check(&[(RunEnd::Limit(LimitKind::Output), 10, 90)], "OLE 0");
    check(&[(DONE, 1200, 0), (DONE, 1000, 0)], "check 1");
    check(&[(KILLED, 2000, 30), (CRASH, 300, 0)], "RTE 1");
    check(&[(CLOCK, 10, 30), (DONE, 300, 0)], "check 1");
}

#[test]
fn between_limit_and_kill_the_two_lowest_must_agree() {
    check(&[(DONE, 1001, 0)], "again");
    check(&[(DONE, 1001, 0), (DONE, 1001, 0)], "again");
    check(&[(DONE, 1001, 0), (DONE, 1001, 0), (DONE, 1900, 0)], "again");
    check(&[(DONE, 1100, 0); 5], "again");
    check(&[(DONE, 1100, 0); 6], "TLE 0");
    // Near the limit the fourth must be nearer to the lowest than that is to the limit.
    check(&[1020, 1021, 1030, 1039, 1100, 1200].map(|ms| (DONE, ms, 0)), "TLE 0");
    check(&[1020, 1021, 1030, 1040, 1100, 1200].map(|ms| (DONE, ms, 0)), "again");
    check(&[(DONE, 1101, 0); 3], "TLE 0");
    check(&[(DONE, 1300, 0), (DONE, 1210, 0), (DONE, 1200, 0)], "TLE 2");
    check(&[(DONE, 1300, 0), (DONE, 1250, 0), (DONE, 1200, 0)], "TLE 2");
    check(&[(DONE, 1300, 0), (DONE, 1251, 0), (DONE, 1200, 0)], "again");
    check(&[(DONE, 1300, 0), (DONE, 1220, 0), (DONE, 1200, 0), (DONE, 999, 0)], "check 3");
    check(&[(RunEnd::Exited(3), 1500, 0)], "again");
    check(&[(CLOCK, 1500, 0)], "TLE 0");
    check(&[(CLOCK, 1500, 30)], "again");
    check(&[(KILLED, 2000, 30), (DONE, 1500, 0)], "again");
    check(&[(KILLED, 2000, 30), (DONE, 1500, 0), (DONE, 1501, 0)], "TLE 1");
}

#[test]
fn a_time_that_the_state_of_the_core_explains_is_no_verdict() {
    let check = |runs: &[(RunEnd, u64, u32)], expected: &str| {
        let results: Vec<RunResult> = runs
            .iter()
            .map(|(end, cpu, slowdown)| {
                let mut run = run(*end, *cpu, 0);
                run.evidence.core_slowdown = Reading::Known(Slowdown(*slowdown));
                run
            })
            .collect();
        assert_eq!(reported(&rule().rule(&results, 20)), expected, "{runs:?}");
    };
    check(&[(DONE, 1300, 400), (DONE, 1301, 400), (DONE, 1302, 400)], "again");
    check(&[(DONE, 1300, 20), (DONE, 1301, 20), (DONE, 1302, 400)], "TLE 0");
    // Probing before and after a run does not show the core during it, so slow ones need more witnesses.
    check(&[(DONE, 1300, 290), (DONE, 1301, 400), (DONE, 1302, 400)], "again");
    check(&[(DONE, 1300, 290); 6], "TLE 0");
    check(&[(DONE, 1300, 400), (DONE, 1301, 400), (DONE, 1302, 400), (DONE, 980, 20)], "check 3");
    check(&[(DONE, 1500, 400), (DONE, 1240, 20), (DONE, 1241, 20)], "TLE 1");
    // One that was lower in spite of its core contradicts two others, or does not.
    check(&[(DONE, 1241, 20), (DONE, 1240, 400), (DONE, 1242, 20)], "TLE 0");
    check(&[(DONE, 1241, 20), (DONE, 1240, 400), (DONE, 1300, 400)], "again");
    check(&[(DONE, 1241, 20), (DONE, 1170, 400), (DONE, 1300, 400)], "again");
    // A core at its best explains nothing, whatever the last thousandth says.
    check(&[(DONE, 1130, 90), (DONE, 1131, 90), (DONE, 1132, 90)], "TLE 0");
    check(&[(DONE, 1300, 400); 10], "again");
    check(&[(DONE, 1300, 400); 20], "again");
    check(&[(DONE, 1300, 400); 40], "undecided 0");
    // Twice the limit is more than a shared core costs, unless it was shared by several.
    check(&[(KILLED, 2000, 400)], "TLE 0");
    check(&[(KILLED, 2000, 1100)], "again");
    check(&[(KILLED, 2000, 1100), (KILLED, 2000, 1100)], "TLE 1");
}

#[test]
fn only_calm_runs_decide_a_time() {
    let check = |runs: &[(u64, u32)], expected: &str| {
        let results: Vec<RunResult> = runs
            .iter()
            .map(|(cpu, slowdown)| {
                let mut run = run(DONE, *cpu, 0);
                run.evidence.core_slowdown = Reading::Known(Slowdown(*slowdown));
                run
            })
            .collect();
        let rule = TimeRule::without_limit(Nanos::from_millis(60_000));
        assert_eq!(reported(&rule.rule(&results, 20)), expected, "{runs:?}");
    };
    check(&[(1300, 20); 4], "again");
    check(&[(1300, 20); 5], "TLE 0");
    check(&[(1300, 400); 5], "again");
    check(&[(1300, 400); 20], "undecided 0");
    check(&[(1500, 400), (1500, 400), (1500, 400), (1201, 20), (1200, 20)], "TLE 4");
    check(&[(1500, 400), (1500, 400), (1190, 400), (1201, 20), (1200, 20)], "again");
}

#[test]
fn a_killed_run_gets_another_only_if_a_disturbance_was_seen() {
    check(&[(KILLED, 2000, 0)], "TLE 0");
    check(&[(KILLED, 2000, 30)], "again");
    check(&[(KILLED, 2000, 30), (KILLED, 2000, 30)], "TLE 1");
    check(&[(KILLED, 2000, 30), (KILLED, 2000, 0)], "TLE 1");
    check(&[(CLOCK, 10, 30), (KILLED, 2000, 0)], "TLE 1");
    check(&[(CLOCK, 10, 30), (DONE, 1500, 0)], "again");
    check(&[(CLOCK, 10, 0)], "WTL 0");
    check(&[(CLOCK, 10, 30)], "again");
    check(&[(CLOCK, 10, 30), (CLOCK, 10, 30)], "WTL 1");
    check(&[(DONE, 1500, 0), (CLOCK, 10, 0)], "WTL 1");
}

#[test]
fn no_agreement_is_no_verdict() {
    // Each of the two lowest is nearer to the limit by more than a quarter of what it is over it.
    let mut spread = vec![(DONE, 1900, 0); 38];
    spread.extend([(DONE, 1700, 0), (DONE, 1500, 0)]);
    let version_5 = TimeRule::of(RuleNumbers::VERSION_5, rule().limit);
    let results: Vec<RunResult> = spread.iter().map(|(end, cpu, steal)| run(*end, *cpu, *steal)).collect();
    assert_eq!(reported(&version_5.rule(&results[10..], 9)), "again");
    assert_eq!(reported(&version_5.rule(&results, 9)), "undecided 39");
}

#[test]
fn two_runs_with_more_than_disturbance_adds_decide() {
    check(&[(DONE, 1150, 0), (DONE, 1800, 0)], "again");
    check(&[(DONE, 1150, 0), (DONE, 1800, 0), (DONE, 1700, 0)], "TLE 2");
    check(&[(DONE, 1150, 0), (KILLED, 2000, 0), (KILLED, 2000, 0)], "TLE 1");
    check(&[(DONE, 1601, 0), (DONE, 1601, 0)], "TLE 0");
    check(&[(DONE, 1601, 0), (DONE, 1600, 0)], "again");
    check(&[(DONE, 1801, 0), (DONE, 1802, 0), (DONE, 1000, 0)], "check 2");
    // What the hypervisor took may be in the run's time.
    check(&[(DONE, 1700, 700), (DONE, 1700, 700)], "again");
    check(&[(DONE, 1701, 700), (DONE, 1701, 700)], "TLE 0");
    let with = |change: fn(&mut Evidence)| {
        let mut run = run(DONE, 1800, 0);
        change(&mut run.evidence);
        reported(&rule().rule(&[run.clone(), run], 9))
    };
    assert_eq!(with(|seen| seen.core_slowdown = Reading::Known(Slowdown(799))), "TLE 0");
    assert_eq!(with(|seen| seen.core_slowdown = Reading::Known(Slowdown(800))), "again");
    assert_eq!(with(|seen| seen.heat_throttles = Reading::Known(1)), "again");
    assert_eq!(with(|seen| seen.isolation.lost = Some("taken away".to_owned())), "again");
    // A submission can cause what it is not charged for.
    assert_eq!(with(|seen| seen.others_cpu_time = Reading::Known(Nanos::from_millis(900))), "TLE 0");
}

#[test]
fn a_kill_is_a_kill() {
    let of = |numbers: RuleNumbers, runs: &[RunResult]| {
        reported(&TimeRule::of(numbers, Nanos::from_millis(1000)).rule(runs, 9))
    };
    let (old, new) = (RuleNumbers::VERSION_5, RuleNumbers::VERSION_6);
    let kinds = [run(KILLED, 2000, 30), run(CLOCK, 10, 30)];
    assert_eq!([of(old, &kinds), of(new, &kinds)], ["again", "WTL 1"]);
    let kinds = [run(CLOCK, 10, 30), run(KILLED, 2000, 30)];
    assert_eq!([of(old, &kinds), of(new, &kinds)], ["again", "TLE 1"]);
    // So it is after more than the limit of CPU time.
    let kinds = [run(CLOCK, 1200, 30), run(CLOCK, 10, 30)];
    assert_eq!([of(old, &kinds), of(new, &kinds)], ["again", "WTL 1"]);
    let kinds = [run(DONE, 1100, 0), run(CLOCK, 1200, 30), run(CLOCK, 1300, 30)];
    assert_eq!([of(old, &kinds), of(new, &kinds)], ["again", "TLE 2"]);
    assert_eq!([of(old, &kinds[2..]), of(new, &kinds[2..])], ["again"; 2]);
    let calm = [run(CLOCK, 1200, 0)];
    assert_eq!([of(old, &calm), of(new, &calm)], ["again", "TLE 0"]);
    // What others used and what a quota took is not in the CPU time at which it was killed.
    for seen in [
        Evidence { others_cpu_time: Reading::Known(Nanos::from_millis(900)), ..Evidence::default() },
        Evidence { throttled: Reading::Known(Nanos::from_millis(900)), ..Evidence::default() },
    ] {
        let killed = |end, cpu_ms| [RunResult { evidence: seen.clone(), ..run(end, cpu_ms, 0) }];
        assert_eq!([of(old, &killed(KILLED, 2000)), of(new, &killed(KILLED, 2000))], ["again", "TLE 0"]);
        assert_eq!([of(old, &killed(CLOCK, 10)), of(new, &killed(CLOCK, 10))], ["again"; 2]);
    }
}

#[test]
fn an_acceptance_after_a_time_that_nothing_explains_is_luck() {
    let accepted = RunResult {
        usage: Usage {
            cpu_time: Nanos::from_millis(500),
            wall_time: Nanos::from_millis(700),
            ..Usage::default()
        },
        ..run(DONE, 0, 0)
    };
    let slow = |end, cpu_ms, slowdown: u32, steal_ms| {
        let mut run = run(end, cpu_ms, steal_ms);
        run.usage.wall_time = Nanos::from_millis(3000);
        run.evidence.core_slowdown = Reading::Known(Slowdown(slowdown));
        run
    };
    for (over, expected) in [
        (slow(DONE, 1001, 0, 0), true),
        (slow(DONE, 1001, 1100, 0), false),
        (slow(DONE, 1001, 0, 501), false),
        (slow(DONE, 1001, 0, 400), true),
        (slow(KILLED, 2000, 0, 0), true),
        (slow(KILLED, 2000, 2000, 0), true),
        (slow(KILLED, 2000, 3000, 0), false),
        (slow(CLOCK, 10, 0, 0), true),
        (slow(CLOCK, 10, 0, 2299), true),
        (slow(CLOCK, 10, 0, 2300), false),
        (slow(CLOCK, 1001, 1100, 2299), true),
    ] {
        assert_eq!(rule().is_luck_after(&accepted, &over), expected, "{over:?}");
        let old = TimeRule::of(RuleNumbers::VERSION_5, rule().limit);
        assert!(!old.is_luck_after(&accepted, &over), "version 5 leaves nothing to the jury");
    }
    // Disturbance that nothing shows may have done that.
    let near = RunResult {
        usage: Usage { cpu_time: Nanos::from_millis(900), ..accepted.usage.clone() },
        ..accepted
    };
    assert!(!rule().is_luck_after(&near, &slow(DONE, 1440, 0, 0)));
    assert!(rule().is_luck_after(&near, &slow(DONE, 1441, 0, 0)));
}

#[test]
fn ten_runs_that_nothing_explains_are_enough() {
    let spread = |count: u64, slow: usize| {
        let runs = (0..count).map(|at| run(DONE, 1050 + at * at * 6, 0));
        let explained = vec![
            RunResult {
                evidence: Evidence { core_slowdown: Reading::Known(Slowdown(500)), ..Evidence::default() },
                ..run(DONE, 1499, 0)
            };
            slow
        ];
        explained.into_iter().chain(runs).collect::<Vec<_>>()
    };
    let reported = |runs: Vec<RunResult>| reported(&rule().rule(&runs, 9));
    assert_eq!(reported(spread(9, 0)), "again");
    assert_eq!(reported(spread(10, 0)), "TLE 0");
    // Where contention is seen, the other runs are likely to have had it, too.
    assert_eq!(reported(spread(10, 1)), "again");
    assert_eq!(reported(spread(10, 30)), "undecided 30");
    let five = TimeRule::of(RuleNumbers::VERSION_5, rule().limit);
    assert!(matches!(five.rule(&spread(10, 0), 9), Ruling::RunAgain { .. }));
}

#[test]
fn without_repeats_left_nothing_is_guessed() {
    let runs = [run(DONE, 1500, 0)];
    assert_eq!(reported(&rule().rule(&runs, 1)), "again");
    assert_eq!(reported(&rule().rule(&runs, 0)), "undecided 0");
    assert_eq!(reported(&rule().rule(&[run(DONE, 900, 0)], 0)), "check 0");
    assert_eq!(reported(&rule().rule(&[run(KILLED, 2000, 0)], 0)), "TLE 0");
}

#[test]
fn reasons_are_in_words() {
    let reason = |runs: &[RunResult]| match rule().rule(runs, 9) {
        Ruling::Verdict { reason, .. } | Ruling::RunAgain { reason } | Ruling::Undecided { reason, .. } => {
            reason
        }
        Ruling::CheckOutput { run } => rule().describe(&runs[run]),
    };
    let over = |cpu| run(DONE, cpu, 0);
    let mut held = over(800);
    let guard = Guard { looks: 400, slow_looks: 3, slowdown: Slowdown(12), held: Nanos::from_millis(70) };
    held.evidence.guard = Reading::Known(guard);
    for (runs, expected) in [
        (vec![over(900)], "900.0 ms of CPU time, within the limit 1.000 s; no disturbance seen"),
        (
            vec![held],
            "800.0 ms of CPU time, within the limit 1.000 s; no disturbance seen; 3 of 400 looks at its core saw it \
             shared, it was held for 70.0 ms",
        ),
        (vec![over(1200)], "1.200 s is over the limit 1.000 s and under 2.000 s"),
        (vec![over(1200), over(1400)], "the two lowest times differ: 1.200 s and 1.400 s"),
        (vec![over(1200), over(1201)], "1.200 s and 1.201 s agree, 3 runs have to confirm it"),
        (
            vec![over(1300), over(1201), over(1200)],
            "1.200 s is over the limit 1.000 s: the two lowest of 3 runs agree (1.200 s and 1.201 s)",
        ),
        (
            [1020, 1021, 1030, 1040, 1100, 1200].map(over).to_vec(),
            "1.020 s and 1.021 s agree, but too few runs on an undisturbed core confirm that it is over the limit 1.000 s",
        ),
        (vec![run(KILLED, 2000, 0)], "killed after 2.000 s of CPU time, limit 1.000 s; no disturbance seen"),
        (vec![run(KILLED, 2000, 30)], "killed at 2.000 s, but the hypervisor took 30.0 ms"),
    ] {
        assert_eq!(reason(&runs), expected);
    }
}

fn any_run() -> impl Strategy<Value = RunResult> {
    let end = prop_oneof![Just(DONE), Just(CRASH), Just(RunEnd::Exited(1)), Just(CLOCK)];
    (end, 1_u64..2_000, prop_oneof![Just(0_u64), Just(50)]).prop_map(|(end, cpu, steal)| run(end, cpu, steal))
}

proptest! {
    /// Adds runs one by one, as a judge does, until the ruling is final.
    #[test]
    fn a_ruling_comes_after_forty_runs_at_most_and_never_against_a_run_in_time(
        runs in proptest::collection::vec(any_run(), 40)
    ) {
        let mut final_after = None;
        for count in 1..=runs.len() {
            let ruling = rule().rule(&runs[..count], u32::MAX);
            if !matches!(ruling, Ruling::RunAgain { .. }) {
                final_after = Some((count, ruling));
                break;
            }
        }
        let (count, ruling) = final_after.expect("forty runs are the most");
        let seen = &runs[..count];
        if let Ruling::Verdict { verdict: Verdict::TimeLimitExceeded, run, .. } = ruling {
            let timed = seen.iter().filter(|run| run.end != CLOCK || run.usage.cpu_time > rule().limit);
            let lowest = timed.map(|run| run.usage.cpu_time).min();
            prop_assert!(lowest > Some(rule().limit));
            let time = seen[run].usage.cpu_time;
            let wanted = if time <= Nanos::from_millis(1100) { 6 } else { 3 };
            let beyond = seen.iter().filter(|run| rule().is_beyond(run)).count();
            let is_killed = matches!(seen[run].end, RunEnd::Limit(_));
            prop_assert!(is_killed || count >= wanted || beyond >= 2);
        }
    }

    /// Time that a disturbance adds to a run never helps the submission.
    #[test]
    fn adding_time_never_turns_too_slow_into_accepted(
        cpu in 1_001_u64..1_900, added in 0_u64..90, count in 6_usize..10
    ) {
        let runs: Vec<RunResult> = (0..count).map(|_| run(DONE, cpu + added, 0)).collect();
        let ruling = rule().rule(&runs, u32::MAX);
        let too_slow = matches!(ruling, Ruling::Verdict { verdict: Verdict::TimeLimitExceeded, .. });
        prop_assert!(too_slow);
    }
}
