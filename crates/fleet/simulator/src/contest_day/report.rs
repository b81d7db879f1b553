//! The results of a course.

use super::course::{Course, Ended, PARTS, Policy, simulate};
use super::day::{Day, PoolName, Truth};
use documents::{SimMachines, SimPolicy, SimPool, SimQueue, SimTimes, SimWrong};
use model::{Nanos, Verdict};
use std::collections::BTreeMap;

pub const MACHINES_MAX: u32 = 64;
/// How many wrong verdicts are listed; all are counted.
const WRONG_LISTED_MAX: usize = 20;

/// Describes times by rank: of n times the one at q is the ceil(q n)-th. `None` if there are none.
fn times_of(mut times: Vec<Nanos>) -> Option<SimTimes> {
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() * percent).div_ceil(100) - 1].0;
    let max_ns = times.last()?.0;
    Some(SimTimes { count: times.len() as u64, p50_ns: at(50), p90_ns: at(90), p99_ns: at(99), max_ns })
}

/// Sums a course up; how many machines are needed is left out.
pub fn summary(day: &Day, submissions: &[Truth], policy: Policy, course: &Course) -> SimPolicy {
    let times = |is_rejudging: bool| {
        let which = course.ended.iter().filter(|ended| ended.is_rejudging == is_rejudging);
        times_of(which.map(|ended| ended.took).collect())
    };
    let count = |is: &dyn Fn(&&Ended) -> bool| course.ended.iter().filter(is).count() as u64;
    let differs = |ended: &&Ended| ended.verdict != Verdict::JudgingError && ended.verdict != ended.truth;
    let is_wrong = |ended: &&Ended| differs(ended) && !ended.is_too_close;
    let is_too_close = |ended: &&Ended| differs(ended) && ended.is_too_close;
    let describe = |ended: &Ended| {
        let truth = &submissions[ended.submission];
        let slowest = day.behaviour(truth).times.into_iter().max().unwrap_or_default();
        SimWrong {
            submission: ended.submission as u64 + 1,
            problem: truth.problem as u32 + 1,
            verdict: ended.verdict.into(),
            truth: ended.truth.into(),
            slowest_ns: slowest.0,
            time_limit_ns: day.problems[truth.problem].time_limit.0,
        }
    };
    let first = |is: &dyn Fn(&&Ended) -> bool| {
        course.ended.iter().filter(is).take(WRONG_LISTED_MAX).map(describe).collect()
    };
    SimPolicy {
        policy: policy.id().to_owned(),
        verdicts: times(false),
        rejudgings: times(true),
        went_on: count(&|ended| ended.went_on),
        undecided: count(&|ended| ended.verdict == Verdict::JudgingError),
        wrong: count(&is_wrong),
        wrong_ones: first(&is_wrong),
        too_close: count(&is_too_close),
        too_close_ones: first(&is_too_close),
        pools: pools(day, course),
        over_ns: course.over.0,
        machines: None,
    }
}

fn pools(day: &Day, course: &Course) -> Vec<SimPool> {
    let part = day.duration.0 / PARTS;
    let pools = course.pools.iter().filter_map(|(name, done)| {
        let pool = match name {
            PoolName::Fast => day.fast.as_ref()?,
            PoolName::Strict => &day.strict,
        };
        let all = u128::from(pool.machines) * u128::from(pool.places) * u128::from(course.over.0.max(1));
        let queue = (0..).zip(&done.queue).map(|(at, queue)| SimQueue {
            at_ns: part * at,
            unfinished: queue.unfinished,
            waiting: queue.waiting,
        });
        Some(SimPool {
            pool: pool.name.clone(),
            machines: pool.machines,
            places: pool.places,
            judgements: done.judgements,
            repeated: done.repeated,
            undecided: done.undecided,
            tests: done.tests,
            runs: done.runs,
            busy_permille: u64::try_from(u128::from(done.used.0) * 1000 / all).unwrap_or(u64::MAX),
            queue: queue.collect(),
        })
    });
    pools.collect()
}

/// Returns what went on to the strict pool: jobs whose verdict has to be sure.
pub fn strict_jobs(course: &Course) -> Vec<usize> {
    let mut jobs: Vec<usize> =
        course.ended.iter().filter(|ended| ended.went_on).map(|ended| ended.submission).collect();
    jobs.sort_unstable();
    jobs
}

/// Finds how many strict machines are needed so that 99 of 100 verdicts take no longer than the goal. One machine fewer misses
/// it. The fast pool stays as it is.
pub fn machines_needed(
    day: &Day,
    submissions: &[Truth],
    policy: Policy,
    goal: Nanos,
    seed: u64,
) -> SimMachines {
    let mut known: BTreeMap<u32, Nanos> = BTreeMap::new();
    let mut p99 = |machines: u32| {
        *known.entry(machines).or_insert_with(|| {
            let mut day = day.clone();
            day.strict.machines = machines;
            let ended = simulate(&day, submissions, policy, seed).ended;
            let times = ended.iter().filter(|ended| !ended.is_rejudging).map(|ended| ended.took).collect();
            Nanos(times_of(times).map_or(0, |times| times.p99_ns))
        })
    };
    let floor = p99(MACHINES_MAX);
    let mut fewest = |goal: Nanos| {
        // With `below` machines it is missed, with `enough` it is not.
        let (mut below, mut enough) = (0, MACHINES_MAX);
        while enough - below > 1 {
            let middle = below + (enough - below) / 2;
            if p99(middle) <= goal {
                enough = middle;
            } else {
                below = middle;
            }
        }
        (enough, p99(enough))
    };
    let reached = (floor <= goal).then(|| fewest(goal));
    let (near_floor, near_floor_p99) = fewest(floor + Nanos(floor.0 / 10));
    SimMachines {
        for_goal: reached.map(|(machines, _)| machines),
        p99_ns: reached.map(|(_, p99)| p99.0),
        floor_p99_ns: floor.0,
        near_floor,
        near_floor_p99_ns: near_floor_p99.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_described_by_rank() {
        let of = |count: u64| times_of((1..=count).rev().map(Nanos).collect());
        let times = |count, [p50_ns, p90_ns, p99_ns, max_ns]: [u64; 4]| {
            Some(SimTimes { count, p50_ns, p90_ns, p99_ns, max_ns })
        };
        assert_eq!(of(0), None);
        assert_eq!(of(1), times(1, [1; 4]));
        assert_eq!(of(100), times(100, [50, 90, 99, 100]));
    }
}
