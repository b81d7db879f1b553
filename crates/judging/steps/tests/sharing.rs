//! Many judgings on one place, with a simulated clock: no judging waits for another one's rest.

#![expect(clippy::disallowed_macros, reason = "prints a figure for people who read the output")]

mod driver;

use driver::{CLOCK, DONE, Groups, KILLED, checked, ms, plan, run};
use judging_steps::{Action, Driver, Event, Item, Judging, Kind, Observation, Order, Outcome, Plan, Step};
use model::{Nanos, RunEnd, RunResult, Verdict};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

/// A submission: the runs of each case, in order; other runs take 10 ms.
#[derive(Clone, Debug)]
struct Submission {
    owner: u8,
    runs: Vec<Vec<RunResult>>,
}

/// What happened on a place.
#[derive(Debug, Default)]
struct Day {
    /// When the last judging was done.
    makespan: Nanos,
    /// For how long the place was used.
    used: Nanos,
    outcomes: BTreeMap<u64, Outcome<usize>>,
    /// Runs in the order of their beginnings: judging, item, attempt.
    runs: Vec<(u64, usize, u32)>,
    /// The judgings in the order of their compilations.
    compiled: Vec<u64>,
    /// How often the place switched from one judging to another.
    switches: usize,
}

const COMPILE_TIME: Nanos = Nanos::from_millis(300);
const CHECK_TIME: Nanos = Nanos::from_millis(5);
const LOOK_TIME: Nanos = Nanos::from_millis(5);

fn plan_of(submission: &Submission) -> Plan {
    plan(Kind::Simple, &vec![Item::Case; submission.runs.len()], true)
}

/// Judges all of them on one place with one helper.
fn judge(submissions: &[Submission]) -> Day {
    let mut driver = Driver::default();
    let mut left: BTreeMap<(u64, usize), VecDeque<RunResult>> = BTreeMap::new();
    for (number, submission) in submissions.iter().enumerate() {
        let number = number as u64;
        let judging = Judging::new(plan_of(submission), Groups::default());
        driver.open(number, Order { priority: 0, owner: submission.owner.to_string() }, judging);
        for (item, runs) in submission.runs.iter().enumerate() {
            left.insert((number, item), runs.iter().cloned().collect());
        }
    }
    let mut day = Day::default();
    let mut now = Nanos::ZERO;
    // The steps of the place's one helper, and until when it is busy.
    let mut beside: VecDeque<(Nanos, u64, Event<bool>)> = VecDeque::new();
    let mut helper_free = Nanos::ZERO;
    for _ in 0..1_000_000 {
        while let Some((_, judging, event)) = beside.pop_front_if(|(due, ..)| *due <= now) {
            driver.on(now, judging, event);
        }
        let time = match driver.next(now) {
            Action::Done { judging, outcome } => {
                day.makespan = now;
                day.outcomes.insert(judging, outcome);
                if driver.is_empty() {
                    return day;
                }
                continue;
            }
            Action::Untimed { judging, step } => {
                let (time, event) = match step {
                    Step::Compile => {
                        day.compiled.push(judging);
                        (COMPILE_TIME, Event::Prepared)
                    }
                    Step::Check { .. } => (CHECK_TIME, Event::Checked(checked(Verdict::Accepted))),
                    step => panic!("{step:?}"),
                };
                helper_free = helper_free.max(now) + time;
                beside.push_back((helper_free, judging, event));
                continue;
            }
            Action::Probe { judging } => {
                now = now + LOOK_TIME;
                driver.use_by(judging, LOOK_TIME);
                driver.probed(now, judging, true);
                LOOK_TIME
            }
            Action::Timed { judging, step, is_switch } => {
                day.switches += usize::from(is_switch);
                let (time, event) = match step {
                    Step::WarmUp { .. } => (ms(10), Event::WarmedUp),
                    Step::Run { item, attempt, .. } => {
                        day.runs.push((judging, item, attempt));
                        let ran = left.get_mut(&(judging, item)).and_then(VecDeque::pop_front);
                        let ran = ran.unwrap_or_else(|| run(DONE, 10, 0));
                        (ran.usage.cpu_time, Event::Ran(Box::new(ran)))
                    }
                    step => panic!("{step:?}"),
                };
                now = now + time;
                driver.use_by(judging, time);
                let seen = driver.on(now, judging, event);
                assert!(!seen.iter().any(|seen| matches!(seen, Observation::ThrownAway { .. })));
                time
            }
            Action::Wait(until) => {
                let next = beside.front().map(|(due, ..)| *due);
                now = until.into_iter().chain(next).min().expect("there is something to wait for").max(now);
                continue;
            }
        };
        day.used = day.used + time;
    }
    panic!("it does not end");
}

fn runs(cpu_ms: &[u64]) -> Vec<RunResult> {
    cpu_ms.iter().map(|ms| run(if *ms >= 2000 { KILLED } else { DONE }, *ms, 0)).collect()
}

/// Twenty submissions, as in a package; four are between the limit and the kill, two of these with varying times.
fn twenty() -> Vec<Submission> {
    let steady: Vec<u64> = (0..20).map(|at| 1350 + at).collect();
    let spread: Vec<u64> = (0..45).map(|at| 1600 - at * 9).collect();
    let cases = |slow: &[u64]| {
        let mut cases: Vec<Vec<RunResult>> = (0..6).map(|at| runs(&[40 + at * 110])).collect();
        cases.push(runs(slow));
        cases
    };
    let mut all: Vec<Submission> = (0..16).map(|_| Submission { owner: 0, runs: cases(&[900]) }).collect();
    for slow in [&steady, &spread, &steady, &spread] {
        all.insert(all.len() / 2, Submission { owner: 0, runs: cases(slow) });
    }
    all
}

#[test]
fn runs_interleave_during_rests() {
    let submissions = twenty();
    let together = judge(&submissions);
    let alone: Vec<Day> = submissions.iter().map(|one| judge(std::slice::from_ref(one))).collect();
    let one_after_the_other = alone.iter().fold(Nanos::ZERO, |sum, day| sum + day.makespan);
    let longest = alone.iter().map(|day| day.makespan).max().unwrap();
    let bound = together.used.max(longest);
    let reported = format!(
        "{} together, {one_after_the_other} one after the other; all runs {}, the longest alone {longest}, {} switches",
        together.makespan, together.used, together.switches
    );
    println!("{reported}");
    assert!(together.makespan.0 <= bound.0 + bound.0 / 10, "{reported}");
    assert!(together.makespan < one_after_the_other, "{reported}");
    for (number, day) in alone.iter().enumerate() {
        assert_eq!(
            together.outcomes[&(number as u64)],
            day.outcomes[&0],
            "what shares a place is judged the same"
        );
    }
}

#[test]
fn owners_take_turns_at_the_compiler() {
    let submission = |owner| Submission { owner, runs: vec![runs(&[10])] };
    let day = judge(&[submission(0), submission(0), submission(0), submission(1), submission(1)]);
    assert_eq!(day.compiled, [0, 3, 1, 4, 2]);
}

fn any_case() -> impl Strategy<Value = Vec<RunResult>> {
    let end = prop_oneof![9 => Just(DONE), 1 => Just(RunEnd::Signaled(11)), 1 => Just(CLOCK)];
    let cpu = prop_oneof![4 => 1_u64..1000, 1 => 1001_u64..2000];
    proptest::collection::vec((end, cpu).prop_map(|(end, cpu)| run(end, cpu, 0)), 0..45)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn other_judgings_change_neither_runs_nor_results(
        all in proptest::collection::vec((0_u8..3, proptest::collection::vec(any_case(), 1..4)), 1..7)
    ) {
        let submissions: Vec<_> = all.into_iter().map(|(owner, runs)| Submission { owner, runs }).collect();
        let together = judge(&submissions);
        for (number, submission) in submissions.iter().enumerate() {
            let alone = judge(std::slice::from_ref(submission));
            let number = number as u64;
            prop_assert_eq!(&together.outcomes[&number], &alone.outcomes[&0]);
            let own = |day: &Day, of: u64| -> Vec<(usize, u32)> {
                day.runs.iter().filter(|run| run.0 == of).map(|run| (run.1, run.2)).collect()
            };
            prop_assert_eq!(own(&together, number), own(&alone, 0));
        }
    }
}
