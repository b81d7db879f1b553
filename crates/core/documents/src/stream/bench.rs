//! What `tauto stream bench` measures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Solvers and ways of reading, measured in turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamBenchReport {
    /// Which CPUs were measured on, in a sentence.
    pub cpus: String,
    /// What disturbed, each in a sentence.
    pub warnings: Vec<String>,
    /// The solvers, the slowest first; empty if only the latency was measured.
    pub ladder: Vec<StreamSolverTimes>,
    /// The ways of reading and writing; empty if only the ladder was measured.
    pub latency: Vec<StreamLatency>,
    pub bars: Vec<StreamBar>,
}

/// What one solver takes for a digit, with one set of instructions. Times are nanoseconds; quantiles are of the rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamSolverTimes {
    /// Its name, as `tauto stream solve --method` takes it.
    pub method: String,
    /// `avx512`, `avx2` or `portable`; `null` if it uses no vector instructions of its own.
    pub instructions: Option<String>,
    pub digits_per_round: u64,
    /// How long a digit waited, in the median.
    pub ns_per_digit: f64,
    pub ns_per_digit_p10: f64,
    pub ns_per_digit_p90: f64,
    /// With what is done in the gaps between chunks, in the median.
    pub ns_per_digit_with_gaps: f64,
    /// Of its tables; `null` if it has none.
    pub memory_bytes: Option<u64>,
    /// How long a digit waited in each round.
    pub rounds: Vec<f64>,
}

/// The time from a chunk to the first byte of its answer, as the sender sees it. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamLatency {
    /// The way of reading and writing, or an echo that only writes back.
    pub arm: String,
    /// Why it was not measured.
    pub unavailable: Option<String>,
    pub answers: u64,
    /// `null` without answers, as the others.
    pub p50_ns: Option<f64>,
    pub p90_ns: Option<f64>,
    pub p99_ns: Option<f64>,
    /// What the contestant itself took to compute and write; `null` for an echo.
    pub own_p50_ns: Option<f64>,
}

/// A figure and the bar that it is held against.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StreamBar {
    pub what: String,
    /// `null` if it was not measured; then `what` has the reason.
    pub value: Option<f64>,
    /// `ns`, `us`, `KiB` or `times`; empty if it was not measured.
    pub unit: String,
    /// The bar, such as `at most 12`; `null` for a figure without one.
    pub bar: Option<String>,
    /// Also true without a bar.
    pub is_reached: bool,
}
