//! Statistics of many durations.

use hdrhistogram::Histogram;
use model::Nanos;

/// Three digits: a tenth of a per cent, much finer than any difference of interest.
const DIGITS: u8 = 3;
/// Longer durations count as this: no experiment waits longer for anything.
const LONGEST: Nanos = Nanos::from_millis(600_000);

/// Durations, stored to a tenth of a per cent.
#[derive(Clone, Debug)]
pub struct Quantiles(Histogram<u64>);

impl Default for Quantiles {
    fn default() -> Self {
        Self(Histogram::new_with_bounds(1, LONGEST.0, DIGITS).expect("these bounds are valid"))
    }
}

impl Quantiles {
    pub fn add(&mut self, duration: Nanos) {
        self.0.saturating_record(duration.0.max(1));
    }

    /// Adds all of another's.
    pub fn add_all(&mut self, other: &Self) {
        self.0.add(&other.0).expect("both have the same bounds");
    }

    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Returns the duration that this fraction of all do not exceed; 0 if there are none.
    pub fn at(&self, part: f64) -> Nanos {
        Nanos(self.0.value_at_quantile(part))
    }

    /// Returns the longest; 0 if there are none.
    pub fn max(&self) -> Nanos {
        Nanos(self.0.max())
    }

    /// Returns the mean; 0 if there are none.
    pub fn mean(&self) -> Nanos {
        Nanos(self.0.mean() as u64)
    }
}

impl FromIterator<Nanos> for Quantiles {
    fn from_iter<I: IntoIterator<Item = Nanos>>(durations: I) -> Self {
        let mut quantiles = Self::default();
        durations.into_iter().for_each(|duration| quantiles.add(duration));
        quantiles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_durations() {
        let mut quantiles: Quantiles = (1..=1000).map(Nanos::from_micros).collect();
        for (part, us) in [(0.5, 500.0), (0.99, 990.0), (1.0, 1000.0)] {
            let found = quantiles.at(part).0 as f64 / 1e3;
            assert!((found / us - 1.0).abs() < 0.002, "{part}: {found}");
        }
        quantiles.add(Nanos(u64::MAX));
        assert!(quantiles.max() >= LONGEST, "what is too long is kept as the longest");
        quantiles.add_all(&quantiles.clone());
        assert_eq!(quantiles.count(), 2002);
        assert_eq!(Quantiles::default().at(0.5), Nanos::ZERO);
    }
}
