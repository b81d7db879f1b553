//! How many CPUs a service needs, for traces whose answer is known.

use model::Nanos;
use simulator::right_size::{Goal, RightSize, Usage, right_size};

fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// Makes a trace with intervals of this length from the CPU time in each.
fn usage(interval_ms: u64, used_ms: impl IntoIterator<Item = f64>) -> Usage {
    let rows = used_ms.into_iter().zip(0_u64..);
    let rows = rows.map(|(used, at)| format!("{},{used}\n", at * interval_ms));
    let text = format!("at_ms,used_ms\n{}", rows.collect::<String>());
    Usage::read(text.as_bytes()).expect("a trace")
}

fn goal(delay_ms: u64, part_ppm: u32) -> Goal {
    Goal { delay: ms(delay_ms), part_ppm, machine_cpus: 16 }
}

fn sizes(found: &RightSize) -> (Option<u32>, Option<u32>) {
    (found.quota.map(|size| size.tenths), found.cpuset.map(|size| size.tenths))
}

#[test]
fn steady_work_needs_what_it_uses() {
    // Two and a half CPUs all the time.
    let steady = usage(1000, std::iter::repeat_n(2500.0, 240));
    let found = right_size(&steady, None, goal(10, 990_000), 1);
    assert_eq!(sizes(&found), (Some(25), Some(30)));
    let (saved, interval) = found.saved_tenths.unwrap();
    assert_eq!((saved, interval.map(|interval| (interval.low, interval.high))), (-5, Some((-5.0, -5.0))));
    assert_eq!((found.stopped, found.blocks), ((0, 2400), (4, ms(60_000))));
    assert_eq!(found.quota.unwrap().delay, Nanos::ZERO);
}

#[test]
fn a_burst_waits_for_width_in_a_cpuset_and_for_the_next_period_under_a_quota() {
    // In each second 8 CPUs for 20 ms: 160 ms of work.
    let burst = || (0..6000).map(|at| if at % 50 == 0 { 160.0 } else { 0.0 });
    let bursts = usage(20, burst());
    // With c CPUs the last of it is done after 160 / c ms, which is 160 / c - 20 after it came: 10 from 5.33 on.
    // A quota of 1.6 has it all; with 1.5 a sixteenth of it waits until the period ends.
    let found = right_size(&bursts, None, goal(10, 1_000_000), 1);
    assert_eq!(sizes(&found), (Some(16), Some(60)));
    let found = right_size(&bursts, None, goal(10, 930_000), 1);
    assert_eq!(found.quota.map(|size| size.tenths), Some(15), "a sixteenth may be late");
    assert_eq!(found.stopped, (120, 1200), "once a second");
    // What waits came in the last 1.25 ms of 20, so it waits for 80 ms at most.
    assert_eq!(found.quota.unwrap().delay, Nanos::ZERO, "93 of 100 do not wait");
    let found = right_size(&bursts, None, goal(85, 1_000_000), 1);
    let quota = found.quota.unwrap();
    // What comes from the 15th ms on may wait for the next period, and 120 ms came before.
    assert_eq!(quota.tenths, 12);
    assert!(quota.delay > ms(80) && quota.delay <= ms(85), "{quota:?}");
}

#[test]
fn a_backlog_is_worked_off_in_order() {
    // One second of four CPUs, then nothing for nine: a cpuset of two takes two seconds, and half of it is done after
    // 0.5 s at most.
    let burst = usage(1000, (0..600).map(|at| if at % 10 == 0 { 4000.0 } else { 0.0 }));
    let check = |delay_ms, part_ppm, tenths| {
        let found = right_size(&burst, None, goal(delay_ms, part_ppm), 1);
        assert_eq!(found.cpuset.map(|size| size.tenths), Some(tenths), "{delay_ms} ms, {part_ppm}");
    };
    // The delay grows evenly from 0 to 1 s.
    check(1000, 1_000_000, 20);
    check(999, 1_000_000, 30);
    check(500, 500_000, 20);
    check(499, 500_000, 30);
    check(0, 1_000_000, 40);
    let found = right_size(&burst, None, goal(1000, 1_000_000), 1);
    let cpuset = found.cpuset.unwrap();
    let near = |found: Nanos, expected: u64| found.0.abs_diff(ms(expected).0) <= 100_000;
    assert!(near(cpuset.delay_p50, 500) && near(cpuset.delay, 1000), "{cpuset:?}");
}

#[test]
fn impossible_goals_have_no_size() {
    let found = right_size(&usage(1000, [17_000.0; 60]), None, goal(10, 990_000), 1);
    assert_eq!((sizes(&found), found.saved_tenths), ((None, None), None));
}

#[test]
fn a_trace_of_its_own_counts_for_a_cpuset() {
    let (quota, cpuset) = (usage(1000, [4000.0; 180]), usage(1000, [2000.0; 240]));
    let found = right_size(&quota, Some(&cpuset), goal(10, 990_000), 1);
    assert_eq!(sizes(&found), (Some(40), Some(20)));
    let (saved, interval) = found.saved_tenths.unwrap();
    assert_eq!((saved, interval.map(|interval| interval.low)), (20, Some(20.0)));
}

#[test]
fn the_interval_shows_that_minutes_differ_and_the_seed_decides_it() {
    // One minute in six needs six CPUs, and the others one.
    let uneven = usage(1000, (0..3600).map(|at| if at / 60 % 6 == 0 { 6000.0 } else { 1000.0 }));
    let found = right_size(&uneven, None, goal(10, 300_000), 1);
    let (saved, interval) = found.saved_tenths.unwrap();
    assert!(interval.unwrap().contains(saved as f64), "{found:?}");
    assert_eq!(found, right_size(&uneven, None, goal(10, 300_000), 1));
}

#[test]
fn errors_of_a_trace_name_the_line() {
    let check = |text: &str, expected: &str| {
        assert_eq!(Usage::read(text.as_bytes()).unwrap_err().to_string(), expected);
    };
    check("at,used\n", "line 1: is 'at,used', expected the header 'at_ms,used_ms'");
    check(
        "at_ms,used_ms\n0,1\n1000\n",
        "line 3: is '1000', expected two numbers of milliseconds, such as 1000,250.5",
    );
    check(
        "at_ms,used_ms\n0,1\n1000,1\n1000,2\n",
        "line 4: at_ms is not after the line before, expected 1.0 ms to 60.000 s; sort the lines, and fill gaps with intervals of 0",
    );
    check(
        "at_ms,used_ms\n0,1\n100000,1\n",
        "line 3: at_ms is 100.000 s after the line before, expected 1.0 ms to 60.000 s; sort the lines, and fill gaps with intervals of 0",
    );
    check("at_ms,used_ms\n0,1\n", "line 2: is the end, expected two intervals at least");
    check("", "line 1: is the end, expected two intervals at least");
    check("at_ms,used_ms\n0,0\n1,0\n", "line 2: used_ms is 0 in all lines, expected CPU time");
}

#[test]
fn blank_lines_do_not_shift_the_lines_of_messages() {
    let check = |text: &str, expected: &str| {
        assert_eq!(Usage::read(text.as_bytes()).unwrap_err().to_string(), expected);
    };
    check(
        "at_ms,used_ms\n\n0,1\n\n\n1,200000\n",
        "line 6: used_ms is more than 100000 CPUs have in the interval, expected milliseconds",
    );
    check("at_ms,used_ms\n\n0,1\n\n", "line 4: is the end, expected two intervals at least");
    check("at_ms,used_ms\n\n0,0\n1,0\n", "line 3: used_ms is 0 in all lines, expected CPU time");
    let rows: String = (0..=30_240).map(|row| format!("\n{},1\n", row * 60_000)).collect();
    check(
        &format!("at_ms,used_ms\n{rows}"),
        "line 60483: ends 1814460.000 s after the beginning, expected at most 1814400.000 s",
    );
}

#[test]
fn a_trace_at_its_limits_has_sums_that_fit_and_one_above_is_refused() {
    // 100,000 CPUs in each minute: the sum of 309 is within what 1024 CPUs have in 21 days, that of 310 is not.
    let text = |rows: u64| {
        let row = |row| format!("{},6000000000\n", row * 60_000);
        format!("at_ms,used_ms\n{}", (0..rows).map(row).collect::<String>())
    };
    let most = Usage::read(text(309).as_bytes()).unwrap();
    assert_eq!(most.work(), 309 * 6_000_000_000_000_000);
    let goal = |delay_ms, machine_cpus| Goal { machine_cpus, ..goal(delay_ms, 10_000) };
    for machine_cpus in [1, 1024] {
        let found = right_size(&most, None, goal(3_600_000, machine_cpus), 1);
        assert_eq!((sizes(&found), found.saved_tenths), ((None, None), None), "{machine_cpus}");
    }
    // One CPU has 69 days to do with one such minute. The first hundredth comes in 0.6 s: with c CPUs it is done after
    // 60,000 s / c, which is within the goal from 16.7 on.
    let minute = usage(60_000, (0..120).map(|row| if row == 0 { 6e9 } else { 0.0 }));
    assert_eq!(right_size(&minute, None, goal(3_600_000, 1024), 1).cpuset.map(|size| size.tenths), Some(170));
    let error = Usage::read(text(310).as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error,
        "line 311: used_ms of all lines so far is more than 1024 CPUs have in 21 days together, expected milliseconds; \
         give a shorter trace"
    );
    // The latest instants that are read are a millisecond apart, too.
    let late = "at_ms,used_ms\n8999999999998,1\n8999999999999,1\n9000000000000,1\n";
    assert_eq!(Usage::read(late.as_bytes()).unwrap().length(), ms(3));
}
