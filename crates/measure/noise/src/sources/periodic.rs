//! A source that was found.

use super::rest::Lengths;

/// How often a trace of pure Poisson noise is reported to have a periodic source, at most: the design's bound, after the
/// correction for all grids that were searched.
pub const FALSE_ALARMS: f64 = 0.001;

/// A source that comes repeatedly after the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic {
    /// How often, on average over the trace.
    pub frequency_hz: f64,
    /// The standard error of that.
    pub frequency_error_hz: f64,
    /// By how much it rose over the trace, in millionths.
    pub drift_ppm: f64,
    /// The standard deviation of detours around their places, in ns.
    pub jitter_ns: f64,
    /// How long its detours are.
    pub lengths: Lengths,
    /// The part of the watched time that it takes, at its frequency.
    pub share: f64,
    /// How many of its detours were seen.
    pub seen: usize,
    /// How many could have been seen: the loop was looking at that moment.
    pub exposed: usize,
    /// At most so likely, by its decimal logarithm, would chance alone show such a source anywhere in this trace.
    pub chance_log10: f64,
    /// If its detours only make those of another source longer, as work that every n-th timer tick does: the number of
    /// that source in [`Decomposition::periodic`], and n.
    pub rides_on: Option<(usize, u64)>,
    /// Numbers of its detours in the trace.
    pub members: Vec<usize>,
}

impl Periodic {
    /// Returns the part of the detours that could have been seen and were.
    pub fn fill(&self) -> f64 {
        self.seen as f64 / self.exposed.max(1) as f64
    }
}
