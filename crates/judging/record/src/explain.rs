//! Explains each verdict: run by run, then the check, then the total. Nothing is judged again.

use crate::Basis;
use documents::{Differs, NotARun, RecordCase, RecordRuling, RecordSubmission, Repeat, RulingDecision};
use model::{HardwareCounts, Nanos, RunResult, Verdict};
use ruling::TimeRule;
use std::collections::BTreeMap;

/// A submission's explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The explanation of each case, in judging order.
    pub cases: Vec<CaseExplanation>,
    pub total: Vec<String>,
}

/// A case's name, verdict and explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseExplanation {
    pub name: String,
    pub verdict: Verdict,
    /// A sentence for each run, then what decided.
    pub steps: Vec<String>,
}

impl Explanation {
    /// Explains a submission, with its cases in judging order.
    pub fn of(basis: &Basis, cases: &[RecordCase], submission: &RecordSubmission) -> Result<Self, NotARun> {
        let explained = cases.iter().map(|case| {
            Ok(CaseExplanation {
                name: case.case.case.clone(),
                verdict: case.case.verdict.0,
                steps: steps(&basis.rule, case)?,
            })
        });
        Ok(Self { cases: explained.collect::<Result<_, _>>()?, total: total(basis, cases, submission) })
    }

    /// Returns it as sentences that name their cases.
    pub fn sentences(&self) -> Vec<String> {
        let of_case = |case: &CaseExplanation| {
            let CaseExplanation { name, steps, .. } = case;
            steps.iter().map(|step| format!("{name}: {step}")).collect::<Vec<_>>()
        };
        self.cases.iter().flat_map(of_case).chain(self.total.iter().cloned()).collect()
    }
}

/// Returns why a run was not compared with the usual values of its CPUs, if one was not.
pub fn why_not_compared<'c>(cases: impl IntoIterator<Item = &'c RecordCase>) -> Option<&'c str> {
    let runs = cases.into_iter().flat_map(|case| &case.runs);
    let mut not_compared = runs.map(|run| &run.evidence).filter(|evidence| evidence.unusual.is_none());
    not_compared.find_map(|evidence| evidence.unavailable.get("unusual").map(String::as_str))
}

/// Explains a case run by run, then what decided.
fn steps(rule: &TimeRule, case: &RecordCase) -> Result<Vec<String>, NotARun> {
    let mut steps = Vec::new();
    let runs = &case.runs;
    // The reason for a repeat is printed with its run, if that run is shown.
    let (mut reasons, mut other) = (BTreeMap::new(), Vec::new());
    for (at, why) in case.run_again.iter().enumerate() {
        let again = match case.case.run_again.get(at) {
            Some(again) => (again.pass, again.run as usize),
            // The oldest records do not store which run it was.
            None if case.passes > 1 => (0, 0),
            None => (1, at + 1),
        };
        match again {
            (pass, run) if pass == case.passes.max(1) && (1..=runs.len()).contains(&run) => {
                reasons.insert(run, why);
            }
            (0, _) => other.push(format!("run again: {why}")),
            (pass, run) => other.push(format!("pass {pass}, run {run}; run again: {why}")),
        }
    }
    if case.passes > 1 {
        steps.push(format!("{} passes; these are the runs of the last", case.passes));
    }
    steps.extend(other);
    let shortest = runs.iter().enumerate().min_by_key(|(_, run)| run.cpu_time_ns).map(|(at, _)| at);
    for (at, run) in runs.iter().enumerate() {
        let mut step = format!("run {}: {}", at + 1, describe(rule, run)?);
        if let Some(shortest) = shortest.filter(|shortest| *shortest != at)
            && let Some(words) = counted_compared_with(run, &runs[shortest])
        {
            step.push_str(&format!("; compared with run {}: {words}", shortest + 1));
        }
        if let Some(why) = reasons.get(&(at + 1)) {
            step.push_str(&format!("; run again: {why}"));
        }
        steps.push(step);
    }
    let check = check(case);
    steps.push(match &case.ruling {
        Some(ruling) => decision(ruling, case, &check),
        // Runs of a check that failed between them are not kept.
        None if case.judging_error.is_some() => check,
        None => format!("nothing was run; {check}"),
    });
    if case.case.nondeterministic {
        steps.push("its runs differ in output or exit: it is nondeterministic".to_owned());
    }
    for other in &case.case.other_outputs {
        let of_pass = if case.passes > 1 { format!(" of pass {}", other.pass) } else { String::new() };
        let what = match other.differs {
            Differs::Output => {
                format!(
                    "was over the limit and wrote something else ({} B) than the accepted run",
                    other.output.bytes
                )
            }
            Differs::Time => format!(
                "took {}, and nothing explains why it took so much longer than the accepted run",
                Nanos(other.cpu_time_ns)
            ),
        };
        steps.push(format!("run {}{of_pass} {what}: the jury decides", other.run));
    }
    Ok(steps)
}

/// Describes a run, including what a document has only in words.
fn describe(rule: &TimeRule, run: &Repeat) -> Result<String, NotARun> {
    let unusual = run.evidence.unusual.iter().flatten().map(|phrase| format!("; {phrase}"));
    Ok(std::iter::once(rule.describe(&RunResult::try_from(run)?)).chain(unusual).collect())
}

/// Describes what the processor counted in a run compared with a shorter one, and which side accounts for the difference.
fn counted_compared_with(run: &Repeat, shortest: &Repeat) -> Option<String> {
    let counts = |run: &Repeat| run.evidence.hardware.map(HardwareCounts::from);
    let time = run.cpu_time_ns as f64 / shortest.cpu_time_ns.max(1) as f64 - 1.0;
    counts(run)?.difference_from(&counts(shortest)?, time)
}

/// Returns which run decided, and what about it.
fn decision(ruling: &RecordRuling, case: &RecordCase, check: &str) -> String {
    let run = u64::from(ruling.run) + 1;
    match ruling.decision {
        RulingDecision::CheckOutput if case.runs.len() > 1 => {
            format!("run {run} decides, since no disturbance makes a run shorter: {check}")
        }
        RulingDecision::CheckOutput => format!("it decides: {check}"),
        // Whatever the result is, a check that failed first may be its cause.
        RulingDecision::Verdict if case.judging_error.is_some() => check.to_owned(),
        RulingDecision::Verdict => format!("run {run} decides: {}", ruling.reason),
        RulingDecision::Interactor => format!("the interactor decides, before time does: {check}"),
        RulingDecision::Undecided => format!("no verdict: {}", ruling.reason),
    }
}

fn check(case: &RecordCase) -> String {
    let RecordCase { case: shown, judging_error, .. } = case;
    if let Some(error) = judging_error {
        return format!("the check failed, an internal error: {}", first_line(error));
    }
    let mut words = format!("the check's result: {}", shown.verdict.0.words());
    match (&shown.first_difference, &shown.judge_message) {
        (Some(difference), _) => words.push_str(&format!(", {}", difference.message)),
        (None, Some(message)) => words.push_str(&format!(", {}", first_line(message))),
        (None, None) => {}
    }
    if let Some(score) = shown.score {
        words.push_str(&format!(", score {score}"));
    }
    words
}

fn total(basis: &Basis, cases: &[RecordCase], recorded: &RecordSubmission) -> Vec<String> {
    let submission = &recorded.submission;
    let words = submission.verdict.0.words();
    if let Some(error) = &recorded.judging_error {
        return vec![format!("total: {words}, because of an internal error: {}", first_line(error))];
    }
    if let Some(compile) = submission.compile.as_ref().filter(|compile| !compile.succeeded) {
        return vec![format!("total: {words}: {}", first_line(&compile.output))];
    }
    let mut sentences = Vec::new();
    for group in &submission.groups {
        sentences.extend(group.score.map(|score| format!("group {}: score {score}", group.name)));
    }
    let (done, all) = (cases.len(), basis.case_count);
    let rejected = cases.iter().find(|case| case.case.verdict.0 != Verdict::Accepted);
    let of_asked = if basis.is_selection { " of those selected" } else { "" };
    let all_done = match (done, basis.is_selection) {
        (1, false) => "its one case is".to_owned(),
        (1, true) => "the one selected case is".to_owned(),
        _ => format!("all {done} cases{of_asked} are"),
    };
    sentences.push(match (submission.score, rejected) {
        (Some(score), _) => {
            let best = recorded.best_score.map_or_else(String::new, |best| format!(" of {best}"));
            format!("total: {words} with score {score}{best}, added up by the package's rules")
        }
        (None, None) => format!("total: {words}, since {all_done}"),
        (None, Some(case)) => {
            let name = &case.case.case;
            format!("total: {words}, since {name} is the first case{of_asked} that is not accepted")
        }
    });
    if !submission.jury_decides.is_empty() {
        let cases = submission.jury_decides.join(", ");
        sentences.push(format!("this is no verdict until the jury has decided about {cases}"));
    }
    for caveat in &submission.caveats {
        sentences.push(format!("this is weaker than other verdicts: {}", caveat.long_words()));
    }
    if done < all {
        let left = all - done;
        sentences.push(format!("{left} of {all} cases were not run: they could change nothing"));
    }
    sentences
}

/// Returns the first line of a text that is not blank.
fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Evidence, Nanos, Reading, RunEnd, Usage};

    fn run(cpu_ms: u64, counted: Option<(u64, u64)>) -> Repeat {
        let counts = counted.map(|(instructions, cycles)| HardwareCounts {
            instructions,
            cycles,
            ..HardwareCounts::default()
        });
        let hardware = counts.map_or_else(|| Reading::unavailable("none here"), Reading::Known);
        Repeat::from(&RunResult {
            end: RunEnd::Exited(0),
            usage: Usage { cpu_time: Nanos::from_millis(cpu_ms), ..Usage::default() },
            evidence: Evidence { hardware, ..Evidence::default() },
        })
    }

    #[test]
    fn counters_attribute_a_longer_time() {
        let words = |longer: &Repeat| counted_compared_with(longer, &run(100, Some((1_000_000, 2_000_000))));
        assert_eq!(
            words(&run(114, Some((1_000_100, 2_280_000)))).as_deref(),
            Some("the same instructions, 14.0 % more cycles: the machine, not the program")
        );
        assert_eq!(words(&run(114, None)), None);
    }
}
