//! A day: what is submitted when, what the programs do, and what judges.

use super::noise::Noise;
use super::quantiles::{ONE, Quantiles};
use model::{Nanos, Verdict};
use stats::Dice;

/// A contest, a practice, or the rejudging of a problem, and the pools that judge it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Day {
    pub teams: u32,
    pub duration: Nanos,
    pub problems: Vec<Problem>,
    pub submissions: u32,
    /// How many of them arrive in each part of the duration, relative to the other parts; all parts are as long.
    pub weights: Vec<u32>,
    /// Whether it is a practice, whose submissions go after those of contests and rejudgings.
    pub is_practice: bool,
    pub rejudgings: Vec<Rejudging>,
    pub programs: Programs,
    /// The pool whose word is final.
    pub strict: Pool,
    /// The pool that judges first, if there is one.
    pub fast: Option<Pool>,
    /// Pools whose prices are compared; they judge nothing of the day.
    pub candidates: Vec<Pool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub tests: u32,
    pub time_limit: Nanos,
}

/// The rejudging of a problem: everything that arrived for it so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejudging {
    pub problem: usize,
    pub at: Nanos,
}

/// What the programs do. Times are at best, on a machine of the strict pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programs {
    /// How many programs are of each kind, relative to each other, in the order of [`Kind::ALL`].
    pub shares: [u32; 5],
    /// The slowest test's part of the limit, in millionths: of programs that keep it, that are too slow, and that are near it.
    pub slowest: [Quantiles; 3],
    /// The other tests' part of the slowest one's time, in millionths.
    pub others: Quantiles,
    /// How long compilers take, in nanoseconds.
    pub compile: Quantiles,
    /// How long the check of an output takes.
    pub check: Nanos,
    /// How long it takes to begin and end a run, without the program's time.
    pub start: Nanos,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It is right and keeps the limit.
    Accepted,
    /// Its output is wrong on one test.
    Wrong,
    /// It is over the limit on its slowest test.
    TooSlow,
    /// It is right, and its slowest test is near the limit, on either side.
    NearLimit,
    CompileError,
}

impl Kind {
    pub const ALL: [Self; 5] =
        [Self::Accepted, Self::Wrong, Self::TooSlow, Self::NearLimit, Self::CompileError];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PoolName {
    /// The one that judges first.
    Fast,
    /// The one whose word is final.
    Strict,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    pub name: String,
    pub machines: u32,
    pub places: u32,
    /// How long programs take there at best, in thousandths of their time on the strict pool.
    pub time_permille: u32,
    /// The upper bound of a time on the strict pool / a time here, in thousandths, as the contest knows it.
    pub bound_permille: u32,
    /// How its machines are disturbed.
    pub noise: Noise,
    /// What a machine costs per hour, in millionths of a currency.
    pub price_micros: Option<u64>,
}

/// What is true of a submission, wherever it is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truth {
    pub at: Nanos,
    /// Whose it is.
    pub team: u32,
    /// For which problem, from 0.
    pub problem: usize,
    /// Of which kind its program is.
    pub kind: Kind,
    /// What its tests are drawn from.
    seed: u64,
}

/// What a submission does on each test, and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Behaviour {
    pub compile: Nanos,
    /// The time of each test at best on the strict pool.
    pub times: Vec<Nanos>,
    pub wrong_on: Option<usize>,
    /// The verdict of a judge that knows the times.
    pub verdict: Verdict,
}

impl Day {
    /// Draws the submissions, in the order in which they arrive.
    pub fn submissions(&self, seed: u64) -> Vec<Truth> {
        let mut dice = Dice::new(seed);
        let all: u64 = self.weights.iter().map(|weight| u64::from(*weight)).sum();
        let part = self.duration.0 / self.weights.len() as u64;
        let mut submissions: Vec<Truth> = (0..self.submissions)
            .map(|_| {
                let chosen = choose(&self.weights, dice.below(all as usize) as u64);
                Truth {
                    at: Nanos(part * chosen as u64 + dice.below(part as usize) as u64),
                    team: dice.below(self.teams as usize) as u32,
                    problem: dice.below(self.problems.len()),
                    kind: self.programs.kind(&mut dice),
                    seed: dice.below(usize::MAX) as u64,
                }
            })
            .collect();
        submissions.sort_by_key(|truth| truth.at);
        submissions
    }

    pub fn behaviour(&self, truth: &Truth) -> Behaviour {
        let (problem, programs) = (&self.problems[truth.problem], &self.programs);
        let limit = problem.time_limit;
        let mut dice = Dice::new(truth.seed);
        let compile = Nanos(programs.compile.draw(&mut dice));
        let [usual, too_slow, near] = &programs.slowest;
        let slowest = match truth.kind {
            Kind::TooSlow => too_slow,
            Kind::NearLimit => near,
            Kind::Accepted | Kind::Wrong | Kind::CompileError => usual,
        };
        let slowest = part(limit, slowest.draw(&mut dice));
        let tests = problem.tests as usize;
        let slowest_is = dice.below(tests);
        let wrong_on = (truth.kind == Kind::Wrong).then(|| dice.below(tests));
        let time = |test| {
            if test == slowest_is { slowest } else { part(slowest, programs.others.draw(&mut dice)) }
        };
        let times: Vec<Nanos> = (0..tests).map(time).collect();
        let too_slow_on = times.iter().position(|time| *time > limit);
        let verdict = match (truth.kind, too_slow_on, wrong_on) {
            (Kind::CompileError, ..) => Verdict::CompileError,
            (_, Some(slow), wrong) if wrong.is_none_or(|wrong| slow <= wrong) => Verdict::TimeLimitExceeded,
            (_, _, Some(_)) => Verdict::WrongAnswer,
            (_, Some(_), None) => Verdict::TimeLimitExceeded,
            (_, None, None) => Verdict::Accepted,
        };
        Behaviour { compile, times, wrong_on, verdict }
    }
}

impl Programs {
    fn kind(&self, dice: &mut Dice) -> Kind {
        let all: u64 = self.shares.iter().map(|share| u64::from(*share)).sum();
        Kind::ALL[choose(&self.shares, dice.below(all as usize) as u64)]
    }
}

/// Returns which share holds this number, counted over all shares.
fn choose(shares: &[u32], mut number: u64) -> usize {
    for (at, share) in shares.iter().enumerate() {
        let share = u64::from(*share);
        if number < share {
            return at;
        }
        number -= share;
    }
    unreachable!("the number is below the sum of the shares")
}

pub(super) fn part(of: Nanos, ppm: u64) -> Nanos {
    Nanos(u64::try_from(u128::from(of.0) * u128::from(ppm) / u128::from(ONE)).unwrap_or(u64::MAX))
}
