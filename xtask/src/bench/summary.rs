//! Samples as a reader wants them: the median, the spread around it, and how many times the first arm's.

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
        let mut sorted = samples_ns.to_vec();
        sorted.sort_unstable();
        Some(Self {
            median_ns: quantile(&sorted, 0.5)?,
            p10_ns: quantile(&sorted, 0.1)?,
            p90_ns: quantile(&sorted, 0.9)?,
        })
    }
}

/// Returns the quantile of sorted values, between the two nearest where it falls between them.
fn quantile(sorted: &[u64], share: f64) -> Option<f64> {
    let position = share * sorted.len().checked_sub(1)? as f64;
    let below = position.floor() as usize;
    let low = *sorted.get(below)? as f64;
    let high = sorted.get(below + 1).map_or(low, |value| *value as f64);
    Some(low + (high - low) * (position - below as f64))
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
    use crate::bench::arm::Arm;

    fn outcome(name: &str, samples_ns: &[u64], failure: Option<&str>) -> Outcome {
        let failure = failure.map(str::to_owned);
        Outcome { arm: Arm::process(name, "all of it", &[]), samples_ns: samples_ns.to_vec(), failure }
    }

    #[test]
    fn quantiles_lie_between_samples() {
        for (samples, expect) in [
            (vec![7], (7.0, 7.0, 7.0)),
            (vec![4, 2], (3.0, 2.2, 3.8)),
            ((0..=100).rev().collect(), (50.0, 10.0, 90.0)),
        ] {
            let spread = Spread::of(&samples).unwrap();
            let found = [spread.median_ns, spread.p10_ns, spread.p90_ns];
            let near = found.iter().zip([expect.0, expect.1, expect.2]).all(|(a, b)| (a - b).abs() < 1e-9);
            assert!(near, "{samples:?}: {found:?}");
        }
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
