//! A figure of a benchmark, with what is promised of it.

use serde_json::{Value, json};

/// What is promised of a figure.
#[derive(Clone, Copy)]
pub enum Bar {
    Under(f64),
    Over(f64),
}

/// A figure; without a bar nothing is promised of it.
pub fn figure(key: &str, what: &str, value: f64, unit: &str, bar: Option<Bar>) -> Value {
    let (bar, is_reached) = match bar {
        Some(Bar::Under(bar)) => (Some(format!("under {bar}")), value < bar),
        Some(Bar::Over(bar)) => (Some(format!("over {bar}")), value > bar),
        None => (None, true),
    };
    json!({ "key": key, "what": what, "value": value, "unit": unit, "bar": bar, "is_reached": is_reached })
}

/// What could not be measured, which misses no bar.
pub fn missing(key: &str, what: &str) -> Value {
    json!({ "key": key, "what": what, "value": null, "unit": "", "bar": null, "is_reached": true })
}

/// Returns the smallest of the values below or at which this share of them are.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(at.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_seen() {
        let values: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        assert_eq!(
            (quantile(&values, 0.5), quantile(&values, 0.99), quantile(&values, 1.0)),
            (50.0, 99.0, 100.0)
        );
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn a_bar_is_above_or_below() {
        assert_eq!(figure("a", "b", 1.0, "s", Some(Bar::Under(2.0)))["is_reached"], true);
        assert_eq!(figure("a", "b", 1.0, "s", Some(Bar::Over(2.0)))["is_reached"], false);
        assert_eq!(figure("a", "b", 1.0, "s", None)["is_reached"], true);
    }
}
