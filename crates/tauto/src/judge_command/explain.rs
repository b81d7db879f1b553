//! Why each verdict is as it is, laid out for people.

use super::Session;
use crate::output::visible;
use anyhow::Context;
use judge::{Judged, Judgement};
use model::Verdict;
use record::{CaseExplanation, Explanation, why_not_compared};
use unicode_width::UnicodeWidthStr;

/// With more submissions than this, those that were accepted are left out of the text.
const IN_FULL_MAX: usize = 5;
/// What a terminal of the usual width shows without breaking lines itself.
const COLUMNS: usize = 80;

/// Explains one submission.
///
/// # Errors
/// When its runs cannot be written down, which is our failure.
pub fn of(session: &Session<'_>, judged: &Judged) -> anyhow::Result<Explanation> {
    let judgement = &judged.judgement;
    let submission = judged.recorded(judgement.group_documents(session.package));
    Explanation::of(&session.basis(), &recorded(session, judged), &submission)
        .with_context(|| format!("cannot explain {}", judgement.name))
}

/// Writes the explanations of all submissions, or of those that were not accepted where there are many.
///
/// # Errors
/// When there is none, which is our failure.
pub fn text(session: &Session<'_>) -> anyhow::Result<String> {
    let rule = &session.rule;
    let mut text = format!(
        "Why, by rule {} (limit {}, killed at {}{}):\n",
        rule.numbers.version,
        rule.limit,
        rule.kill_limit,
        if rule.quick { ", one run decides" } else { "" }
    );
    if !rule.quick {
        text.push_str(&format!(
            "A run within the limit decides by itself; a time over it takes {} runs or more, {} at most,\n\
             {} apart, and {} at most for a case.\n",
            rule.numbers.runs_min,
            rule.numbers.runs_max,
            rule.numbers.spacing,
            rule.case_time_max()
        ));
    }
    let mut left_out = 0;
    for judged in &session.judged {
        if is_left_out(session.judged.len(), judged.judgement.verdict) {
            left_out += 1;
            continue;
        }
        let Judgement { name, verdict, .. } = &judged.judgement;
        add_submission(&mut text, name, *verdict, &of(session, judged)?);
    }
    add_left_out(&mut text, left_out);
    let not_compared = session
        .judged
        .iter()
        .find_map(|judged| Some(why_not_compared(&recorded(session, judged))?.to_owned()));
    if let Some(why) = not_compared {
        text.push('\n');
        add_wrapped(&mut text, 0, &format!("What is usual on the runs' CPUs is not known: {why}"));
    }
    text.push('\n');
    Ok(text)
}

/// Writes down the cases of a submission.
fn recorded(session: &Session<'_>, judged: &Judged) -> Vec<api::RecordCase> {
    let judgement = &judged.judgement;
    judgement.cases.iter().map(|case| case.recorded(&session.rule, &judgement.name)).collect()
}

/// Returns whether the text does not explain this one among this many.
pub fn is_left_out(submissions: usize, verdict: Verdict) -> bool {
    submissions > IN_FULL_MAX && verdict == Verdict::Accepted
}

/// Adds how many were left out.
pub fn add_left_out(text: &mut String, count: usize) {
    if count > 0 {
        text.push_str(&format!("\n{count} accepted submissions are left out; --json explains them, too.\n"));
    }
}

/// Adds the explanation of one submission.
pub fn add_submission(text: &mut String, name: &str, verdict: Verdict, explanation: &Explanation) {
    text.push_str(&format!("\n{}: {} ({verdict})\n", visible(name), verdict.words()));
    for CaseExplanation { name, verdict, steps } in &explanation.cases {
        add_wrapped(text, 2, &format!("{name}: {}", verdict.words()));
        for step in steps {
            add_wrapped(text, 4, step);
        }
    }
    for sentence in &explanation.total {
        add_wrapped(text, 2, sentence);
    }
}

/// Adds a sentence in lines of [`COLUMNS`], the first indented by `indent` and the others by two more.
fn add_wrapped(text: &mut String, indent: usize, sentence: &str) {
    let mut line = " ".repeat(indent);
    let mut is_empty = true;
    for word in visible(sentence).split_whitespace() {
        if !is_empty && line.width() + 1 + word.width() > COLUMNS {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(indent + 2);
        } else if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    text.push_str(&line);
    text.push('\n');
}
