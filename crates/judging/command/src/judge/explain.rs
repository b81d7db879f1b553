//! Explanations of verdicts, formatted for display.

use super::Session;
use anyhow::Context;
use judge::{Judged, Judgement};
use model::Verdict;
use record::{CaseExplanation, Explanation, why_not_compared};
use terminal::{prose, visible};

/// With more submissions than this, accepted ones are not explained in the text.
const IN_FULL_MAX: usize = 5;

/// Explains one submission.
pub fn of(session: &Session<'_>, judged: &Judged) -> anyhow::Result<Explanation> {
    let judgement = &judged.judgement;
    let submission = judged.recorded(judgement.group_documents(session.package));
    Explanation::of(&session.basis(), &recorded(session, judged), &submission)
        .with_context(|| format!("cannot explain {}", judgement.name))
}

/// Returns the explanations of all submissions, or only of those that were not accepted if there are many.
pub fn text(session: &Session<'_>) -> anyhow::Result<String> {
    let rule = &session.rule;
    let mut text = format!(
        "Why, by rule {} (limit {}, kill limit {}, wall limit {}{}):\n",
        rule.numbers.version,
        rule.limit,
        rule.kill_limit,
        rule.wall_limit(),
        if rule.one_run_decides() { ", one run decides" } else { "" }
    );
    if !rule.one_run_decides() {
        let repeats = format!(
            "A run within the limit decides by itself; a time over it takes {} runs or more, {} at most, {} apart, \
             and {} at most for a case.",
            rule.numbers.runs_min,
            rule.numbers.runs_max,
            rule.numbers.spacing,
            rule.case_time_max()
        );
        add_wrapped(&mut text, 0, &repeats);
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
        add_wrapped(&mut text, 0, &format!("The usual values of the runs' CPUs are not known: {why}"));
    }
    text.push('\n');
    Ok(text)
}

/// Makes the recorded form of a submission's cases.
fn recorded(session: &Session<'_>, judged: &Judged) -> Vec<documents::RecordCase> {
    let judgement = &judged.judgement;
    judgement.cases.iter().map(|case| case.recorded(&session.rule, &judgement.name)).collect()
}

/// Returns whether the text omits a submission with this verdict, if there are this many.
pub fn is_left_out(submissions: usize, verdict: Verdict) -> bool {
    submissions > IN_FULL_MAX && verdict == Verdict::Accepted
}

pub fn add_left_out(text: &mut String, count: usize) {
    if count > 0 {
        text.push_str(&format!("\n{count} accepted submissions are left out; --json explains them too.\n"));
    }
}

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

/// Adds a sentence, the first line indented by `indent` and the others by two more.
fn add_wrapped(text: &mut String, indent: usize, sentence: &str) {
    text.push_str(&prose(&" ".repeat(indent), indent + 2, &visible(sentence)));
}
