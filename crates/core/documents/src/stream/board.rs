//! Live stream contests: the board, as its page and scripts read it and `tauto stream board --json` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The board of a live stream contest. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamBoard {
    /// How long the contest goes on.
    pub at_ns: u64,
    /// `before`, `running` or `over`.
    pub phase: StreamPhase,
    /// An answer has at most this many digits.
    pub digits_max: u16,
    /// An answer is a multiple of one of these.
    pub multiples_of: Vec<StreamNumber>,
    /// How long before its appearance an answer counts, in milliseconds; `null` if it does not.
    pub before_ms: Option<u64>,
    pub after_ms: u64,
    /// What each submission costs.
    pub cost: u32,
    /// How much points count now.
    pub factor: u32,
    /// The contestants, the best first.
    pub rows: Vec<StreamRow>,
    /// Answers that appeared last, the newest first.
    pub last: Vec<StreamAnswer>,
    pub digits: u64,
    /// Answers that appeared in them.
    pub answers: u64,
    /// Answers that no contestant gave while they counted.
    pub missed: u64,
    /// How fair the feed is.
    pub fairness: StreamFairness,
    /// Clients that were refused or dropped, by reason.
    pub refused: Vec<StreamRefusal>,
}

/// Where a contest is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamPhase {
    /// It has not begun.
    Before,
    /// Digits are sent.
    Running,
    /// No more digits are sent.
    Over,
}

/// A number whose multiples are answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamNumber {
    /// The number, in decimal; `null` if it is hidden.
    pub value: Option<String>,
    /// Its primes as far as they are published.
    pub primes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamRow {
    pub name: String,
    /// Points less costs.
    pub score: i64,
    /// How often each number of points was given, the most first.
    pub by_points: Vec<StreamPoints>,
    /// Answers in time after all places were taken.
    pub beyond: u64,
    /// Answers after their window.
    pub late: u64,
    /// What is no answer.
    pub wrong: u64,
    /// Answers that were given before.
    pub duplicate: u64,
    /// What is not even a number of a possible length.
    pub malformed: u64,
    /// Answers before they appeared, where that is not allowed.
    pub early: u64,
    pub submitted: u64,
    /// 10 % of its answers in time came no later after they appeared; less than zero if predicted; `null` without answers.
    pub p10_ns: Option<i64>,
    /// 50 % came no later.
    pub p50_ns: Option<i64>,
    /// 90 % came no later.
    pub p90_ns: Option<i64>,
    /// 99 % came no later.
    pub p99_ns: Option<i64>,
    pub mean_ns: Option<i64>,
    pub deviation_ns: Option<u64>,
    /// How long a packet takes to its machine and back, as the kernel has measured it; `null` before it has.
    pub ping_ns: Option<u64>,
    /// The score at the end of each of the last 60 minutes.
    pub growth: Vec<i64>,
    /// Its latencies: those that 0, 5, ... 95 and 100 % do not exceed; empty without answers.
    pub latency_curve_ns: Vec<i64>,
}

/// How often a number of points was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamPoints {
    /// The points, before the factor.
    pub points: u32,
    /// How often.
    pub count: u64,
}

/// An answer that appeared lately.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamAnswer {
    /// Its digits; of a long one the first and the last.
    pub digits: String,
    pub length: u16,
    /// Of which numbers it is a multiple, from 1.
    pub multiple_of: Vec<u8>,
    /// When it appeared.
    pub at_ns: u64,
    /// The contestants that gave it, the first first.
    pub given: Vec<StreamGiven>,
}

/// A contestant that gave an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamGiven {
    pub name: String,
    /// How long after it appeared.
    pub latency_ns: i64,
    /// What it brought.
    pub points: u32,
}

/// How fair the feed is: how long after the first client's copy of a chunk the last client's was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamFairness {
    /// Clients that the last chunk was sent to.
    pub clients: u32,
    /// The last chunk's spread; 0 with less than two clients.
    pub last_ns: u64,
    /// Half of all chunks for two clients or more had no longer spread; `null` without such chunks.
    pub p50_ns: Option<u64>,
    /// 90 % had no longer one.
    pub p90_ns: Option<u64>,
    /// 99 % had no longer one.
    pub p99_ns: Option<u64>,
}

/// How often clients were refused or dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StreamRefusal {
    pub reason: String,
    /// How often.
    pub count: u64,
}
