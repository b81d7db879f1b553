//! What a server and judgehosts take from submission to verdict, beside what compiling and running take.

mod load;
mod pools;
mod real;
mod recorded;
mod site;

use anyhow::Result;
use load::Load;
use serde_json::{Value, json};
use std::path::Path;

/// The times from submission to first verdict at the World Finals 2024: 1,606 submissions of 130 teams.
const FINALS_P99_S: f64 = 22.0;

/// Measures all; `tauto` is the released program.
pub fn all(tauto: &Path) -> Result<Vec<Value>> {
    let mut rows = recorded::ten_hosts(&Load::finals(10))?;
    rows.extend(real::one_host(tauto)?);
    rows.extend(pools::two_hosts(tauto)?);
    Ok(rows)
}

/// A figure with its bar, as `(limit, whether less is better)`.
fn row(key: &str, what: &str, value: f64, unit: &str, bar: Option<(f64, bool)>) -> Value {
    let is_reached = bar.is_none_or(|(bar, is_most)| if is_most { value < bar } else { value > bar });
    json!({
        "key": key, "what": what, "value": value, "unit": unit,
        "bar": bar.map(|(bar, is_most)| format!("{} {bar}", if is_most { "under" } else { "over" })),
        "is_reached": is_reached,
    })
}

/// Returns the value below which this share of the values are.
fn quantile(values: &[f64], share: f64) -> f64 {
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
        assert_eq!(row("a", "b", 1.0, "s", Some((2.0, true)))["is_reached"], true);
        assert_eq!(row("a", "b", 1.0, "s", Some((2.0, false)))["is_reached"], false);
        assert_eq!(row("a", "b", 1.0, "s", None)["is_reached"], true);
    }
}
