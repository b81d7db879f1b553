//! The results of a course.

use super::course::{Course, Ended, Policy, PoolCourse, simulate};
use super::day::{Day, Kind, PoolName, Truth};
use model::{Nanos, Verdict};
use std::collections::BTreeMap;

/// Most machines that a search tries.
pub const MACHINES_MAX: u32 = 64;
/// How many wrong verdicts are listed; all are counted.
const WRONG_LISTED_MAX: usize = 20;

/// Times, by rank: of n times the one at q is the ceil(q n)-th.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    /// How many there are.
    pub count: u64,
    pub p50: Nanos,
    pub p90: Nanos,
    pub p99: Nanos,
    pub max: Nanos,
}

impl Spread {
    /// Describes times; `None` if there are none.
    pub fn of(mut times: Vec<Nanos>) -> Option<Self> {
        times.sort_unstable();
        let at = |percent: usize| times[(times.len() * percent).div_ceil(100) - 1];
        let max = *times.last()?;
        Some(Self { count: times.len() as u64, p50: at(50), p90: at(90), p99: at(99), max })
    }
}

/// A course in short.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// How long teams waited for verdicts.
    pub verdicts: Option<Spread>,
    /// How long a rejudging's verdicts took.
    pub rejudgings: Option<Spread>,
    /// How many went on from the fast pool to the strict one.
    pub went_on: u64,
    /// How many have no verdict, since their time stayed undecided.
    pub undecided: u64,
    /// How many verdicts are wrong, of programs whose time the rule can tell from the limit.
    pub wrong: u64,
    /// The first of them.
    pub wrong_ones: Vec<Wrong>,
    /// How many verdicts differ from the truth on a test that is too close to the limit to tell.
    pub too_close: u64,
    /// The first of them.
    pub too_close_ones: Vec<Wrong>,
    pub pools: BTreeMap<PoolName, PoolCourse>,
    /// When the last verdict was there.
    pub over: Nanos,
}

/// A verdict that is not the true one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Which submission, from 0.
    pub submission: usize,
    /// For which problem, from 0.
    pub problem: usize,
    /// Of which kind its program is.
    pub kind: Kind,
    pub verdict: Verdict,
    pub truth: Verdict,
    /// The highest time of its tests at best.
    pub slowest: Nanos,
}

/// Sums a course up.
pub fn summary(day: &Day, submissions: &[Truth], course: &Course) -> Summary {
    let times = |is_rejudging: bool| {
        let which = course.ended.iter().filter(|ended| ended.is_rejudging == is_rejudging);
        Spread::of(which.map(|ended| ended.took).collect())
    };
    let count = |is: &dyn Fn(&&Ended) -> bool| course.ended.iter().filter(is).count() as u64;
    let differs = |ended: &&Ended| ended.verdict != Verdict::JudgingError && ended.verdict != ended.truth;
    let is_wrong = |ended: &&Ended| differs(ended) && !ended.is_too_close;
    let is_too_close = |ended: &&Ended| differs(ended) && ended.is_too_close;
    let describe = |ended: &Ended| {
        let truth = &submissions[ended.submission];
        let slowest = day.behaviour(truth).times.into_iter().max().unwrap_or_default();
        let (problem, kind) = (truth.problem, truth.kind);
        let (verdict, truth) = (ended.verdict, ended.truth);
        Wrong { submission: ended.submission, problem, kind, verdict, truth, slowest }
    };
    let first = |is: &dyn Fn(&&Ended) -> bool| {
        course.ended.iter().filter(is).take(WRONG_LISTED_MAX).map(describe).collect()
    };
    Summary {
        verdicts: times(false),
        rejudgings: times(true),
        went_on: count(&|ended| ended.went_on),
        undecided: count(&|ended| ended.verdict == Verdict::JudgingError),
        wrong: count(&is_wrong),
        wrong_ones: first(&is_wrong),
        too_close: count(&is_too_close),
        too_close_ones: first(&is_too_close),
        pools: course.pools.clone(),
        over: course.over,
    }
}

/// Returns what went on to the strict pool: jobs whose verdict has to be sure.
pub fn strict_jobs(course: &Course) -> Vec<usize> {
    let mut jobs: Vec<usize> =
        course.ended.iter().filter(|ended| ended.went_on).map(|ended| ended.submission).collect();
    jobs.sort_unstable();
    jobs
}

/// How many strict machines a goal needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizing {
    /// The fewest that reach the goal, if [`MACHINES_MAX`] do, and what 99 of 100 teams wait at most then.
    pub goal: Option<(u32, Nanos)>,
    /// What they wait at most with [`MACHINES_MAX`]: repeats rest, so more machines do not help for ever.
    pub floor: Nanos,
    /// The fewest with which they wait no more than a tenth longer than that, and how long that is.
    pub near_floor: (u32, Nanos),
}

/// Finds how many strict machines are needed so that 99 of 100 verdicts take no longer than the goal. One machine fewer misses
/// it. The fast pool stays as it is.
pub fn machines_needed(day: &Day, submissions: &[Truth], policy: Policy, goal: Nanos, seed: u64) -> Sizing {
    let mut known: BTreeMap<u32, Nanos> = BTreeMap::new();
    let mut p99 = |machines: u32| {
        *known.entry(machines).or_insert_with(|| {
            let mut day = day.clone();
            day.strict.machines = machines;
            let ended = simulate(&day, submissions, policy, seed).ended;
            let times = ended.iter().filter(|ended| !ended.is_rejudging).map(|ended| ended.took).collect();
            Spread::of(times).map_or(Nanos::ZERO, |spread| spread.p99)
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
    Sizing { goal: reached, floor, near_floor: fewest(floor + Nanos(floor.0 / 10)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_described_by_rank() {
        let of = |count: u64| Spread::of((1..=count).rev().map(Nanos).collect());
        assert_eq!(of(0), None);
        let all =
            |of: u64| Spread { count: 1, p50: Nanos(of), p90: Nanos(of), p99: Nanos(of), max: Nanos(of) };
        assert_eq!(of(1), Some(all(1)));
        let hundred = Spread { count: 100, p50: Nanos(50), p90: Nanos(90), p99: Nanos(99), max: Nanos(100) };
        assert_eq!(of(100), Some(hundred));
    }
}
