//! A figure of a benchmark, with the bar that it has to reach.

use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
pub struct Figure {
    #[serde(default)]
    key: String,
    what: String,
    /// `None` if it could not be measured; then `what` has the reason.
    value: Option<f64>,
    unit: String,
    bar: Option<String>,
    pub is_reached: bool,
}

pub fn figure(key: impl Into<String>, what: impl Into<String>, value: f64, unit: &str) -> Figure {
    Figure { value: Some(value), unit: unit.to_owned(), ..Figure::missing(key, what) }
}

impl Figure {
    /// Makes a figure that could not be measured, which misses no bar.
    pub fn missing(key: impl Into<String>, what: impl Into<String>) -> Self {
        let (key, what) = (key.into(), what.into());
        Self { key, what, value: None, unit: String::new(), bar: None, is_reached: true }
    }

    pub fn under(self, bar: f64) -> Self {
        let is_reached = self.value.is_some_and(|value| value < bar);
        Self { bar: Some(format!("under {bar}")), is_reached, ..self }
    }

    pub fn over(self, bar: f64) -> Self {
        let is_reached = self.value.is_some_and(|value| value > bar);
        Self { bar: Some(format!("over {bar}")), is_reached, ..self }
    }
}

pub fn table(figures: &[Figure]) -> String {
    let mut table = "| what | value | bar |\n|---|--:|--:|\n".to_owned();
    for Figure { what, value, unit, bar, is_reached, .. } in figures {
        let outcome = if *is_reached { "reached" } else { "missed" };
        let bar = bar.as_ref().map_or_else(String::new, |bar| format!("{bar}, {outcome}"));
        let value = match value {
            Some(value) if *value >= 1000.0 => format!("{value:.0} {unit}"),
            Some(value) => format!("{value:.3} {unit}"),
            None => "-".to_owned(),
        };
        table.push_str(&format!("| {what} | {} | {bar} |\n", value.trim()));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_above_or_below() {
        for (figure, is_reached) in [
            (figure("a", "b", 1.0, "s").under(2.0), true),
            (figure("a", "b", 1.0, "s").over(2.0), false),
            (figure("a", "b", f64::NAN, "s").under(2.0), false),
            (figure("a", "b", f64::NAN, "s").over(2.0), false),
            (figure("a", "b", 1.0, "s"), true),
            (Figure::missing("a", "b"), true),
        ] {
            assert_eq!(figure.is_reached, is_reached, "{figure:?}");
        }
    }

    #[test]
    fn missed_bar_is_marked() {
        let figures = [
            figure("rest", "all else", 61.25, "ms").under(50.0),
            figure("pairs", "pairs", 8944.4, "/s").over(1500.0),
            Figure::missing("pg", "PostgreSQL: not installed"),
        ];
        let printed = serde_json::to_string(&figures).unwrap();
        let read: Vec<Figure> = serde_json::from_str(&printed).unwrap();
        let table = table(&read);
        assert!(table.contains("| all else | 61.250 ms | under 50, missed |\n"), "{table}");
        assert!(table.contains("| pairs | 8944 /s | over 1500, reached |\n"), "{table}");
        assert!(table.contains("| PostgreSQL: not installed | - |  |\n"), "{table}");
    }
}
