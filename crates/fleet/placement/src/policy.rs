//! What a user decides about placement: which hosts are allowed, which are preferred, and when jobs move.

mod describe;
mod read;
mod units;
mod write;

pub use describe::{Section, describe, summary};
pub use located::Finding;
pub use read::{Policies, expected_name, is_name, read};
pub use write::write;

use super::Level;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    pub name: String,
    /// What the pools promise, by name. A pool that is not listed promises [`Promise::default`].
    pub pools: BTreeMap<String, Promise>,
    /// What must hold after the job is placed.
    pub limits: Limits,
    /// What is preferred, each with its weight from 1 to [`WEIGHT_MAX`]; empty for the first host that fits.
    pub prefer: BTreeMap<Score, u32>,
    /// How many hosts of each kind are scored for a job.
    pub candidates: Candidates,
    /// How loads are predicted; `None` if requests alone decide.
    pub prediction: Option<Prediction>,
    /// When jobs move; `None` for never.
    pub rescheduling: Option<Rescheduling>,
    /// The policy that is used while predictions are stale. It uses requests alone, and has the same pools. `Some` exactly if
    /// there are predictions.
    pub fallback: Option<Box<Self>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Promise {
    /// The levels that its hosts take.
    pub levels: Vec<Level>,
    /// Up to this many thousandths of the CPUs that strict jobs leave, standard jobs may request. Strict jobs never get
    /// more than there is.
    pub cpu_permille: u32,
    /// Up to this many thousandths of the memory all jobs may request.
    pub memory_permille: u32,
}

/// What must hold after a job is placed, in thousandths of the CPUs that strict jobs leave. `None` for no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub peak_permille: Option<u32>,
    pub mean_permille: Option<u32>,
    /// The predicted mean of standard jobs and best effort, for a job of best effort.
    pub best_effort_permille: Option<u32>,
}

model::words! {
    /// What is preferred about a host; each is a number from 0 to [`SCORE_MAX`], the higher the better.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Score, id {
        /// Little of its CPUs is requested, by jobs of any level.
        Free = "free",
        /// Much of its CPUs is requested, by jobs of any level.
        Packed = "packed",
        /// Little of its CPUs and memory would be left (best fit).
        BestFit = "best-fit",
        /// Equal shares of CPUs and memory would be requested.
        Balance = "balance",
        /// What the job asks for and what is free have the same direction (dot product, Grandl et al. 2014).
        DotProduct = "dot-product",
        /// The predicted mean of all jobs is low.
        LowMean = "low-mean",
        /// The predicted peak of standard jobs and the mean of best effort are low together.
        LowPeak = "low-peak",
        Quiet = "quiet",
        Cheap = "cheap",
        /// Few jobs of the same service are there.
        FewOfService = "few-of-service",
    }
}

/// How many hosts are scored with the job on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Candidates {
    /// The first ones that pass, at most this number, of each kind of host, in the order of their score before the job is placed.
    First(u32),
    /// All that pass.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prediction {
    /// The length of a window in which loads are observed, in milliseconds.
    pub window_ms: u64,
    /// How far ahead, in milliseconds.
    pub horizon_ms: u64,
    /// In how many thousandths of the windows the load may be above the predicted peak.
    pub risk_permille: u32,
    /// Without an observation for so long, the fallback is used, in milliseconds.
    pub stale_after_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rescheduling {
    /// The time between two rounds, in milliseconds.
    pub every_ms: u64,
    /// A host whose predicted peak is above this is hot, in thousandths of the CPUs that strict jobs leave.
    pub hot_permille: u32,
    /// Jobs are moved off a hot host until its predicted peak is below this, and to a host only up to this.
    pub cool_permille: u32,
    /// Hosts whose predicted mean is less than this part of their CPUs are emptied if all their jobs find another place; `None` for never.
    pub empty_below_permille: Option<u32>,
    pub moves_max: u32,
    /// A job stays so long after it came or moved, in milliseconds.
    pub rest_ms: u64,
    /// How long a job stands still for each GiB of its memory when it moves, in milliseconds.
    pub pause_ms_per_gib: u32,
    /// The longest pause a move may cost a job that is not of best effort, in milliseconds.
    pub pause_max_ms: u64,
    /// Whether jobs may move to another cluster.
    pub between_clusters: bool,
}

pub const SCORE_MAX: u32 = 1_000_000;
pub const WEIGHT_MAX: u32 = 100;

impl Candidates {
    /// Returns how many hosts of a kind are scored.
    pub fn number(self) -> u32 {
        match self {
            Self::First(number) => number,
            Self::All => u32::MAX,
        }
    }
}

impl Default for Promise {
    fn default() -> Self {
        Self { levels: Level::ALL.to_vec(), cpu_permille: 1000, memory_permille: 1000 }
    }
}

impl Default for Prediction {
    fn default() -> Self {
        Self {
            window_ms: 5 * MINUTE_MS,
            horizon_ms: 60 * MINUTE_MS,
            risk_permille: 50,
            stale_after_ms: 30 * MINUTE_MS,
        }
    }
}

impl Default for Rescheduling {
    fn default() -> Self {
        Self {
            every_ms: 5 * MINUTE_MS,
            hot_permille: 800,
            cool_permille: 700,
            empty_below_permille: None,
            moves_max: 20,
            rest_ms: 60 * MINUTE_MS,
            pause_ms_per_gib: 100,
            pause_max_ms: 10_000,
            between_clusters: false,
        }
    }
}

const MINUTE_MS: u64 = 60_000;

impl Policy {
    pub const BUILT_IN: [&str; 6] = ["first-fit", "spread", "pack", "best-fit", "dot-product", "load-aware"];

    pub fn built_in(name: &str) -> Option<Self> {
        let (prefer, candidates): (&[(Score, u32)], _) = match name {
            "first-fit" => (&[], Candidates::First(1)),
            "spread" => (&[(Score::Free, 1)], Candidates::First(8)),
            "pack" => (&[(Score::Packed, 1)], Candidates::First(8)),
            "best-fit" => (&[(Score::BestFit, 1)], Candidates::All),
            "dot-product" => (&[(Score::DotProduct, 1)], Candidates::All),
            "load-aware" => (&[(Score::LowPeak, 3), (Score::LowMean, 1)], Candidates::First(8)),
            _ => return None,
        };
        let is_load_aware = name == "load-aware";
        let limits = if is_load_aware {
            Limits { peak_permille: Some(800), mean_permille: Some(700), best_effort_permille: Some(900) }
        } else {
            Limits::default()
        };
        Some(Self {
            name: name.to_owned(),
            pools: BTreeMap::new(),
            limits,
            prefer: prefer.iter().copied().collect(),
            candidates,
            prediction: is_load_aware.then(Prediction::default),
            rescheduling: is_load_aware.then(Rescheduling::default),
            fallback: if is_load_aware { Self::built_in("spread").map(Box::new) } else { None },
        })
    }
}
