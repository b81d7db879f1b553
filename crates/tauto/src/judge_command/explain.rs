//! Why each verdict is as it is: run by run, then the check, then the total.

use super::Session;
use super::judged::Judged;
use crate::output::visible;
use judge::CaseJudgement;
use model::{Reading, Verdict};
use ruling::{Ruling, TimeRule};
use unicode_width::UnicodeWidthStr;

/// With more submissions than this, those that were accepted are left out of the text.
const IN_FULL_MAX: usize = 5;
/// What a terminal of the usual width shows without breaking lines itself.
const COLUMNS: usize = 80;

/// A submission's explanation, in parts for people and for documents.
struct Explanation {
    cases: Vec<CaseExplanation>,
    total: Vec<String>,
}

/// A case's name, what it came to, and how that came about.
struct CaseExplanation {
    name: String,
    verdict: Verdict,
    steps: Vec<String>,
}

/// Writes the explanations of all submissions, or of those that were not accepted where there are many.
pub fn text(session: &Session<'_>) -> String {
    let rule = &session.rule;
    let mut text = format!(
        "Why, by rule {} (limit {}, killed at {}):\n",
        rule.numbers.version, rule.limit, rule.kill_limit
    );
    let is_many = session.judged.len() > IN_FULL_MAX;
    let mut left_out = 0;
    for judged in &session.judged {
        if is_many && judged.judgement.verdict == Verdict::Accepted {
            left_out += 1;
            continue;
        }
        let Explanation { cases, total } = explain(session, judged);
        let judgement = &judged.judgement;
        text.push_str(&format!(
            "\n{}: {} ({})\n",
            visible(&judgement.name),
            judgement.verdict.words(),
            judgement.verdict
        ));
        for case in cases {
            add_wrapped(&mut text, 2, &format!("{}: {}", case.name, case.verdict.words()));
            for step in &case.steps {
                add_wrapped(&mut text, 4, step);
            }
        }
        for sentence in &total {
            add_wrapped(&mut text, 2, sentence);
        }
    }
    if left_out > 0 {
        text.push_str(&format!(
            "\n{left_out} accepted submissions are left out; --json explains them, too.\n"
        ));
    }
    if let Some(why) = not_compared(session) {
        text.push('\n');
        add_wrapped(&mut text, 0, &format!("What is usual on the runs' CPUs is not known: {why}"));
    }
    text.push('\n');
    text
}

/// Says why runs were not compared with what is usual on their CPUs, if they were not.
fn not_compared<'s>(session: &'s Session<'_>) -> Option<&'s str> {
    let cases = session.judged.iter().flat_map(|judged| &judged.judgement.cases);
    cases.flat_map(|case| &case.runs).find_map(|run| match &run.evidence.unusual {
        Reading::Unavailable(why) => Some(why.as_str()),
        Reading::Known(_) => None,
    })
}

/// Gives one submission's explanation as sentences.
pub fn sentences(session: &Session<'_>, judged: &Judged) -> Vec<String> {
    let Explanation { cases, total } = explain(session, judged);
    let of_case = |case: CaseExplanation| {
        let CaseExplanation { name, steps, .. } = case;
        steps.into_iter().map(move |step| format!("{name}: {step}")).collect::<Vec<_>>()
    };
    cases.into_iter().flat_map(of_case).chain(total).collect()
}

fn explain(session: &Session<'_>, judged: &Judged) -> Explanation {
    let cases = judged.judgement.cases.iter();
    Explanation {
        cases: cases
            .map(|case| CaseExplanation {
                name: case.name.clone(),
                verdict: case.verdict,
                steps: steps(&session.rule, case),
            })
            .collect(),
        total: total(session, judged),
    }
}

/// Tells a case run by run, then what decided.
fn steps(rule: &TimeRule, case: &CaseJudgement) -> Vec<String> {
    let mut steps = Vec::new();
    let runs = &case.runs;
    if case.passes > 1 {
        steps.push(format!("{} passes; these are the runs of the last", case.passes));
    }
    for (at, run) in runs.iter().enumerate() {
        let mut step = format!("run {}: {}", at + 1, rule.describe(run));
        if at + 1 < runs.len()
            && let Ruling::RunAgain { reason } = rule.rule(&runs[..=at], u32::MAX)
        {
            step.push_str(&format!("; run again: {reason}"));
        }
        steps.push(step);
    }
    let check = check(case);
    if runs.is_empty() {
        steps.push(format!("nothing was run; {check}"));
    } else {
        steps.push(decision(rule, case, &check));
    }
    if case.nondeterministic {
        steps.push("its runs differ in output or exit: it is nondeterministic".to_owned());
    }
    steps
}

/// Says which run decided, and what of it.
fn decision(rule: &TimeRule, case: &CaseJudgement, check: &str) -> String {
    let ruling = rule.rule(&case.runs, u32::MAX);
    match ruling {
        Ruling::CheckOutput { run } => {
            let among = if case.runs.len() > 1 {
                format!("run {} decides, since no disturbance makes a run shorter", run + 1)
            } else {
                "it decides".to_owned()
            };
            format!("{among}: {check}")
        }
        Ruling::Verdict { verdict, run, reason } if verdict == case.verdict => {
            format!("run {} decides: {reason}", run + 1)
        }
        Ruling::Verdict { .. } | Ruling::RunAgain { .. } if case.interactor.is_some() => {
            format!("the interactor decides, before time does: {check}")
        }
        Ruling::Undecided { reason, .. } | Ruling::RunAgain { reason } | Ruling::Verdict { reason, .. } => {
            format!("no verdict: {}", case.judging_error.as_ref().unwrap_or(&reason))
        }
    }
}

/// Says what the check found.
fn check(case: &CaseJudgement) -> String {
    if let Some(error) = &case.judging_error {
        return format!("the check failed, which is our error: {}", one_line(error));
    }
    let Some(checked) = &case.checked else {
        return case
            .reasons
            .last()
            .map_or_else(|| case.verdict.words().to_owned(), |reason| one_line(reason));
    };
    let mut words = format!("the check says {}", checked.verdict.words());
    match &checked.difference {
        Some(difference) => words.push_str(&format!(", {difference}")),
        None if !checked.judge_message.is_empty() => {
            words.push_str(&format!(", {}", one_line(&checked.judge_message)));
        }
        None => {}
    }
    if let Some(score) = checked.score {
        words.push_str(&format!(", score {score}"));
    }
    words
}

/// Says why the whole is as it is.
fn total(session: &Session<'_>, judged: &Judged) -> Vec<String> {
    let judgement = &judged.judgement;
    let words = judgement.verdict.words();
    if let Some(error) = &judgement.judging_error {
        return vec![format!("total: {words}, since we failed: {}", one_line(error))];
    }
    if let Some(failure) = judgement.compilation.as_ref().and_then(|compilation| compilation.failure.as_ref())
    {
        return vec![format!("total: {words}: {}", one_line(failure))];
    }
    let (done, all) = (judgement.cases.len(), session.case_count);
    let mut sentences = Vec::new();
    for group in &judgement.groups {
        sentences.push(format!("group {}: score {}", group.name, group.score));
    }
    let rejected = judgement.cases.iter().find(|case| case.verdict != Verdict::Accepted);
    let of_asked = if session.arguments.tests.is_empty() { "" } else { " of those asked for" };
    sentences.push(match (judgement.score, rejected) {
        (Some(score), _) => {
            let best = judgement.best_score.map_or_else(String::new, |best| format!(" of {best}"));
            format!("total: {words} with score {score}{best}, added up as the package says")
        }
        (None, None) => format!("total: {words}, since all {done} cases{of_asked} are"),
        (None, Some(case)) => {
            format!("total: {words}, since {} is the first case{of_asked} that is not accepted", case.name)
        }
    });
    if done < all {
        let left = all - done;
        sentences.push(format!("{left} of {all} cases were not run: they could change nothing"));
    }
    sentences
}

/// Makes the first line of a text harmless.
fn one_line(text: &str) -> String {
    visible(text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default())
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
