//! Converts judgements to documents for reports and records.

use crate::check::Checked;
use crate::judged::Judged;
use crate::{CaseJudgement, Compilation, Judgement, LimitOrigin, OtherOutput, Problem, TimeLimit, Written};
use documents::{RecordCase, RecordRuling, RecordSubmission, Repeat, RulingDecision};
use judging_steps::RunAgain;
use model::{Nanos, RunResult, Verdict};
use package::compare::Difference;
use package::limits::Rounding;
use package::{Group, Package, TimeLimitRule};
use ruling::{Ruling, TimeRule};
use std::time::SystemTime;

impl CaseJudgement {
    pub fn document(&self) -> documents::CaseRun {
        let checked = self.checked.as_ref();
        let words = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let judge_message = match &self.judging_error {
            Some(error) => Some(format!("judging error: {error}")),
            None => checked.and_then(|checked| words(&checked.judge_message)),
        };
        let first_difference = checked.and_then(|Checked { difference, .. }| difference.as_ref());
        documents::CaseRun {
            score: checked.and_then(|checked| checked.score),
            judge_message,
            team_message: checked.and_then(|checked| words(&checked.team_message)),
            stderr_excerpt: self.stderr_excerpt.clone(),
            first_difference: first_difference.map(difference),
            nondeterministic: self.nondeterministic,
            other_outputs: self.other_outputs.iter().map(other_output).collect(),
            accepted_output: self.accepted_output.as_ref().map(written),
            run_again: self.run_again.iter().map(run_again).collect(),
            ..documents::CaseRun::new(self.name.as_str(), self.verdict, self.decisive_run())
        }
        .with_repeats(&self.runs)
    }

    pub fn recorded(&self, rule: &TimeRule, submission: &str) -> RecordCase {
        RecordCase {
            submission: submission.to_owned(),
            ordinal: None,
            output_start: self.checked.as_ref().and_then(|checked| checked.output_start.clone()),
            case: self.document(),
            runs: repeats(&self.runs),
            earlier_passes: self.earlier_passes.iter().map(|runs| repeats(runs)).collect(),
            ruling: self.ruling(rule),
            passes: self.passes,
            run_again: self.run_again.iter().map(|again| again.reason.clone()).collect(),
            judging_error: self.judging_error.clone(),
        }
    }

    fn ruling(&self, rule: &TimeRule) -> Option<RecordRuling> {
        let interactor = || (RulingDecision::Interactor, None, self.decisive, REJECTED_FIRST.to_owned());
        // It rejected while the submission still ran, so the submission's end does not matter.
        let is_rejected = self.interactor.is_some() && self.judging_error.is_none();
        let (decision, verdict, run, reason) = match self.ruling.clone()? {
            Ruling::CheckOutput { run } => {
                (RulingDecision::CheckOutput, None, run, rule.describe(&self.runs[run]))
            }
            Ruling::Verdict { verdict, .. } if is_rejected && verdict != self.verdict => interactor(),
            Ruling::Verdict { verdict, run, reason } => (RulingDecision::Verdict, Some(verdict), run, reason),
            Ruling::Undecided { .. } | Ruling::RunAgain { .. } if is_rejected => interactor(),
            Ruling::Undecided { run, reason } => (RulingDecision::Undecided, None, run, reason),
            Ruling::RunAgain { reason } => (RulingDecision::Undecided, None, self.decisive, reason),
        };
        let run = u32::try_from(run).unwrap_or(u32::MAX);
        Some(RecordRuling { decision, verdict: verdict.map(Into::into), run, reason })
    }
}

/// Why the runs do not decide a conversation that was rejected.
const REJECTED_FIRST: &str = "the interactor rejected it first";

fn run_again(again: &RunAgain) -> documents::RunAgain {
    documents::RunAgain { pass: again.pass, run: again.run, reason: again.reason.clone() }
}

fn other_output(other: &OtherOutput) -> documents::OtherOutput {
    let OtherOutput { pass, run, is_other, cpu_time, end, written: output } = other;
    let differs = if *is_other { documents::Differs::Output } else { documents::Differs::Time };
    let (end, output) = ((*end).into(), written(output));
    documents::OtherOutput { pass: *pass, run: *run, differs, cpu_time_ns: cpu_time.0, end, output }
}

fn written(output: &Written) -> documents::WrittenOutput {
    // The last character of a part may be incomplete.
    let is_part =
        output.bytes > output.start.len() as u64 && output.start.last().is_some_and(|byte| !byte.is_ascii());
    let start = package::cut(&output.start, output.start.len() - usize::from(is_part));
    documents::WrittenOutput {
        bytes: output.bytes,
        sha256: output.sha256.iter().map(|byte| format!("{byte:02x}")).collect(),
        start: String::from_utf8_lossy(start).into_owned(),
    }
}

fn repeats(runs: &[RunResult]) -> Vec<Repeat> {
    runs.iter().map(Repeat::from).collect()
}

fn difference(difference: &Difference) -> documents::Difference {
    documents::Difference {
        line: difference.line,
        column: difference.column,
        token: difference.token,
        answer_line: difference.answer_line,
        expected: difference.expected.clone(),
        got: difference.got.clone(),
        message: difference.to_string(),
    }
}

impl Compilation {
    pub fn document(&self) -> documents::Compile {
        let mut output = self.failure.clone().unwrap_or_default();
        if !output.is_empty() && !self.output.is_empty() {
            output.push('\n');
        }
        output.push_str(&self.output);
        documents::Compile::new(self.failure.is_none(), &self.usage, output)
    }
}

impl Judged {
    /// Makes the submission of a report, with its groups as [`Judgement::group_documents`] makes them.
    pub fn document(&self, groups: Vec<documents::GroupResult>) -> documents::Submission {
        let judgement = &self.judgement;
        let mut warnings = Vec::new();
        warnings.extend(judgement.judging_error.as_ref().map(|error| format!("judging error: {error}")));
        let differing = judgement.cases.iter().filter(|case| case.nondeterministic);
        warnings.extend(differing.map(|case| format!("runs of {} differ in output or exit", case.name)));
        let for_jury = judgement.for_jury().filter_map(|case| Some((&case.name, case.other_output_words()?)));
        warnings.extend(for_jury.map(|(name, words)| format!("for the jury to decide: {name}: {words}")));
        documents::Submission {
            language: judgement.language.clone(),
            count_spread_percent: judgement.count_spread,
            expected: self.expected_verdicts().into_iter().map(Into::into).collect(),
            caveats: judgement.caveats(),
            as_expected: self.as_expected(),
            expectation_message: self.message(),
            score: judgement.score,
            compile: judgement.compilation.as_ref().map(Compilation::document),
            groups,
            jury_decides: judgement.for_jury().map(|case| case.name.clone()).collect(),
            warnings,
            ..documents::Submission::new(judgement.name.as_str(), judgement.verdict)
        }
        .with_runs(judgement.cases.iter().map(CaseJudgement::document).collect())
    }

    /// Makes the line of a record, with its groups as [`Judgement::group_documents`] makes them; its runs are in
    /// earlier lines.
    pub fn recorded(&self, groups: Vec<documents::GroupResult>) -> RecordSubmission {
        let Judgement { source_hash, program_hash, best_score, judging_error, .. } = &self.judgement;
        RecordSubmission {
            submission: documents::Submission { runs: Vec::new(), ..self.document(groups) },
            source_hash: source_hash.clone(),
            program_hash: program_hash.clone(),
            best_score: *best_score,
            judging_error: judging_error.clone(),
        }
    }
}

impl Judgement {
    /// Lists the groups below `sample` and `secret`, including these two, if the problem has any or uses scores.
    pub fn group_documents(&self, package: &Package) -> Vec<documents::GroupResult> {
        let has_groups = package.data.groups.iter().any(|top| !top.groups.is_empty());
        let mut found = Vec::new();
        if has_groups || package.kind.scoring {
            for top in &package.data.groups {
                walk(top, self, &mut found);
            }
        }
        found
    }
}

/// Describes a package; `path` is where it is, and may be empty, and `hash` that of its content.
pub fn package_document(package: &Package, path: String, hash: Option<String>) -> documents::Package {
    let scores = package.scores.as_ref();
    documents::Package {
        name: package.short_name.clone(),
        title: package.names.values().next().cloned(),
        format: package.format.name().to_owned(),
        path,
        hash,
        scores: scores
            .map(|scores| documents::ScoreBasis { rules: scores.rules, reason: Some(scores.reason.clone()) }),
    }
}

fn walk(group: &Group, judgement: &Judgement, found: &mut Vec<documents::GroupResult>) {
    let inside =
        |name: &str| name.strip_prefix(group.name.as_str()).is_some_and(|rest| rest.starts_with('/'));
    let mut cases = judgement.cases.iter().filter(|case| inside(&case.name)).peekable();
    let reached = cases.peek().is_some();
    let rejected = cases.map(|case| case.verdict).find(|verdict| *verdict != Verdict::Accepted);
    let score = judgement.group_scores.iter().find(|(name, _)| *name == group.name).map(|(_, score)| *score);
    found.push(documents::GroupResult {
        name: group.name.clone(),
        verdict: reached.then(|| rejected.unwrap_or(Verdict::Accepted).into()),
        score,
        max_score: package::scoring::best_score(group),
    });
    for inner in &group.groups {
        walk(inner, judgement, found);
    }
}

impl Problem {
    /// Returns how the time limit was derived, if it was now.
    pub fn derivation(&self) -> Option<documents::Derivation> {
        let LimitOrigin::Derived { submission, time } = &self.time_limit().origin else { return None };
        let TimeLimitRule::Derive { margins } = &self.package().time_limit else { return None };
        Some(documents::Derivation {
            slowest_submission: submission.clone(),
            slowest_cpu_time_ns: time.0,
            accepted_to_limit: margins.accepted_to_limit,
            resolution_ns: margins.resolution.0,
            rounding: match margins.rounding {
                Rounding::Up => "up",
                Rounding::Nearest => "nearest",
            }
            .to_owned(),
            left_out: self.warnings().to_vec(),
            derived_at: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            tauto_version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

impl From<&documents::StoredLimit> for TimeLimit {
    fn from(stored: &documents::StoredLimit) -> Self {
        let documents::StoredLimit { limit_ns, derivation, .. } = stored;
        let origin = LimitOrigin::Stored {
            submission: derivation.slowest_submission.clone(),
            time: Nanos(derivation.slowest_cpu_time_ns),
            when: format!("at {}", derivation.derived_at),
        };
        Self { limit: Nanos(*limit_ns), origin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_failures_give_their_reason() {
        let judged = Judged::new(Judgement::failed("a.c", "no disk".to_owned()), None);
        let submission = judged.document(Vec::new());
        assert_eq!(submission.warnings, ["judging error: no disk"]);
        assert_eq!(submission.as_expected, None);
        assert!(submission.compile.is_none() && submission.slowest.is_none());
    }

    #[test]
    fn cases_without_runs_have_no_figures() {
        let case = CaseJudgement::new("1", Verdict::Accepted).document();
        assert_eq!((case.cpu_time_ns, case.wall_time_ns, case.end), (None, None, None));
        let why = case.unavailable.get("end").map(String::as_str);
        assert_eq!(why, Some("nothing was run"));
        let judgement = Judgement {
            cases: vec![CaseJudgement::new("1", Verdict::Accepted)],
            ..Judgement::failed("a", String::new())
        };
        let submission = Judged::new(judgement, None).document(Vec::new());
        assert_eq!(submission.slowest, None);
        assert_eq!(documents::Summary::of(&[submission]).runs, 0);
    }

    #[test]
    fn failure_reasons_come_before_the_compilers_output() {
        let compilation = Compilation {
            failure: Some("g++ ended with exit code 1".to_owned()),
            output: "a.cpp:1: error".to_owned(),
            ..Compilation::default()
        };
        let compile = compilation.document();
        assert!(!compile.succeeded);
        assert_eq!(compile.output, "g++ ended with exit code 1\na.cpp:1: error");
    }
}
