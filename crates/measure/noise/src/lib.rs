//! OS noise: what a probe saw, which sources it comes from, and what these do to a program of many nodes.
//!
//! Pure: the same profile and the same seed give the same bytes, on any number of threads.
//!
//! A *detour* is one interruption (start, length); a *source* brings detours, periodically or not; a *quantum* is one
//! call of a function whose work is always the same. A [`Profile`] is what was measured; [`Source`] is what both the
//! decomposition of a profile gives and the propagation model takes. [`mod@format`] is the file of a profile.
//!
//! # Files
//!
//! `profile.rs` is a probe's measurement, `source.rs` a model's input; `format/` is a profile's file
//! (`docs/noise-format.md`), `export.rs` other formats; `summary.rs` condenses a trace to a few numbers, `compare.rs`
//! compares two profiles. `sources/` finds sources in a profile: `exposure.rs` computes when the loop was measuring,
//! `lags.rs` returns candidate periods, `grid.rs` fits one, `comb.rs` tests it, `search.rs` goes from one to the next,
//! `riding.rs` describes what was found, `reconcile.rs` compares it with the kernel's counters. `witness/` checks
//! whether the calls of equal work lost as much time (`lost.rs`) and are longer in the rhythm of each source
//! (`lines.rs`). `synthetic.rs` makes traces and calls of known sources.
//!
//! `model/` has the types of the propagation model and the article's parameters. `simulate/`: `rule.rs` is what one
//! node does in one iteration, in whole ticks, and the reference for all faster code; `grid.rs` with its `band.rs`, and
//! `line.rs`, take lattices and long lines through the cache; `monte_carlo.rs` repeats until the difference is known.
//! `simd/` is one iteration of rows in vector instructions: `stepper.rs` chooses the code, `kernel.rs` has it.
//! `closed/` has the formulas, `fit.rs` the fitted constants. The model (`docs/noise-model.md`).
//!
//! # Invariants
//!
//! - A simulated replica depends only on scenario, seed and its number: not on threads, instructions or neighbouring
//!   replicas.

pub mod closed;
mod compare;
mod export;
pub mod format;
pub mod model;
mod profile;
pub mod simd;
pub mod simulate;
mod source;
pub mod sources;
mod summary;
pub mod synthetic;
pub mod witness;

pub use compare::{Comparison, Difference, Quantity, compare};
pub use export::{csv, hdr_log, loggopsim};
pub use profile::{
    Burst, CpuProfile, Detour, GapTrace, KernelCounts, MachineLine, NodeLoad, Profile, QuantumTrace,
    RESOLUTION, TickRate, Ticks,
};
pub use source::{Occurrence, Source};
pub use summary::{COUNTED, GapSummary, Lengths, QuantumSummary, WARM_UP, WarmUp};
