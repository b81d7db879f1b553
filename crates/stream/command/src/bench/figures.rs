//! Figures and their bars, and statistics of times.

use contest_command::output::table as table_of;
use documents::StreamBar;
use terminal::{Cell, Colour};

pub fn at_most(what: &str, value: f64, unit: &str, most: f64) -> StreamBar {
    let bar = Some(format!("at most {most}"));
    StreamBar { bar, is_reached: value <= most, ..plain(what, value, unit) }
}

pub fn at_least(what: &str, value: f64, unit: &str, least: f64) -> StreamBar {
    let bar = Some(format!("at least {least}"));
    StreamBar { bar, is_reached: value >= least, ..plain(what, value, unit) }
}

pub fn plain(what: &str, value: f64, unit: &str) -> StreamBar {
    StreamBar {
        what: what.to_owned(),
        value: Some(value),
        unit: unit.to_owned(),
        bar: None,
        is_reached: true,
    }
}

pub fn not_measured(what: &str, why: &str) -> StreamBar {
    let what = format!("{what}: {why}");
    StreamBar { what, value: None, unit: String::new(), bar: None, is_reached: true }
}

pub fn table(bars: &[StreamBar]) -> Option<String> {
    let mut table = table_of(&["bar", ">measured", ""]);
    for StreamBar { what, value, unit, bar, is_reached } in bars {
        let value = value.map_or_else(|| "-".to_owned(), |value| format!("{} {unit}", short(value)));
        let end = if *is_reached { "reached" } else { "missed" };
        let bar = bar.as_ref().map_or_else(String::new, |bar| format!("{bar}: {end}"));
        table.row([Cell::from(what.as_str()), Cell::from(value.trim()), Cell::from(bar)]);
    }
    (!bars.is_empty()).then(|| table.render(Colour::for_stdout()))
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
