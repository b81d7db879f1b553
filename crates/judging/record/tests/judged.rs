//! Every judging makes a valid record: `judging_steps` and the verification apply the same rule.

#![allow(clippy::unwrap_used)]

mod common;
#[path = "../../steps/tests/driver/mod.rs"]
mod driver;

use documents::{RecordBegin, RecordEnd, RecordEntry};
use driver::any::any_judging;
use driver::{Groups, drive};
use judge::{CaseJudgement, Judged, Judgement, OtherOutput, Written};
use judging_steps::{CaseEnd, Kind, Outcome, Plan};
use model::{Evidence, RunEnd, RunResult, Usage, Verdict};
use proptest::prelude::*;
use record::{Chain, Submissions, recorded_rule, verify};

fn begin(plan: &Plan, groups: &Groups) -> RecordBegin {
    let (begin, ..) = common::parts("repeated");
    let limit = plan.rule.limit;
    RecordBegin {
        is_graded: groups.is_scored,
        is_selection: false,
        has_checks_between_runs: matches!(plan.kind, Kind::Passes | Kind::Conversation),
        case_count: plan.items.len() as u64,
        rule: recorded_rule(&plan.rule, plan.items.len()),
        time_limit: documents::TimeLimit {
            value_ns: Some(limit.0),
            kill_limit_ns: Some(plan.rule.kill_limit.0),
            clock: plan.rule.clock,
            counter: None,
            ..begin.time_limit
        },
        ..begin
    }
}

fn judgement(plan: &Plan, end: CaseEnd) -> CaseJudgement {
    let talked = plan.kind == Kind::Conversation && !end.runs.is_empty();
    let interactor =
        RunResult { end: RunEnd::Exited(42), usage: Usage::default(), evidence: Evidence::default() };
    let name = format!("secret/{}", end.item);
    let is_luck = |over: &RunResult| {
        let accepted = end.runs.last().filter(|_| end.verdict == Verdict::Accepted);
        accepted.is_some_and(|accepted| plan.rule.is_luck_after(accepted, over))
    };
    let other = |(at, run): (usize, &RunResult)| OtherOutput {
        pass: end.passes,
        run: at as u32 + 1,
        is_other: false,
        cpu_time: run.usage.cpu_time,
        end: run.end,
        written: Written { bytes: 0, sha256: [0; 32], start: Vec::new() },
    };
    let other_outputs = end.runs.iter().enumerate().filter(|(_, run)| is_luck(run)).map(other).collect();
    CaseJudgement {
        other_outputs,
        runs: end.runs,
        earlier_passes: end.earlier_passes,
        ruling: end.ruling,
        decisive: end.decisive,
        run_again: end.repeats,
        interactor: talked.then_some(interactor),
        passes: end.passes,
        judging_error: end.judging_error,
        ..CaseJudgement::new(&name, end.verdict)
    }
}

proptest! {
    #[test]
    fn every_judging_makes_a_valid_record((plan, groups, world) in any_judging()) {
        prop_assume!(!plan.items.is_empty());
        let allowed = plan.rule.repeats_allowed(plan.items.len());
        let plan = Plan { repeats: plan.repeats.min(allowed), ..plan };
        let (ends, failed) = match drive(&plan, &groups, &world).outcome {
            Outcome::Judged { cases, .. } => (cases, false),
            Outcome::JudgingError { cases, .. } => (cases, true),
            other => return Err(TestCaseError::fail(format!("{other:?}"))),
        };
        let rejected = ends.iter().map(|end| end.verdict).find(|verdict| *verdict != Verdict::Accepted);
        let verdict = if failed { Verdict::JudgingError } else { rejected.unwrap_or(Verdict::Accepted) };
        let cases: Vec<_> = ends.into_iter().map(|end| judgement(&plan, end)).collect();
        let judged = Judgement { verdict, cases, judging_error: None, ..Judgement::failed("a", String::new()) };

        let mut entries = vec![RecordEntry::Begin(Box::new(begin(&plan, &groups)))];
        let cases = judged.cases.len() as u64;
        entries.extend(judged.cases.iter().map(|case| {
            RecordEntry::Case(Box::new(case.recorded(&plan.rule, "a")))
        }));
        entries.push(RecordEntry::Submission(Box::new(Judged::new(judged, None).recorded(Vec::new()))));
        entries.push(RecordEntry::End(RecordEnd { submissions: 1, cases, not_judged: Vec::new() }));
        let mut chain = Chain::default();
        let bytes: Vec<u8> = entries.into_iter().flat_map(|entry| chain.line(entry)).collect();

        let reported = verify(bytes.as_slice(), "r").unwrap();
        prop_assert!(reported.holds, "{:?}", reported.findings);
        let one = Submissions::new(bytes.as_slice(), "r").next().unwrap().unwrap();
        let explanation = one.explain().unwrap();
        for (case, explained) in one.cases.iter().zip(&explanation.cases) {
            let reported = explained.steps.iter().filter(|step| step.contains("run again: ")).count();
            prop_assert_eq!(reported, case.run_again.len());
        }
    }
}
