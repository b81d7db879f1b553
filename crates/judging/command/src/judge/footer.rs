//! The text around the tables: limits, counts, the machine, warnings.

use super::Session;
use judge::Judged;
use model::{Caveat, ScoreRules, Verdict, counted};
use package::Package;
use package::scoring::ChosenRules;
use terminal::{Colour, Style, prose, visible};

/// Returns the results of all submissions in one line.
pub fn summary(judged: &[Judged]) -> String {
    let count = |wanted: fn(&Judged) -> bool| judged.iter().filter(|one| wanted(one)).count();
    let mut parts = vec![counted(judged.len(), "submission")];
    for (number, words) in [
        (count(|one| one.as_expected() == Some(true)), "as expected"),
        (count(|one| one.as_expected() == Some(false)), "UNEXPECTED"),
        (count(|one| one.expectation.is_some() && one.as_expected().is_none()), "to be checked"),
        (count(|one| one.expectation.is_none()), "without expectation"),
        (count(|one| one.judgement.for_jury().next().is_some()), "for the jury to decide"),
        (count(|one| one.judgement.verdict == Verdict::JudgingError), "with a judging error"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {words}"));
        }
    }
    for caveat in Caveat::ALL {
        let number = judged.iter().filter(|one| one.judgement.caveats().contains(&caveat)).count();
        if number > 0 {
            parts.push(format!("{number} {}", caveat.long_words()));
        }
    }
    parts.join(", ")
}

pub fn limits(session: &Session<'_>) -> String {
    let (limit, rule) = (&session.time_limit, &session.rule);
    let origin = visible(&limit.origin.to_string());
    let (time, kill) = match rule.clock.instructions(limit.limit) {
        Some(count) => (
            format!("{count} instructions, {} of nominal time ({origin})", limit.limit),
            "safety limit of CPU time",
        ),
        None => (format!("{} ({origin})", limit.limit), "kill limit"),
    };
    let counter = session.counter.iter().map(|counter| format!(", counted by {counter}"));
    let text = format!(
        "time limit {time}, {kill} {}, wall limit {}, memory limit {}{}",
        rule.kill_limit,
        rule.wall_limit(),
        session.package.limits.memory,
        counter.collect::<String>(),
    );
    prose("", 2, &text) + &scores(session.package)
}

/// Returns by which rules points are computed, where the files have two readings.
fn scores(package: &Package) -> String {
    let Some(ChosenRules { rules, reason }) = &package.scores else { return String::new() };
    if !package.format.is_legacy() {
        return String::new();
    }
    let other = match rules {
        ScoreRules::Format => ScoreRules::Domjudge,
        ScoreRules::Domjudge => ScoreRules::Format,
    };
    prose("", 2, &format!("points by the rules '{rules}' ({}), or --scores {other}", visible(reason)))
}

/// Returns the machine, the files that were written, and the warnings.
pub fn footer(session: &Session<'_>, colour: Colour) -> String {
    let mut text = prose("machine: ", 2, &session.machine.to_string());
    match (&session.limit_record.stored_in, &session.limit_record.derivation) {
        (Some(file), _) => {
            let stored = format!("the limit is stored in {}; --derive derives it again", file.display());
            text.push_str(&prose("", 2, &stored));
        }
        (None, Some(_)) => text.push_str("the limit is not stored and holds for this call only\n"),
        (None, None) => {}
    }
    if session.rule.quick {
        text.push_str("one run decides each case (--quick)\n");
    }
    let mut marked = |mark: &str, words: &str| {
        text.push_str(&prose(&format!("{} ", colour.paint(Style::Caution, mark)), 2, &visible(words)));
    };
    session.cut_short.iter().for_each(|why| marked("cut short:", why));
    session.warnings.iter().for_each(|warning| marked("warning:", warning));
    text.extend(
        session.arguments.keep.iter().map(|folder| format!("kept in {}/SUBMISSION/CASE\n", folder.display())),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::super::tables::tests::judged;
    use super::*;

    #[test]
    fn the_summary_counts_what_there_is() {
        use Verdict::{Accepted, WrongAnswer};
        let all = [
            judged("a", Accepted, &[Accepted]),
            judged("b", Accepted, &[WrongAnswer]),
            judged("c", WrongAnswer, &[]),
        ];
        assert_eq!(summary(&all), "3 submissions, 1 as expected, 1 UNEXPECTED, 1 without expectation");
    }
}
