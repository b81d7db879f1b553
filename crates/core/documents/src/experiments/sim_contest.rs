//! A simulated contest: the document of `tauto sim contest`.

use crate::values::VerdictId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What one day would be under each policy, and what its judgements would cost elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimContestReport {
    pub path: String,
    pub seed: u64,
    pub submissions: u32,
    /// In what time a verdict is wanted for 99 of 100.
    pub goal_ns: u64,
    pub policies: Vec<SimPolicy>,
    /// Pools by the cost of a sure verdict; those without a price come last.
    pub prices: Vec<SimPrice>,
    /// The cheapest pool that leaves at most one of a hundred of these judgements undecided, wrong or too close to tell; `null` if there is none.
    pub surest: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimPolicy {
    /// `strict-only`, `fast-then-strict` or `fast-only`.
    pub policy: String,
    /// How long teams waited for verdicts; `null` if there was none.
    pub verdicts: Option<SimTimes>,
    /// How long verdicts of rejudgings took; `null` if there was none.
    pub rejudgings: Option<SimTimes>,
    /// How many submissions the strict pool judged after the fast one.
    pub went_on: u64,
    /// How many have no verdict, since their time stayed undecided.
    pub undecided: u64,
    /// How many verdicts are wrong, of programs whose time the rule for times can tell from the limit.
    pub wrong: u64,
    /// The first of them.
    pub wrong_ones: Vec<SimWrong>,
    /// How many verdicts differ from that of a judge that knows the times because a test is too close to the limit to tell:
    /// within what the rule takes as the same time.
    pub too_close: u64,
    /// The first of them.
    pub too_close_ones: Vec<SimWrong>,
    pub pools: Vec<SimPool>,
    pub over_ns: u64,
    /// How many strict machines are needed; `null` if the strict pool does not judge.
    pub machines: Option<SimMachines>,
}

/// Times by rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimTimes {
    pub count: u64,
    pub p50_ns: u64,
    /// 90 per cent are no longer.
    pub p90_ns: u64,
    /// 99 per cent are no longer.
    pub p99_ns: u64,
    pub max_ns: u64,
}

/// A verdict that is not that of a judge that knows the times.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimWrong {
    /// Which submission, from 1, in the order in which they arrived.
    pub submission: u64,
    /// For which problem, from 1.
    pub problem: u32,
    pub verdict: VerdictId,
    pub truth: VerdictId,
    /// Its slowest test at best on a strict machine.
    pub slowest_ns: u64,
    pub time_limit_ns: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimPool {
    /// `fast` or `strict`.
    pub pool: String,
    pub machines: u32,
    pub places: u32,
    pub judgements: u64,
    /// How many of them needed more than one run of a test.
    pub repeated: u64,
    pub undecided: u64,
    pub tests: u64,
    /// How many timed runs it made, those included that turned out not to be needed.
    pub runs: u64,
    /// Which part of the time its places were busy, in thousandths.
    pub busy_permille: u64,
    /// The most judgements at once in each sixtieth of the duration, and after it.
    pub queue: Vec<SimQueue>,
}

/// How many judgements there were at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimQueue {
    /// When the part of the time begins.
    pub at_ns: u64,
    /// How many were not done.
    pub unfinished: u32,
    /// How many of these were on no machine yet.
    pub waiting: u32,
}

/// How many strict machines are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SimMachines {
    /// The fewest that reach the goal; `null` if 64 do not.
    pub for_goal: Option<u32>,
    /// The time of 99 of 100 verdicts with that number; `null` likewise.
    pub p99_ns: Option<u64>,
    /// The same with 64 machines: what more machines cannot shorten.
    pub floor_p99_ns: u64,
    /// The fewest with which it is no more than a tenth longer.
    pub near_floor: u32,
    /// How long it is with that number.
    pub near_floor_p99_ns: u64,
}

/// What judgements on a pool would cost, and how sure they would be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimPrice {
    pub pool: String,
    /// How much longer programs take there than at best, in millionths: the median.
    pub slowdown_p50_ppm: u64,
    /// The same for 90 per cent.
    pub slowdown_p90_ppm: u64,
    /// The same for 99 per cent.
    pub slowdown_p99_ppm: u64,
    pub judgements: u64,
    pub repeated: u64,
    pub repeats: u64,
    pub undecided: u64,
    /// How many verdicts were wrong, of programs whose time the rule for times can tell from the limit.
    pub wrong: u64,
    /// How many verdicts differed because a test is too close to the limit to tell.
    pub too_close: u64,
    /// For how long a judgement had its place, on average.
    pub used_ns: u64,
    /// What a judgement costs, in millionths of the file's currency; `null` without a price.
    pub cost_micros: Option<u64>,
    /// What a judgement costs that was decided and right; `null` without a price, or if none was.
    pub sure_cost_micros: Option<u64>,
}
