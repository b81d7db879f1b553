//! Verdicts in tables, with as many words as there is room for.

use judge::{Judged, Judgement};
use model::{Caveat, Verdict};
use ruling::TimeRule;
use std::collections::BTreeSet;
use terminal::prose::unbroken;
use terminal::{Cell, Style, Table, prose, verdict_style};

/// How much room the names need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    Words,
    /// Verdicts by id; their words are below the table.
    Ids,
    /// The same, and submissions are grouped under the names of their folders.
    Folders,
}

/// Returns the table with the first naming that fits, otherwise the shortest, and a legend if words are omitted.
pub fn fit(columns: usize, used: &BTreeSet<Verdict>, make: impl Fn(Naming) -> Table) -> (Table, String) {
    let fitting = |naming| Some(make(naming)).filter(|table| table.width() <= columns);
    if let Some(table) = fitting(Naming::Words) {
        return (table, String::new());
    }
    let table = fitting(Naming::Ids).unwrap_or_else(|| make(Naming::Folders));
    let named = |verdict: &Verdict| unbroken(&format!("{verdict} {}", verdict.words()));
    let legend: Vec<String> = used.iter().map(named).collect();
    (table, format!("\n{}", prose("", 2, &legend.join(", "))))
}

pub fn verdicts(judged: &[Judged]) -> BTreeSet<Verdict> {
    judged.iter().flat_map(|one| [one.judgement.verdict].into_iter().chain(told_expected(one))).collect()
}

/// Returns the remarks on a verdict: the wall-time limit if that decided, and what makes the verdict weaker.
fn asides(verdict: Verdict, caveats: &[Caveat], rule: Option<&TimeRule>) -> Vec<String> {
    let rule = rule.filter(|_| verdict == Verdict::WallTimeLimitExceeded);
    let limit = rule.map(|rule| format!("over {}", rule.wall_limit()));
    limit.into_iter().chain(caveats.iter().map(|caveat| caveat.words().to_owned())).collect()
}

pub fn verdict_words(verdict: Verdict, caveats: &[Caveat], rule: Option<&TimeRule>) -> String {
    let id = std::iter::once(verdict.clics_id().to_owned());
    let aside: Vec<String> = id.chain(asides(verdict, caveats, rule)).collect();
    format!("{} ({})", verdict.words(), aside.join(", "))
}

/// The note about an accepted output after another one: it is no verdict yet.
pub const FOR_JURY: &str = "for the jury to decide";

pub fn submission_words(judgement: &Judgement, rule: Option<&TimeRule>) -> String {
    let words = verdict_words(judgement.verdict, &judgement.caveats(), rule);
    if judgement.for_jury().next().is_some() { format!("{words}, {FOR_JURY}") } else { words }
}

/// Returns the cell of a verdict that is none until the jury has decided.
pub fn for_jury_cell(naming: Naming) -> Cell {
    let accepted = Verdict::Accepted;
    let words = if naming == Naming::Words { format!(" {}", accepted.words()) } else { String::new() };
    Cell::styled(Style::Caution, format!("{:<3}{words} ({FOR_JURY})", accepted.clics_id()))
}

pub fn verdict_cell(verdict: Verdict, caveats: &[Caveat], rule: &TimeRule, naming: Naming) -> Cell {
    let mut text = match naming {
        Naming::Words => format!("{:<3} {}", verdict.clics_id(), verdict.words()),
        Naming::Ids | Naming::Folders => verdict.clics_id().to_owned(),
    };
    let asides = asides(verdict, caveats, Some(rule));
    if !asides.is_empty() {
        text.push_str(&format!(" ({})", asides.join(", ")));
    }
    Cell::styled(verdict_style(verdict), text)
}

/// Marks submissions that need attention, also without colours.
pub fn mark(judged: &Judged) -> Cell {
    if judged.judgement.verdict == Verdict::JudgingError {
        return Cell::styled(Style::Caution, "!");
    }
    if judged.judgement.for_jury().next().is_some() {
        return Cell::styled(Style::Caution, "?");
    }
    match (judged.as_expected(), &judged.expectation) {
        (Some(true), _) => Cell::styled(Style::Good, "✓"),
        (Some(false), _) => Cell::styled(Style::Bad, "✗"),
        (None, Some(_)) => Cell::styled(Style::Caution, "?"),
        (None, None) => " ".into(),
    }
}

/// Lists the expected verdicts, without variants of a slow or a crashed program that packages do not distinguish.
fn told_expected(judged: &Judged) -> Vec<Verdict> {
    let all = judged.expected_verdicts();
    let implied = |verdict: &Verdict| match verdict {
        Verdict::WallTimeLimitExceeded => all.contains(&Verdict::TimeLimitExceeded),
        Verdict::MemoryLimitExceeded | Verdict::OutputLimitExceeded => all.contains(&Verdict::RunTimeError),
        _ => false,
    };
    all.iter().copied().filter(|verdict| !implied(verdict)).collect()
}

pub fn expected(judged: &Judged) -> String {
    let verdicts: Vec<_> = told_expected(judged).iter().map(|verdict| verdict.clics_id()).collect();
    match (&judged.expectation, verdicts.as_slice()) {
        (None, _) => "-".to_owned(),
        (Some(package::Expectation::Manual), _) => "by hand".to_owned(),
        (Some(package::Expectation::Verdict { partial_score: true, .. }), _) => "AC, partial".to_owned(),
        (Some(_), []) => "see rules".to_owned(),
        (Some(_), verdicts) => verdicts.join("/"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Nanos;
    use terminal::{Align, Colour};

    #[test]
    fn a_narrow_terminal_gets_ids_and_a_legend() {
        let rule = TimeRule::new(Nanos::from_millis(1000));
        let make = |naming| {
            let mut table = Table::new(&[("verdict", Align::Left)]);
            table.row([verdict_cell(Verdict::WallTimeLimitExceeded, &[], &rule, naming)]);
            table
        };
        let used = BTreeSet::from([Verdict::WallTimeLimitExceeded, Verdict::Accepted]);
        let (table, legend) = fit(80, &used, make);
        let text = table.render(Colour::Off);
        assert_eq!(text.lines().last(), Some("WTL wall time limit exceeded (over 4.000 s)"));
        assert_eq!(legend, "");
        let (table, legend) = fit(20, &used, make);
        assert_eq!(table.render(Colour::Off), "verdict\n──────────────────\nWTL (over 4.000 s)\n");
        assert_eq!(legend, "\nAC accepted, WTL wall time limit exceeded\n");
    }
}
