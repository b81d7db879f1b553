//! Sentences that compare a command with the reference.

use super::text::{counted, enough_for_1_percent, metrics, name_of, p_value};
use bench::Metric;
use documents::{BenchAgainst, BenchReport, BenchSeries, Ratio};

/// Returns a comparison's ratio of one time.
pub fn ratio_of(against: &BenchAgainst, metric: Metric) -> &Ratio {
    let comparison = &against.comparison;
    if metric == Metric::Wall { &comparison.wall_time } else { &comparison.cpu_time }
}

/// Returns the letter of the command that the others are compared with.
pub fn compared_with(report: &BenchReport) -> &str {
    report.tautochrone.compared_with.as_deref().unwrap_or("A")
}

/// Describes in one sentence how a command compares with the one that is the reference.
pub fn headline(report: &BenchReport, against: &BenchAgainst, metric: Metric) -> String {
    let ratio = ratio_of(against, metric);
    let (letter, other) = (&against.command, compared_with(report));
    let times = format!("{letter} takes {:.4} times the {} of {other}", ratio.ratio, name_of(metric));
    match interval(ratio) {
        Some(interval) => format!("{times}, 95 % confidence {interval}: {}", verdict(ratio)),
        None => format!("{times}; {} pairs are needed for an interval", pairs_for_interval()),
    }
}

/// Returns how many pairs are needed for an interval.
pub fn pairs_for_interval() -> u32 {
    stats::pairs_for_confidence(stats::USUAL_CONFIDENCE)
}

pub fn interval(ratio: &Ratio) -> Option<String> {
    Some(format!("{:.4} to {:.4}", ratio.low?, ratio.high?))
}

fn verdict(ratio: &Ratio) -> String {
    match (&ratio.undecided_because, ratio.verdict.as_str()) {
        (Some(why), _) => format!("undecided: {why}"),
        (None, "undecided") => "no difference detected".to_owned(),
        (None, word) => word.to_owned(),
    }
}

/// Lists the facts of a comparison of two commands.
pub fn comparison_facts(report: &BenchReport, against: &BenchAgainst) -> Vec<(&'static str, String)> {
    let comparison = &against.comparison;
    let metric = metrics(report)[0];
    let mut facts = vec![(
        "p-values",
        format!(
            "{} (Wilcoxon signed-rank), {} (sign test), {} (permutation test): {} of {} pairs in turns",
            p_value(ratio_of(against, metric).p_value),
            p_value(comparison.sign_p_value),
            p_value(comparison.permutation_p_value),
            name_of(metric),
            comparison.pairs
        ),
    )];
    let other = if metric == Metric::Wall { Metric::Cpu } else { Metric::Wall };
    if !metrics(report).contains(&other) {
        let ratio = ratio_of(against, other);
        let interval = interval(ratio).map_or_else(String::new, |interval| format!(", {interval}"));
        let reference = compared_with(report);
        let text = format!("{:.4} times that of {reference}{interval}: {}", ratio.ratio, ratio.verdict);
        facts.push((name_of(other), text));
    }
    if let Some(needed) = comparison.pairs_needed_for_1_percent {
        facts.push(("pairs needed", enough_for_1_percent(needed, comparison.pairs)));
    }
    let series = |letter: &str| {
        report.results.iter().map(|result| &result.tautochrone).find(|series| series.letter == letter)
    };
    let reference = compared_with(report);
    let (first, second) = (series(reference), series(&against.command));
    let counts = |series: Option<&BenchSeries>| counted(series?);
    if let (Some(first), Some(second)) = (counts(first), counts(second))
        && let Some(words) = second.difference_from(&first, against.comparison.cpu_time.ratio - 1.0)
    {
        facts.push(("counted", words));
    }
    let rate = |series: Option<&BenchSeries>| series?.load_work_per_second;
    if let (Some(first), Some(second)) = (rate(first), rate(second)) {
        let text = format!(
            "did {:.3} times as much during {} as during {reference}",
            second / first,
            against.command
        );
        facts.push(("load", text));
    }
    facts
}
