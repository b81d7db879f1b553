//! Detours without a period: how often, how long.

use super::exposure::Exposure;

/// A detour without a period that takes so long is no interrupt: another thread ran.
pub const STALL_NS: f64 = 1e6;

/// How long detours are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lengths {
    /// The middle one.
    pub median_ns: f64,
    /// On average.
    pub mean_ns: f64,
    /// 95 % are shorter.
    pub p95_ns: f64,
    pub longest_ns: f64,
}

/// Detours without a period.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    pub count: usize,
    /// How often a second while the loop was looking.
    pub rate_hz: f64,
    /// How long.
    pub lengths: Lengths,
    /// The part of the watched time that they take.
    pub share: f64,
    /// The same by their lengths, from 1 to 10 of a unit each; only those that there are.
    pub decades: Vec<Decade>,
}

/// Those whose lengths are within a factor of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decade {
    /// They take at least this, and less than ten times as long.
    pub from_ns: f64,
    /// How often a second while the loop was looking.
    pub rate_hz: f64,
    /// How long on average.
    pub mean_ns: f64,
}

impl Lengths {
    /// Describes some; none without any.
    pub(super) fn of(mut lengths: Vec<f64>) -> Option<Self> {
        lengths.sort_by(f64::total_cmp);
        let longest_ns = *lengths.last()?;
        let sample = stats::Sample::new(lengths).ok()?;
        Some(Self {
            median_ns: sample.median(),
            mean_ns: sample.mean(),
            p95_ns: sample.quantile(0.95),
            longest_ns,
        })
    }
}

impl Rest {
    pub(super) fn of(lengths: Vec<f64>, exposure: &Exposure) -> Option<Self> {
        let looked_s = exposure.looked_ns() / 1e9;
        let total_ns: f64 = lengths.iter().sum();
        let mut decades: Vec<Decade> = Vec::new();
        for power in 0..11 {
            let from_ns = 10_f64.powi(power);
            let within: Vec<f64> =
                lengths.iter().copied().filter(|length| (from_ns..10.0 * from_ns).contains(length)).collect();
            if !within.is_empty() {
                let mean_ns = within.iter().sum::<f64>() / within.len() as f64;
                decades.push(Decade { from_ns, rate_hz: within.len() as f64 / looked_s, mean_ns });
            }
        }
        Some(Self {
            count: lengths.len(),
            rate_hz: lengths.len() as f64 / looked_s,
            share: total_ns / exposure.watched_ns.max(1.0),
            decades,
            lengths: Lengths::of(lengths)?,
        })
    }
}
