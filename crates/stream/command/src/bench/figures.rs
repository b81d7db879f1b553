//! Figures that are held against bars, and statistics of times.

use serde_json::{Value, json};
use terminal::{Align, Cell, Colour, Table};

/// One figure and its bar.
pub struct Figure {
    pub what: String,
    /// `None` if it could not be measured; then `what` says why.
    pub value: Option<f64>,
    pub unit: &'static str,
    /// The bar, as text, and whether it is reached.
    pub bar: Option<(String, bool)>,
}

impl Figure {
    pub fn at_most(what: &str, value: f64, unit: &'static str, most: f64) -> Self {
        let bar = Some((format!("at most {most}"), value <= most));
        Self { what: what.to_owned(), value: Some(value), unit, bar }
    }

    pub fn at_least(what: &str, value: f64, unit: &'static str, least: f64) -> Self {
        let bar = Some((format!("at least {least}"), value >= least));
        Self { what: what.to_owned(), value: Some(value), unit, bar }
    }

    pub fn plain(what: &str, value: f64, unit: &'static str) -> Self {
        Self { what: what.to_owned(), value: Some(value), unit, bar: None }
    }

    pub fn not_measured(what: &str, why: &str) -> Self {
        Self { what: format!("{what}: {why}"), value: None, unit: "", bar: None }
    }

    pub fn document(&self) -> Value {
        json!({
            "what": self.what,
            "value": self.value,
            "unit": self.unit,
            "bar": self.bar.as_ref().map(|(bar, _)| bar),
            "is_reached": self.bar.as_ref().is_none_or(|(_, is_reached)| *is_reached),
        })
    }
}

/// Returns the bars as a table.
pub fn table(figures: &[Figure]) -> Option<String> {
    let mut table = Table::new(&[("bar", Align::Left), ("measured", Align::Right), ("", Align::Left)]);
    for Figure { what, value, unit, bar } in figures {
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{} {unit}", short(value)));
        let bar = bar.as_ref().map_or_else(String::new, |(bar, is_reached)| {
            format!("{bar}: {}", if *is_reached { "reached" } else { "missed" })
        });
        table.row([Cell::from(what.as_str()), Cell::from(value.trim()), Cell::from(bar)]);
    }
    (!figures.is_empty()).then(|| table.render(Colour::for_stdout()))
}

/// Three digits.
pub fn short(value: f64) -> String {
    let decimals = match value {
        value if value < 10.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Returns the value that this part of all does not exceed.
pub fn quantile(values: &[f64], part: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() as f64 * part).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(f64::NAN)
}
