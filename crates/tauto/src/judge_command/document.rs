//! From what was judged to the document of `api`.

use super::Session;
use super::explain;
use super::judged::Judged;
use super::left_out::LeftOut;
use crate::output::wire::machine_identity;
use judge::{CaseJudgement, Compilation, Judgement};
use model::{RunEnd, RunResult, Verdict};
use package::compare::Difference;
use package::scoring::Grading;
use package::{Group, Package};

/// Makes the whole report.
pub fn report(session: &Session<'_>) -> api::JudgeReport {
    let Session { arguments, package, judged, .. } = session;
    let submissions: Vec<_> = judged
        .iter()
        .map(|one| api::Submission {
            groups: groups(package, &one.judgement),
            explanation: if arguments.explain { explain::sentences(session, one) } else { Vec::new() },
            ..submission(one)
        })
        .collect();
    api::JudgeReport {
        package: session.description.clone(),
        machine: machine_identity(&session.machine),
        language: arguments.language.clone(),
        time_limit: time_limit(session),
        memory_limit_bytes: Some(package.limits.memory.0),
        summary: api::Summary::of(&submissions),
        submissions,
        not_judged: session.left_out.iter().map(LeftOut::document).collect(),
        warnings: session.warnings.clone(),
    }
}

/// Says what the time limit is and where it is from.
pub fn time_limit(session: &Session<'_>) -> api::TimeLimit {
    let Session { time_limit, limit_record, .. } = session;
    api::TimeLimit {
        value_ns: Some(time_limit.limit.0),
        kill_limit_ns: Some(session.rule.kill_limit.0),
        source: time_limit.origin.to_string(),
        derivation: limit_record.derivation.clone(),
        reused: limit_record.reused,
        stored_in: limit_record.stored_in.as_ref().map(|path| path.display().to_string()),
    }
}

/// Makes one submission, without its groups.
pub fn submission(judged: &Judged) -> api::Submission {
    let judgement = &judged.judgement;
    let runs = judgement.cases.iter().map(case_run).collect();
    let mut warnings = Vec::new();
    warnings.extend(judgement.judging_error.as_ref().map(|error| format!("judging error: {error}")));
    let differing = judgement.cases.iter().filter(|case| case.nondeterministic);
    warnings.extend(differing.map(|case| format!("runs of {} differ in output or exit", case.name)));
    api::Submission {
        language: judgement.language.clone(),
        expected: judged.expected_verdicts().into_iter().map(Into::into).collect(),
        as_expected: judged.as_expected(),
        expectation_message: judged.message(),
        score: judgement.score,
        compile: judgement.compilation.as_ref().map(compile),
        warnings,
        ..api::Submission::new(judgement.name.as_str(), judgement.verdict)
    }
    .with_runs(runs)
}

fn compile(compilation: &Compilation) -> api::Compile {
    let mut output = compilation.failure.clone().unwrap_or_default();
    if !output.is_empty() && !compilation.output.is_empty() {
        output.push('\n');
    }
    output.push_str(&compilation.output);
    api::Compile::new(compilation.failure.is_none(), &compilation.usage, output)
}

/// Makes one case.
pub fn case_run(case: &CaseJudgement) -> api::CaseRun {
    let nothing_ran = RunResult {
        end: RunEnd::Exited(0),
        usage: model::Usage {
            memory_peak: model::Reading::unavailable("nothing was run"),
            ..Default::default()
        },
        evidence: model::Evidence::default(),
    };
    let decisive = case.decisive_run().unwrap_or(&nothing_ran);
    let checked = case.checked.as_ref();
    let words = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let judge_message = match &case.judging_error {
        Some(error) => Some(format!("judging error: {error}")),
        None => checked.and_then(|checked| words(&checked.judge_message)),
    };
    api::CaseRun {
        score: checked.and_then(|checked| checked.score),
        judge_message,
        team_message: checked.and_then(|checked| words(&checked.team_message)),
        first_difference: checked.and_then(|checked| checked.difference.as_ref()).map(difference),
        nondeterministic: case.nondeterministic,
        ..api::CaseRun::new(case.name.as_str(), case.verdict, decisive)
    }
    .with_repeats(&case.runs)
}

fn difference(difference: &Difference) -> api::Difference {
    api::Difference {
        line: difference.line,
        column: difference.column,
        token: difference.token,
        answer_line: difference.answer_line,
        expected: difference.expected.clone(),
        got: difference.got.clone(),
        message: difference.to_string(),
    }
}

/// Lists the groups below `sample` and `secret`, these two included, if the problem has any or scores.
pub fn groups(package: &Package, judgement: &Judgement) -> Vec<api::GroupResult> {
    let has_groups = package.data.groups.iter().any(|top| !top.groups.is_empty());
    let mut found = Vec::new();
    if has_groups || package.kind.scoring {
        for top in &package.data.groups {
            walk(top, judgement, &mut found);
        }
    }
    found
}

fn walk(group: &Group, judgement: &Judgement, found: &mut Vec<api::GroupResult>) {
    let inside =
        |name: &str| name.strip_prefix(group.name.as_str()).is_some_and(|rest| rest.starts_with('/'));
    let mut cases = judgement.cases.iter().filter(|case| inside(&case.name)).peekable();
    let reached = cases.peek().is_some();
    let rejected = cases.map(|case| case.verdict).find(|verdict| *verdict != Verdict::Accepted);
    let score = judgement.groups.iter().find(|score| score.name == group.name).map(|score| score.score);
    let max_score = match &group.grading {
        Grading::Aggregate(grading) => grading.max_score,
        Grading::Legacy(grading) => Some(grading.range.1).filter(|most| most.is_finite()),
    };
    found.push(api::GroupResult {
        name: group.name.clone(),
        verdict: reached.then(|| rejected.unwrap_or(Verdict::Accepted).into()),
        score,
        max_score,
    });
    for inner in &group.groups {
        walk(inner, judgement, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_ours_says_why() {
        let judged = Judged::new(Judgement::failed("a.c", "no disk".to_owned()), None);
        let submission = submission(&judged);
        assert_eq!(submission.warnings, ["judging error: no disk"]);
        assert_eq!(submission.as_expected, None);
        assert!(submission.compile.is_none() && submission.slowest.is_none());
    }

    #[test]
    fn why_nothing_compiled_stands_before_what_the_compiler_said() {
        let compilation = Compilation {
            failure: Some("g++ ended with exit code 1".to_owned()),
            output: "a.cpp:1: error".to_owned(),
            ..Compilation::default()
        };
        let compile = compile(&compilation);
        assert!(!compile.succeeded);
        assert_eq!(compile.output, "g++ ended with exit code 1\na.cpp:1: error");
    }
}
