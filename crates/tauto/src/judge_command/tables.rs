//! The tables at the end, for people.

use super::Session;
use super::explain;
use super::left_out;
use crate::interrupt::signal_name;
use crate::output::{Align, Cell, Colour, Style, Table, verdict_style, visible};
use judge::{CaseJudgement, Judged, Judgement};
use model::{Bytes, Caveat, LimitKind, Nanos, RunEnd, Verdict};
use std::collections::BTreeSet;
use std::iter;
use unicode_width::UnicodeWidthStr;

/// A compiler says the most important first.
const COMPILER_LINES_MAX: usize = 40;

/// How much room names take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    /// Verdicts by id and in words.
    Words,
    /// Verdicts by id; their words come below the table.
    Ids,
    /// So, and submissions below the names of their folders.
    Folders,
}

/// Writes everything: one submission with its cases, several in a table, then limits and warnings.
///
/// # Errors
/// When verdicts are to be explained and cannot be, which is our failure.
pub fn text(session: &Session<'_>, colour: Colour, columns: Option<usize>) -> anyhow::Result<String> {
    let mut text = match session.judged.as_slice() {
        [] => String::new(),
        [one] => single(session, one, colour, columns),
        several => {
            let mut text =
                fit(columns, verdicts(several), |naming| submissions(session, naming).render(colour));
            text.push_str(&format!("\n{}\n", summary(several)));
            text
        }
    };
    if session.arguments.explain {
        text.push_str(&explain::text(session)?);
    }
    text.push_str(&left_out::text(&session.left_out, colour));
    text.push_str(&footer(session, colour));
    Ok(text)
}

/// Describes in one line what came of a submission.
pub fn line(judged: &Judged) -> String {
    let judgement = &judged.judgement;
    let name = visible(&judgement.name);
    let mut text = format!("{name}: {}", verdict_words(judgement.verdict, &judgement.caveats()));
    if let Some(slowest) = slowest(judgement) {
        text.push_str(&format!(", slowest {slowest}"));
    }
    match judged.as_expected() {
        Some(true) => text.push_str(", as expected"),
        Some(false) => text.push_str(&format!(", UNEXPECTED: {}", message(judged).unwrap_or_default())),
        None => {}
    }
    if let Some(error) = &judgement.judging_error {
        text.push_str(&format!(": {}", one_line(error)));
    }
    text
}

/// Renders with as many words as the terminal has room for, and with a legend where there are none.
fn fit(columns: Option<usize>, used: BTreeSet<Verdict>, render: impl Fn(Naming) -> String) -> String {
    let with_words = render(Naming::Words);
    let Some(columns) = columns.filter(|columns| width(&with_words) > *columns) else { return with_words };
    let with_ids = render(Naming::Ids);
    let table = if width(&with_ids) > columns { render(Naming::Folders) } else { with_ids };
    let legend: Vec<String> = used.iter().map(|verdict| format!("{verdict} {}", verdict.words())).collect();
    format!("{table}\n{}", wrapped(&legend, columns))
}

/// Measures a table by the rule below its header; notes in it may be of any length.
fn width(table: &str) -> usize {
    table.lines().nth(1).map_or(0, |rule| rule.chars().filter(|c| *c == '─').count())
}

/// Sets phrases in lines of a width.
fn wrapped(phrases: &[String], columns: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for (at, phrase) in phrases.iter().enumerate() {
        let comma = if at + 1 < phrases.len() { "," } else { "\n" };
        if used > 0 && used + phrase.width() + 2 > columns {
            text.push('\n');
            used = 0;
        } else if used > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(phrase);
        text.push_str(comma);
        used += phrase.width() + 1;
    }
    text
}

fn verdicts(judged: &[Judged]) -> BTreeSet<Verdict> {
    judged.iter().flat_map(|one| [one.judgement.verdict].into_iter().chain(told_expected(one))).collect()
}

/// Formats a verdict with its id, and what makes it weaker than others.
fn verdict_words(verdict: Verdict, caveats: &[Caveat]) -> String {
    let aside: Vec<&str> =
        iter::once(verdict.clics_id()).chain(caveats.iter().map(|caveat| caveat.words())).collect();
    format!("{} ({})", verdict.words(), aside.join(", "))
}

fn verdict_cell(verdict: Verdict, caveats: &[Caveat], naming: Naming) -> Cell {
    let mut text = match naming {
        Naming::Words => format!("{:<3} {}", verdict.clics_id(), verdict.words()),
        Naming::Ids | Naming::Folders => verdict.clics_id().to_owned(),
    };
    if !caveats.is_empty() {
        let words: Vec<&str> = caveats.iter().map(|caveat| caveat.words()).collect();
        text.push_str(&format!(" ({})", words.join(", ")));
    }
    Cell::styled(verdict_style(verdict), text)
}

fn submissions(session: &Session<'_>, naming: Naming) -> Table {
    let mut columns = vec![
        ("", Align::Left),
        ("submission", Align::Left),
        ("language", Align::Left),
        ("expected", Align::Left),
        ("verdict", Align::Left),
        ("slowest", Align::Right),
        ("memory", Align::Right),
        ("cases", Align::Right),
    ];
    let is_scoring = session.package.kind.scoring;
    if is_scoring {
        columns.push(("score", Align::Right));
    }
    let mut table = Table::new(&columns);
    let mut last_folder = "";
    for one in &session.judged {
        let judgement = &one.judgement;
        let name = match (naming, judgement.name.split_once('/')) {
            (Naming::Folders, Some((folder, name))) if !folder.is_empty() => {
                if folder != last_folder {
                    table.heading(folder);
                    last_folder = folder;
                }
                name
            }
            _ => judgement.name.as_str(),
        };
        let mut row = vec![
            mark(one),
            name.into(),
            judgement.language.as_deref().unwrap_or("-").into(),
            expected(one).into(),
            verdict_cell(judgement.verdict, &judgement.caveats(), naming),
            slowest(judgement).map_or_else(|| "-".to_owned(), |time| time.to_string()).into(),
            most_memory(judgement).map_or_else(|| "-".to_owned(), |bytes| bytes.to_string()).into(),
            passed(judgement, session.case_count).into(),
        ];
        if is_scoring {
            row.push(score(judgement).into());
        }
        table.row(row);
        for (style, note) in notes(one) {
            table.note(style, &note);
        }
    }
    table
}

/// Shows at a glance, also without colours, what needs a look.
fn mark(judged: &Judged) -> Cell {
    if judged.judgement.verdict == Verdict::JudgingError {
        return Cell::styled(Style::Caution, "!");
    }
    match (judged.as_expected(), &judged.expectation) {
        (Some(true), _) => Cell::styled(Style::Good, "✓"),
        (Some(false), _) => Cell::styled(Style::Bad, "✗"),
        (None, Some(_)) => Cell::styled(Style::Caution, "?"),
        (None, None) => " ".into(),
    }
}

/// Lists what is expected; kinds of a slow or a crashed program that packages do not tell apart need
/// no words of their own.
fn told_expected(judged: &Judged) -> Vec<Verdict> {
    let all = judged.expected_verdicts();
    let implied = |verdict: &Verdict| match verdict {
        Verdict::WallTimeLimitExceeded => all.contains(&Verdict::TimeLimitExceeded),
        Verdict::MemoryLimitExceeded | Verdict::OutputLimitExceeded => all.contains(&Verdict::RunTimeError),
        _ => false,
    };
    all.iter().copied().filter(|verdict| !implied(verdict)).collect()
}

fn expected(judged: &Judged) -> String {
    let verdicts: Vec<_> = told_expected(judged).iter().map(|verdict| verdict.clics_id()).collect();
    match (&judged.expectation, verdicts.as_slice()) {
        (None, _) => "-".to_owned(),
        (Some(package::Expectation::Manual), _) => "by hand".to_owned(),
        (Some(package::Expectation::Verdict { partial_score: true, .. }), _) => "AC, partial".to_owned(),
        (Some(_), []) => "see rules".to_owned(),
        (Some(_), verdicts) => verdicts.join("/"),
    }
}

fn slowest(judgement: &Judgement) -> Option<Nanos> {
    let ran = judgement.cases.iter().any(|case| !case.runs.is_empty());
    ran.then(|| judgement.slowest_time())
}

fn most_memory(judgement: &Judgement) -> Option<Bytes> {
    let peaks =
        judgement.cases.iter().filter_map(|case| case.decisive_run()?.usage.memory_peak.known().copied());
    peaks.max()
}

fn passed(judgement: &Judgement, of: usize) -> String {
    let passed = judgement.cases.iter().filter(|case| case.verdict == Verdict::Accepted).count();
    format!("{passed}/{of}")
}

fn score(judgement: &Judgement) -> String {
    match (judgement.score, judgement.best_score) {
        (Some(score), Some(best)) => format!("{score}/{best}"),
        (Some(score), None) => score.to_string(),
        (None, _) => "-".to_owned(),
    }
}

/// Describes what is to be known of a submission among others.
fn notes(judged: &Judged) -> Vec<(Option<Style>, String)> {
    let judgement = &judged.judgement;
    if let Some(error) = &judgement.judging_error {
        return vec![(Some(Style::Caution), format!("judging error: {}", one_line(error)))];
    }
    let mut notes = Vec::new();
    match judged.as_expected() {
        Some(true) => return notes,
        Some(false) => {
            notes.push((Some(Style::Bad), format!("UNEXPECTED: {}", message(judged).unwrap_or_default())));
        }
        None => notes.extend(message(judged).map(|message| (Some(Style::Caution), message))),
    }
    if let Some(failure) = judgement.compilation.as_ref().and_then(|compilation| compilation.failure.as_ref())
    {
        notes.push((None, one_line(failure)));
    }
    let failed = judgement.cases.iter().find(|case| case.verdict != Verdict::Accepted);
    if let Some(case) = failed {
        let why = case_notes(case).into_iter().next();
        notes.push((
            None,
            format!("{}: {}", case.name, why.unwrap_or_else(|| case.verdict.words().to_owned())),
        ));
    }
    notes
}

fn single(session: &Session<'_>, judged: &Judged, colour: Colour, columns: Option<usize>) -> String {
    let judgement = &judged.judgement;
    let verdict = verdict_words(judgement.verdict, &judgement.caveats());
    let mut text =
        format!("{}: {}", visible(&judgement.name), colour.paint(verdict_style(judgement.verdict), &verdict));
    if let Some(language) = &judgement.language {
        text.push_str(&format!(", {language}"));
    }
    if judgement.score.is_some() {
        text.push_str(&format!(", score {}", score(judgement)));
    }
    text.push_str(&format!(", {} cases accepted\n", passed(judgement, session.case_count)));
    match (&judged.expectation, judged.as_expected()) {
        (Some(expectation), Some(true)) => text.push_str(&format!("as expected: {expectation}\n")),
        (_, Some(false)) => {
            let words = format!("UNEXPECTED: {}", message(judged).unwrap_or_default());
            text.push_str(&format!("{}\n", colour.paint(Style::Bad, &words)));
        }
        _ => text.extend(message(judged).map(|message| format!("{message}\n"))),
    }
    if let Some(error) = &judgement.judging_error {
        text.push_str(&format!("judging error: {}\n", visible(error)));
    }
    text.push_str(&compiler_output(judgement));
    if !judgement.cases.is_empty() {
        let used = judgement.cases.iter().map(|case| case.verdict).collect();
        text.push('\n');
        text.push_str(&fit(columns, used, |naming| cases(session, judgement, naming).render(colour)));
    }
    for group in judgement.group_documents(session.package) {
        let (Some(score), most) = (group.score, group.max_score) else { continue };
        let of = most.map_or_else(String::new, |most| format!(" of {most}"));
        text.push_str(&format!("group {}: score {score}{of}\n", visible(&group.name)));
    }
    text.push('\n');
    text
}

fn cases(session: &Session<'_>, judgement: &Judgement, naming: Naming) -> Table {
    let mut table = Table::new(&[
        ("case", Align::Left),
        ("verdict", Align::Left),
        ("cpu", Align::Right),
        ("wall", Align::Right),
        ("memory", Align::Right),
        ("runs", Align::Right),
    ]);
    for case in &judgement.cases {
        let usage = case.decisive_run().map(|run| &run.usage);
        let caveats: Vec<Caveat> =
            judgement.caveats.iter().copied().filter(|caveat| caveat.weakens(case.verdict)).collect();
        let shown = |value: Option<String>| Cell::from(value.unwrap_or_else(|| "-".to_owned()));
        table.row([
            case.name.as_str().into(),
            verdict_cell(case.verdict, &caveats, naming),
            shown(usage.map(|usage| usage.cpu_time.to_string())),
            shown(usage.map(|usage| usage.wall_time.to_string())),
            shown(usage.and_then(|usage| usage.memory_peak.known()).map(ToString::to_string)),
            case.runs.len().to_string().into(),
        ]);
        for note in case_notes(case) {
            table.note(None, &note);
        }
        let hint = session.package.cases().into_iter().find(|known| known.name == case.name);
        if let Some(hint) =
            hint.and_then(|known| known.hint.as_ref()).filter(|_| case.verdict != Verdict::Accepted)
        {
            table.note(None, &format!("hint: {}", one_line(hint)));
        }
    }
    table
}

/// Explains why a case came out as it did, the most telling first; nothing where all is well.
fn case_notes(case: &CaseJudgement) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(case.judging_error.as_ref().map(|error| format!("judging error: {}", one_line(error))));
    if let Some(checked) = case.checked.as_ref().filter(|_| case.verdict != Verdict::Accepted) {
        match &checked.difference {
            Some(difference) => notes.push(difference.to_string()),
            None if !checked.judge_message.is_empty() => notes.push(one_line(&checked.judge_message)),
            None => {}
        }
    }
    if case.verdict != Verdict::Accepted && case.checked.is_none() {
        notes.extend(case.decisive_run().and_then(|run| end(run.end)));
    }
    if let Some(words) = first_words(&case.stderr).filter(|_| case.verdict == Verdict::RunTimeError) {
        notes.push(format!("it said: {words}"));
    }
    // Where it was run once, the end above tells it all.
    if case.runs.len() > 1 || (notes.is_empty() && case.verdict != Verdict::Accepted) {
        notes.extend(case.run_again.iter().map(|again| format!("run again: {}", one_line(&again.reason))));
        notes.extend(case.reasons.iter().map(|reason| one_line(reason)));
    }
    if case.passes > 1 {
        notes.push(format!("{} passes", case.passes));
    }
    if case.nondeterministic {
        notes.push("runs differ in output or exit: it is nondeterministic".to_owned());
    }
    notes
}

fn end(end: RunEnd) -> Option<String> {
    match end {
        RunEnd::Exited(0) => None,
        RunEnd::Exited(code) => Some(format!("exit code {code}")),
        RunEnd::Signaled(signal) => Some(format!("killed by signal {signal} ({})", signal_name(signal))),
        RunEnd::Limit(LimitKind::CpuTime) => Some("killed at the kill limit".to_owned()),
        RunEnd::Limit(kind) => Some(kind.passed()),
    }
}

fn compiler_output(judgement: &Judgement) -> String {
    let Some(compilation) = &judgement.compilation else { return String::new() };
    let mut text = String::new();
    text.extend(compilation.failure.as_ref().map(|failure| format!("{}\n", visible(failure))));
    if compilation.failure.is_some() {
        let lines: Vec<&str> = compilation.output.lines().collect();
        for line in lines.iter().take(COMPILER_LINES_MAX) {
            text.push_str(&format!("  {}\n", visible(line)));
        }
        if lines.len() > COMPILER_LINES_MAX {
            text.push_str(&format!("  [{} more lines; --json has them]\n", lines.len() - COMPILER_LINES_MAX));
        }
    }
    text
}

fn summary(judged: &[Judged]) -> String {
    let count = |wanted: fn(&Judged) -> bool| judged.iter().filter(|one| wanted(one)).count();
    let mut parts = vec![format!("{} submissions", judged.len())];
    for (number, words) in [
        (count(|one| one.as_expected() == Some(true)), "as expected"),
        (count(|one| one.as_expected() == Some(false)), "UNEXPECTED"),
        (count(|one| one.expectation.is_some() && one.as_expected().is_none()), "to be looked at"),
        (count(|one| one.expectation.is_none()), "without expectation"),
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

fn footer(session: &Session<'_>, colour: Colour) -> String {
    let limit = &session.time_limit;
    let mut text = format!(
        "time limit {} ({}), killed at {} and on the clock at {}; memory limit {}\nmachine: {}\n",
        limit.limit,
        visible(&limit.origin.to_string()),
        session.rule.kill_limit,
        session.rule.wall_limit(),
        session.package.limits.memory,
        session.machine
    );
    match (&session.limit_record.stored_in, &session.limit_record.derivation) {
        (Some(file), _) => {
            text.push_str(&format!("the limit is stored in {}; --derive derives it again\n", file.display()));
        }
        (None, Some(_)) => text.push_str("the limit is not stored and holds for this call only\n"),
        (None, None) => {}
    }
    if session.rule.quick {
        text.push_str("one run decides each case (--quick)\n");
    }
    if let Some(why) = &session.cut_short {
        text.push_str(&format!("{} {}\n", colour.paint(Style::Caution, "cut short:"), visible(why)));
    }
    if let Some(folder) = &session.arguments.keep {
        text.push_str(&format!("kept in {}/SUBMISSION/CASE\n", folder.display()));
    }
    for warning in &session.warnings {
        text.push_str(&format!("{} {}\n", colour.paint(Style::Caution, "warning:"), visible(warning)));
    }
    text
}

/// Explains why it is not as expected, or that a person has to look.
fn message(judged: &Judged) -> Option<String> {
    judged.message().map(|message| visible(&message))
}

/// Makes the first line of a text harmless and says whether there was more.
fn one_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let first = visible(lines.next().unwrap_or_default());
    if lines.next().is_some() { format!("{first} …") } else { first }
}

fn first_words(stderr: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(stderr);
    // The last line of a traceback or a panic tells most.
    let last = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(visible(last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use package::Expectation;

    fn judged(name: &str, verdict: Verdict, expected: &[Verdict]) -> Judged {
        let judgement = Judgement { verdict, judging_error: None, ..Judgement::failed(name, String::new()) };
        let expectation =
            Expectation::Verdict { any_of: expected.iter().copied().collect(), partial_score: false };
        Judged::new(judgement, (!expected.is_empty()).then_some(&expectation))
    }

    #[test]
    fn a_line_says_what_is_unexpected() {
        use Verdict::{Accepted, WrongAnswer};
        assert_eq!(line(&judged("a.c", WrongAnswer, &[WrongAnswer])), "a.c: wrong answer (WA), as expected");
        assert_eq!(
            line(&judged("a.c", Accepted, &[WrongAnswer])),
            "a.c: accepted (AC), UNEXPECTED: is AC, expected WA"
        );
        assert_eq!(line(&judged("a.c", Accepted, &[])), "a.c: accepted (AC)");
    }

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

    #[test]
    fn a_narrow_terminal_gets_ids_and_a_legend() {
        let render = |naming| {
            let mut table = Table::new(&[("verdict", Align::Left)]);
            table.row([verdict_cell(Verdict::WallTimeLimitExceeded, &[], naming)]);
            table.render(Colour::Off)
        };
        let used = BTreeSet::from([Verdict::WallTimeLimitExceeded, Verdict::Accepted]);
        assert_eq!(fit(Some(80), used.clone(), render).lines().last(), Some("WTL wall time limit exceeded"));
        assert_eq!(
            fit(Some(20), used, render),
            "verdict\n───────\nWTL\n\nAC accepted,\nWTL wall time limit exceeded\n"
        );
    }

    #[test]
    fn texts_of_others_cannot_steer_the_terminal() {
        assert_eq!(one_line("a\x1b[2Jb\n\nmore"), "a·[2Jb …");
        assert_eq!(first_words(b"Traceback\n  line\nValueError: x\n\n").as_deref(), Some("ValueError: x"));
    }
}
