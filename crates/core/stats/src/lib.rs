//! What a handful of measured times says: spread, agreement, comparison, certainty.
//!
//! Pure: the same values and the same seed give the same result. Values are plain
//! numbers; their unit is the caller's business, since a ratio has none.
//!
//! # Files
//!
//! Statistics on plain numbers: `sample.rs` describes one series, `agreement.rs` is the two-lowest-agree estimator as a
//! state that takes one time after the other, `pairs.rs` compares two things measured in turns (ratio, signed-rank test
//! and its interval). `effect.rs` is Cliff's delta, `holm.rs` corrects for many comparisons, `interval.rs` and
//! `bootstrap.rs` are intervals, `correlation.rs` compares orders, `permutation.rs` and `sign.rs` tests, `power.rs` says how many runs a difference
//! needs; every draw follows from a seed. Its tests compare it with published examples and SciPy.

#![forbid(unsafe_code)]

mod agreement;
mod bootstrap;
mod correlation;
mod effect;
mod holm;
mod interval;
mod outlier;
mod pairs;
mod permutation;
mod power;
mod random;
mod replicates;
mod sample;
mod sign;
mod signed_rank;

pub use agreement::{Agreement, AgreementRule, LowestAgreement};
pub use bootstrap::{bootstrap_one, bootstrap_two, median_interval, median_of, median_ratio_interval};
pub use correlation::rank_correlation;
pub use effect::{cliffs_delta, rank_biserial};
pub use holm::holm;
pub use interval::{Interval, USUAL_CONFIDENCE};
pub use outlier::{Outlier, USUAL_OUTLIER_SCORE, outliers};
pub use pairs::{PAIRS_MAX, Pairs, PairsError, RatioEstimate};
pub use permutation::{permutation_of_pairs, permutation_of_two};
pub use power::{pairs_needed, runs_needed};
pub use random::Dice;
pub use replicates::{Replicated, of_replicates};
pub use sample::{Sample, SampleError};
pub use sign::{median_interval_by_signs, sign_test};
pub use signed_rank::{SignedRank, pairs_for_confidence, signed_rank_test};
