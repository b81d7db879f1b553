//! For any outcomes of runs and checks: the judging ends, does nothing superfluous, and decides by the rule.

mod driver;

use driver::any::any_judging;
use driver::{DONE, Driven, Groups, World, checked, drive, run};
use judging_steps::{CaseEnd, Item, Kind, Outcome, Plan};
use model::{Nanos, Verdict};
use proptest::prelude::*;
use ruling::Ruling;

/// Judges without a state machine: one run and one check after the other, with the rule alone.
fn one_after_the_other(plan: &Plan, groups: &Groups, world: &World) -> Vec<(usize, Verdict, usize)> {
    use judging_steps::Scoring;
    let mut done: Vec<(usize, Verdict, usize)> = Vec::new();
    let mut repeats = plan.repeats;
    for (item, kind) in plan.items.iter().enumerate() {
        // The groups use only verdicts.
        let ends: Vec<CaseEnd> = done.iter().map(|(item, verdict, _)| end_of(*item, *verdict)).collect();
        if groups.needs(&ends, item) == Ok(false) {
            continue;
        }
        let stated =
            world.stated[&item].front().map_or(Ok(checked(Verdict::Accepted)), |(stated, _)| stated.clone());
        if *kind == Item::Sources {
            done.push((item, stated.map_or(Verdict::JudgingError, |stated| stated.verdict), 0));
            continue;
        }
        let mut runs = Vec::new();
        let mut next = world.runs[&item].iter().cloned();
        let verdict = loop {
            runs.push(next.next().unwrap_or_else(|| run(DONE, 10, 0)));
            match plan.rule.rule(&runs, repeats) {
                Ruling::RunAgain { .. } => repeats -= 1,
                Ruling::CheckOutput { .. } => {
                    break stated.map_or(Verdict::JudgingError, |stated| stated.verdict);
                }
                Ruling::Verdict { verdict, .. } => break verdict,
                Ruling::Undecided { .. } => break Verdict::JudgingError,
            }
        };
        done.push((item, verdict, runs.len()));
    }
    done
}

fn end_of(item: usize, verdict: Verdict) -> CaseEnd {
    CaseEnd {
        item,
        verdict,
        runs: Vec::new(),
        earlier_passes: Vec::new(),
        passes: 1,
        ruling: None,
        decisive: 0,
        repeats: Vec::new(),
        checked: None,
        judging_error: None,
    }
}

fn cases(driven: &Driven) -> Option<&[CaseEnd]> {
    match &driven.outcome {
        Outcome::Judged { cases, .. } | Outcome::JudgingError { cases, .. } => Some(cases),
        _ => None,
    }
}

proptest! {
    /// The driver itself asserts that it ends, and that at most one run and one check are active at once.
    #[test]
    fn it_ends_and_rests_as_long_as_the_rule_says((plan, groups, world) in any_judging()) {
        let driven = drive(&plan, &groups, &world);
        prop_assert!(driven.outcome != Outcome::Cancelled);
        for (allowed, rested) in &driven.rests {
            prop_assert!(rested <= allowed, "{:?}", driven.log);
            // What rests for less waited for a check meanwhile.
            prop_assert!(rested == allowed || plan.overlaps);
        }
        prop_assert!(driven.waited.iter().all(|waited| *waited <= plan.rule.patience));
        let repeats = driven.log.iter().filter(|step| step.starts_with("calm ")).count();
        prop_assert!(repeats <= plan.repeats as usize);
    }

    #[test]
    fn nothing_is_run_once_the_verdict_is_certain((plan, groups, world) in any_judging()) {
        let groups = Groups { is_scored: false, ..groups };
        let driven = drive(&plan, &groups, &world);
        for (item, pass, attempt, rejected) in &driven.begun {
            prop_assert!(!rejected, "run {item} {pass}.{attempt}: {:?}", driven.log);
        }
    }

    #[test]
    fn judgings_follow_the_rule_on_their_runs((plan, groups, world) in any_judging()) {
        let plan = Plan { kind: Kind::Simple, ..plan };
        let driven = drive(&plan, &groups, &world);
        let expected = one_after_the_other(&plan, &groups, &world);
        let Some(cases) = cases(&driven) else { panic!("{:?}", driven.outcome) };
        let reported: Vec<_> = cases.iter().map(|end| (end.item, end.verdict, end.runs.len())).collect();
        prop_assert_eq!(reported, expected, "{:?}", driven.log);
    }

    #[test]
    fn concurrency_changes_only_the_times((plan, groups, world) in any_judging()) {
        let judged = |overlaps| drive(&Plan { overlaps, ..plan.clone() }, &groups, &world).outcome;
        prop_assert_eq!(judged(true), judged(false));
    }

    /// A ruling is complete: what is recorded of a case suffices to repeat it.
    #[test]
    fn each_end_has_the_ruling_of_its_runs((plan, groups, world) in any_judging()) {
        let driven = drive(&plan, &groups, &world);
        for end in cases(&driven).unwrap_or_default() {
            let Some(ruling) = &end.ruling else {
                prop_assert!(end.runs.is_empty());
                continue;
            };
            let again = |repeats| plan.rule.rule(&end.runs, repeats);
            prop_assert!(again(u32::MAX) == *ruling || again(0) == *ruling);
            prop_assert!(end.decisive < end.runs.len());
            if plan.kind == Kind::Simple {
                prop_assert_eq!(end.repeats.len() + 1, end.runs.len());
                for count in 1..end.runs.len() {
                    let is_again = matches!(plan.rule.rule(&end.runs[..count], u32::MAX), Ruling::RunAgain { .. });
                    prop_assert!(is_again);
                }
            }
        }
    }

    #[test]
    fn cancelled_whenever_it_is_cancelled((plan, groups, world) in any_judging(), at in 1_usize..60) {
        let steps = drive(&plan, &groups, &world).log.len();
        let driven = drive(&plan, &groups, &World { cancel_at: Some(at), ..world });
        if at <= steps {
            prop_assert_eq!(driven.outcome, Outcome::Cancelled);
        }
        prop_assert!(driven.rests.iter().all(|(allowed, _)| *allowed > Nanos::ZERO));
    }
}
