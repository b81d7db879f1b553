//! The tables at the end.

use super::footer::{footer, limits, summary};
use super::verdicts::{
    FOR_JURY, Naming, expected, fit, for_jury_cell, mark, submission_words, verdict_cell, verdicts,
};
use super::{Session, explain, left_out};
use judge::{CaseJudgement, Judged, Judgement};
use model::{Bytes, Caveat, LimitKind, Nanos, RunEnd, RunResult, Verdict};
use ruling::TimeRule;
use terminal::interrupt::signal_name;
use terminal::prose::{columns, prose};
use terminal::{Align, Cell, Colour, Style, Table, verdict_style, visible};

/// A compiler prints the most important lines first.
const COMPILER_LINES_MAX: usize = 40;

/// Returns everything: the limits, one submission with its cases or a table of several, then warnings.
pub fn text(session: &Session<'_>, colour: Colour) -> anyhow::Result<String> {
    let mut text = limits(session);
    match session.judged.as_slice() {
        [] => {}
        [one] => text.push_str(&single(session, one, colour)),
        several => {
            let (table, legend) = fit(columns(), &verdicts(several), |naming| submissions(session, naming));
            text.push_str(&format!("\n{}{legend}\n", table.render(colour)));
            text.push_str(&prose("", 2, &summary(several)));
        }
    }
    if session.arguments.explain {
        text.push_str(&explain::text(session)?);
    }
    text.push_str(&left_out::text(&session.left_out, colour));
    text.push_str(&footer(session, colour));
    Ok(text)
}

pub fn line(judged: &Judged, rule: Option<&TimeRule>) -> String {
    let judgement = &judged.judgement;
    let name = visible(&judgement.name);
    let mut text = format!("{name}: {}", submission_words(judgement, rule));
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
            match judgement.for_jury().next() {
                Some(_) => for_jury_cell(naming),
                None => verdict_cell(judgement.verdict, &judgement.caveats(), &session.rule, naming),
            },
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

/// Describes what is notable about one of several submissions.
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

fn single(session: &Session<'_>, judged: &Judged, colour: Colour) -> String {
    let judgement = &judged.judgement;
    let verdict = submission_words(judgement, Some(&session.rule));
    let is_for_jury = judgement.for_jury().next().is_some();
    let style = if is_for_jury { Style::Caution } else { verdict_style(judgement.verdict) };
    let mut text = format!("{}: {}", visible(&judgement.name), colour.paint(style, &verdict));
    if let Some(language) = &judgement.language {
        text.push_str(&format!(", {language}"));
    }
    if judgement.score.is_some() {
        text.push_str(&format!(", score {}", score(judgement)));
    }
    text.push_str(&format!(", {} cases accepted", passed(judgement, session.case_count)));
    let mut text = format!("\n{}", prose("", 2, &text));
    match (&judged.expectation, judged.as_expected()) {
        (Some(expectation), Some(true)) => text.push_str(&format!("as expected: {expectation}\n")),
        (_, Some(false)) => {
            let words = format!("UNEXPECTED: {}", message(judged).unwrap_or_default());
            text.push_str(&prose("", 2, &colour.paint(Style::Bad, &words)));
        }
        _ => text.extend(message(judged).map(|message| prose("", 2, &message))),
    }
    if let Some(error) = &judgement.judging_error {
        text.push_str(&prose("judging error: ", 2, &visible(error)));
    }
    text.push_str(&compiler_output(judgement));
    if !judgement.cases.is_empty() {
        let used = judgement.cases.iter().map(|case| case.verdict).collect();
        let (table, legend) = fit(columns(), &used, |naming| cases(session, judgement, naming));
        text.push_str(&format!("\n{}{legend}", table.render(colour)));
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
    let is_counted = session.rule.clock.is_instructions();
    let mut table = Table::new(&[
        ("case", Align::Left),
        ("verdict", Align::Left),
        (if is_counted { "instructions" } else { "cpu" }, Align::Right),
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
            match case.other_outputs.is_empty() {
                true => verdict_cell(case.verdict, &caveats, &session.rule, naming),
                false => for_jury_cell(naming),
            },
            shown(
                case.decisive_run().and_then(|run| {
                    if is_counted { count(run) } else { Some(run.usage.cpu_time.to_string()) }
                }),
            ),
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

/// Returns how many instructions a run executed; of one that was ended at their limit this is at least known.
fn count(run: &RunResult) -> Option<String> {
    let count = run.usage.instructions.known()?;
    let more = if run.end == RunEnd::Limit(LimitKind::Instructions) { "> " } else { "" };
    Some(format!("{more}{count}"))
}

/// Explains the result of a case, the most important reason first; empty if there is nothing to explain.
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
    if let Some(words) = &case.stderr_excerpt {
        notes.push(format!("on standard error: {}", visible(words)));
    }
    // If there was only one run, its end above explains everything.
    if case.runs.len() > 1 || (notes.is_empty() && case.verdict != Verdict::Accepted) {
        notes.extend(case.run_again.iter().map(|again| format!("run again: {}", one_line(&again.reason))));
        notes.extend(case.reasons.iter().map(|reason| one_line(reason)));
    }
    if let Some(words) = case.other_output_words() {
        notes.insert(0, format!("{FOR_JURY}: {words}"));
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

/// Explains why it is not as expected, or that a person has to decide.
fn message(judged: &Judged) -> Option<String> {
    judged.message().map(|message| visible(&message))
}

/// Makes the first line of a text safe for terminals, and adds whether there was more.
fn one_line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let first = visible(lines.next().unwrap_or_default());
    if lines.next().is_some() { format!("{first} …") } else { first }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use model::Nanos;
    use package::Expectation;

    pub fn judged(name: &str, verdict: Verdict, expected: &[Verdict]) -> Judged {
        let judgement = Judgement { verdict, judging_error: None, ..Judgement::failed(name, String::new()) };
        let expectation =
            Expectation::Verdict { any_of: expected.iter().copied().collect(), partial_score: false };
        Judged::new(judgement, (!expected.is_empty()).then_some(&expectation))
    }

    #[test]
    fn unexpected_results_are_explained_in_their_line() {
        use Verdict::{Accepted, WrongAnswer};
        let line = |verdict, expected: &[Verdict]| line(&judged("a.c", verdict, expected), None);
        assert_eq!(line(WrongAnswer, &[WrongAnswer]), "a.c: wrong answer (WA), as expected");
        assert_eq!(line(Accepted, &[WrongAnswer]), "a.c: accepted (AC), UNEXPECTED: is AC, expected WA");
        assert_eq!(line(Accepted, &[]), "a.c: accepted (AC)");
    }

    #[test]
    fn a_verdict_by_wall_time_names_the_limit() {
        let (rule, late) =
            (TimeRule::new(Nanos::from_millis(1000)), judged("a.c", Verdict::WallTimeLimitExceeded, &[]));
        assert_eq!(line(&late, Some(&rule)), "a.c: wall time limit exceeded (WTL, over 4.000 s)");
    }

    #[test]
    fn texts_of_others_cannot_steer_the_terminal() {
        assert_eq!(one_line("a\x1b[2Jb\n\nmore"), "a·[2Jb …");
        let case = CaseJudgement {
            stderr_excerpt: Some("a\x1b[2Jb".to_owned()),
            ..CaseJudgement::new("secret/1", Verdict::RunTimeError)
        };
        assert_eq!(case_notes(&case), ["on standard error: a·[2Jb"]);
    }
}
