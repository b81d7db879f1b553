//! OS noise: what a probe saw, which sources it comes from, and what these do to a program of many nodes.
//!
//! Pure: the same profile and the same seed give the same bytes, on any number of threads.
//!
//! A *detour* is one interruption (start, length); a *source* brings detours, periodically or not; a *quantum* is one
//! call of a function whose work is always the same. A [`Profile`] is what was measured; [`Source`] is what both the
//! decomposition of a profile gives and the propagation model takes. [`mod@format`] is the file of a profile.

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
