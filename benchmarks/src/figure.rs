//! A figure of a benchmark, with what is promised of it.

use serde_json::{Value, json};
use stats::Sample;

#[derive(Clone, Copy)]
pub enum Bar {
    Under(f64),
    Over(f64),
}

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

/// Returns a quantile; of no values it is no number, which reaches no bar.
pub fn quantile(values: &[f64], share: f64) -> f64 {
    Sample::new(values.to_vec()).map_or(f64::NAN, |sample| sample.quantile(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_values_reach_no_bar() {
        let none = quantile(&[], 0.5);
        assert_eq!(figure("a", "b", none, "s", Some(Bar::Under(2.0)))["is_reached"], false);
        assert_eq!(figure("a", "b", none, "s", Some(Bar::Over(2.0)))["is_reached"], false);
        assert_eq!(quantile(&[3.0, 1.0], 0.5), 2.0);
    }

    #[test]
    fn a_bar_is_above_or_below() {
        assert_eq!(figure("a", "b", 1.0, "s", Some(Bar::Under(2.0)))["is_reached"], true);
        assert_eq!(figure("a", "b", 1.0, "s", Some(Bar::Over(2.0)))["is_reached"], false);
        assert_eq!(figure("a", "b", 1.0, "s", None)["is_reached"], true);
    }
}
