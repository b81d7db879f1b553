//! Values of one thing measured repeatedly, and what describes them.

/// Values that are there and finite, in the order in which they were measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    values: Vec<f64>,
    sorted: Vec<f64>,
}

/// Why values are no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    #[error("there are no values")]
    Empty,
    /// One of them is infinite or not a number.
    #[error("value {0} is not a finite number")]
    NotFinite(usize),
}

impl Sample {
    pub fn new(values: Vec<f64>) -> Result<Self, SampleError> {
        if values.is_empty() {
            return Err(SampleError::Empty);
        }
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(SampleError::NotFinite(index));
        }
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        Ok(Self { values, sorted })
    }

    /// Returns the values in the order in which they were measured.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns how many there are; never 0.
    pub fn count(&self) -> usize {
        self.values.len()
    }

    pub fn min(&self) -> f64 {
        self.sorted[0]
    }

    pub fn max(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    pub fn spread(&self) -> f64 {
        self.max() - self.min()
    }

    pub fn mean(&self) -> f64 {
        mean(&self.values)
    }

    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// Returns the standard deviation with n - 1 in the denominator; none of a single value.
    pub fn standard_deviation(&self) -> Option<f64> {
        standard_deviation(&self.values)
    }

    /// Returns the standard deviation as a part of the mean (the coefficient of variation); none of a
    /// single value or where the mean is 0.
    pub fn variation(&self) -> Option<f64> {
        let mean = self.mean();
        self.standard_deviation().filter(|_| mean != 0.0).map(|deviation| deviation / mean.abs())
    }

    /// Returns the median of the distances from the median, not scaled.
    pub fn median_absolute_deviation(&self) -> f64 {
        let median = self.median();
        let mut distances: Vec<f64> = self.values.iter().map(|value| (value - median).abs()).collect();
        distances.sort_by(f64::total_cmp);
        quantile(&distances, 0.5)
    }

    /// Returns the value below which this part of the sample lies, between neighbours in proportion
    /// (type 7 of Hyndman and Fan 1996, as R and NumPy do).
    ///
    /// # Panics
    /// When the part is not between 0 and 1.
    pub fn quantile(&self, part: f64) -> f64 {
        quantile(&self.sorted, part)
    }
}

pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

pub(crate) fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Returns the quantile of values that are sorted and not none.
pub(crate) fn quantile(sorted: &[f64], part: f64) -> f64 {
    assert!((0.0..=1.0).contains(&part), "a quantile of {part} is not between 0 and 1");
    let place = part * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{got}, expected {expected}");
    }

    #[test]
    fn values_agree_with_numpy_and_scipy() {
        let sample = Sample::new(vec![93.4, 101.23, 123.0, 12.5, 7.25, 88.0]).unwrap();
        near(sample.mean(), 70.896_666_666_666_66);
        near(sample.median(), 90.7);
        near(sample.standard_deviation().unwrap(), 48.774_709_293_512_62);
        near(sample.variation().unwrap(), 48.774_709_293_512_62 / 70.896_666_666_666_66);
        near(sample.median_absolute_deviation(), 21.415);
        near(sample.quantile(0.1), 9.875);
        near(sample.quantile(0.25), 31.375);
        near(sample.quantile(0.9), 112.115);
        near(sample.spread(), 115.75);
    }

    #[test]
    fn a_single_value_has_no_deviation() {
        let sample = Sample::new(vec![3.0]).unwrap();
        assert_eq!((sample.median(), sample.spread()), (3.0, 0.0));
        assert_eq!((sample.standard_deviation(), sample.variation()), (None, None));
        assert_eq!(Sample::new(vec![0.0, 0.0]).unwrap().variation(), None);
    }

    #[test]
    fn non_numbers_are_refused() {
        assert_eq!(Sample::new(vec![]), Err(SampleError::Empty));
        assert_eq!(Sample::new(vec![1.0, f64::NAN]), Err(SampleError::NotFinite(1)));
    }

    proptest! {
        #[test]
        fn every_middle_lies_between_the_ends(values in prop::collection::vec(-1e9..1e9_f64, 1..50), part in 0.0..=1.0_f64) {
            let sample = Sample::new(values).unwrap();
            let inside = sample.min()..=sample.max();
            prop_assert!(inside.contains(&sample.median()) && inside.contains(&sample.quantile(part)));
            prop_assert!(sample.quantile(part) <= sample.quantile(1.0));
            prop_assert!(sample.median_absolute_deviation() <= sample.spread());
        }
    }
}
