//! A range that holds the true value with a stated confidence.

pub const USUAL_CONFIDENCE: f64 = 0.95;

/// A range that holds the true value with a stated confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// How often such a range holds the true value, from 0 to 1.
    pub confidence: f64,
}

impl Interval {
    /// Returns whether a value lies in it, its ends included.
    pub fn contains(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// Returns what is left outside on each side.
///
/// # Panics
/// When the confidence is not between 0 and 1.
pub(crate) fn tail(confidence: f64) -> f64 {
    assert!(confidence > 0.0 && confidence < 1.0, "a confidence of {confidence} is not between 0 and 1");
    (1.0 - confidence) / 2.0
}
