//! Samples as a reader wants them: the median, the spread around it, and how many times the first arm's.

use stats::Sample;

use super::rounds::Outcome;

/// The middle of some times and four fifths of them around it, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    pub median_ns: f64,
    pub p10_ns: f64,
    pub p90_ns: f64,
}

impl Spread {
    /// Returns the spread of some times; none without any.
    pub fn of(samples_ns: &[u64]) -> Option<Self> {
        let sample = sample_of(samples_ns)?;
        Some(Self { median_ns: sample.median(), p10_ns: sample.quantile(0.1), p90_ns: sample.quantile(0.9) })
    }
}

/// Returns the times as a sample; `None` without any.
pub fn sample_of(times_ns: &[u64]) -> Option<Sample> {
    Sample::new(times_ns.iter().map(|ns| *ns as f64).collect()).ok()
}

/// Milliseconds with as many digits as say something.
pub fn milliseconds(time_ns: f64) -> String {
    let time_ms = time_ns / 1e6;
    let digits = match time_ms {
        ms if ms < 10.0 => 2,
        ms if ms < 100.0 => 1,
        _ => 0,
    };
    format!("{time_ms:.digits$}")
}

/// Returns a Markdown table of all arms; `reference` is the arm that the ratios refer to.
pub fn table(outcomes: &[Outcome], reference: &str) -> String {
    let spread = |outcome: &Outcome| Spread::of(&outcome.samples_ns).filter(|_| outcome.failure.is_none());
    let reference_ns = outcomes
        .iter()
        .find(|outcome| outcome.arm.name == reference)
        .and_then(spread)
        .map(|spread| spread.median_ns);
    let mut table = format!(
        "| tool | median ms | p10..p90 ms | times `{reference}` | samples | covers |\n|---|--:|--:|--:|--:|---|\n"
    );
    for outcome in outcomes {
        let (name, covers) = (&outcome.arm.name, &outcome.arm.covers);
        let row = match (spread(outcome), &outcome.failure) {
            (Some(spread), _) => {
                let ratio = reference_ns.map_or("-".to_owned(), |ns| format!("{:.2}", spread.median_ns / ns));
                format!(
                    "| {name} | {} | {}..{} | {ratio} | {} | {covers} |\n",
                    milliseconds(spread.median_ns),
                    milliseconds(spread.p10_ns),
                    milliseconds(spread.p90_ns),
                    outcome.samples_ns.len()
                )
            }
            (None, failure) => {
                // A line end or a bar would end the row or the cell.
                let why = failure.as_deref().unwrap_or("no samples").replace('\n', " ").replace('|', "/");
                format!("| {name} | - | - | - | 0 | {why} |\n")
            }
        };
        table.push_str(&row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparisons::arm::Arm;

    fn outcome(name: &str, samples_ns: &[u64], failure: Option<&str>) -> Outcome {
        let failure = failure.map(str::to_owned);
        Outcome { arm: Arm::process(name, "all of it", &[]), samples_ns: samples_ns.to_vec(), failure }
    }

    #[test]
    fn a_spread_needs_samples() {
        let spread = Spread { median_ns: 50.0, p10_ns: 10.0, p90_ns: 90.0 };
        assert_eq!(Spread::of(&(0..=100).rev().collect::<Vec<_>>()), Some(spread));
        assert_eq!(Spread::of(&[]), None);
    }

    #[test]
    fn every_arm_has_a_row() {
        let outcomes = [
            outcome("ours", &[2_000_000, 2_000_000], None),
            outcome("theirs", &[30_000_000, 30_000_000], None),
            outcome("broken", &[1], Some("failed: a | b\nc")),
        ];
        let rows: Vec<String> = table(&outcomes, "ours").lines().skip(2).map(str::to_owned).collect();
        assert_eq!(
            rows,
            [
                "| ours | 2.00 | 2.00..2.00 | 1.00 | 2 | all of it |",
                "| theirs | 30.0 | 30.0..30.0 | 15.00 | 2 | all of it |",
                "| broken | - | - | - | 0 | failed: a / b c |",
            ]
        );
        assert!(table(&outcomes, "broken").contains("| ours | 2.00 | 2.00..2.00 | - |"));
    }
}
