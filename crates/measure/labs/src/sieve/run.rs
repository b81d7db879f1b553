//! Executes the ladder, round by round.

use super::Step;
use crate::{LabError, LoadSet, Ready, RuleOutcome, Testbed, Tuning, in_turns, rule_outcome};
use model::{Nanos, RunResult};
use std::collections::BTreeMap;

/// How long all runs of the rule in a round may wait in total for an undisturbed core: with 30 s, twenty rounds took 15
/// minutes in an hour in which the core was never calm for long.
const PATIENCE: Nanos = Nanos::from_millis(10_000);

/// The parameters of the ladder.
#[derive(Debug)]
pub struct Climb<'a> {
    pub programs: &'a [Ready],
    /// Times reported for each program at each step.
    pub rounds: u32,
}

/// A time that a step reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// The CPU time reported.
    pub time: Nanos,
    /// Whether two runs confirm it; always true for steps that report single runs.
    pub agreed: bool,
    /// The runs that it comes from, in order.
    pub runs: Vec<RunResult>,
}

/// A program's times at a step, one for each round.
pub type StepTimes = Vec<Reported>;

/// The results.
#[derive(Debug, Default)]
pub struct Climbed {
    /// By step, for each program in order.
    pub times: BTreeMap<Step, Vec<StepTimes>>,
    /// Steps that could not be executed, with the reason.
    pub not_applied: BTreeMap<Step, String>,
    /// The changes for tuned steps.
    pub changed: Vec<String>,
    /// Rounds that were finished.
    pub rounds: u32,
    /// Why it stopped early.
    pub error: Option<LabError>,
}

/// A progress report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// This program is about to run at this step.
    Running(Step, &'a str),
    /// A step of a round is done.
    Done,
}

/// Returns the order of steps: in each round all of them, alternately forwards and backwards.
fn order(round: u32) -> impl Iterator<Item = Step> {
    let count = Step::ALL.len();
    (0..count).map(move |at| Step::ALL[if round.is_multiple_of(2) { at } else { count - 1 - at }])
}

/// Executes the ladder; results before an error are kept.
pub fn climb(
    climb: &Climb<'_>,
    testbed: &mut Testbed,
    loads: &mut LoadSet,
    receive: &mut dyn FnMut(Event<'_>, &Climbed) -> Result<(), LabError>,
) -> Climbed {
    let mut climbed = Climbed::default();
    if let Err(why) = testbed.memory_nodes() {
        climbed.not_applied.insert(Step::OneNode, why.to_owned());
    }
    for round in 0..climb.rounds {
        for step in order(round) {
            if step == Step::OneNode && testbed.memory_nodes().is_err() {
                continue;
            }
            if let Err(error) = one_step(climb, step, testbed, loads, &mut climbed, receive) {
                climbed.error = Some(error);
                return climbed;
            }
        }
        climbed.rounds += 1;
    }
    climbed
}

fn one_step(
    climb: &Climb<'_>,
    step: Step,
    testbed: &mut Testbed,
    loads: &mut LoadSet,
    climbed: &mut Climbed,
    receive: &mut dyn FnMut(Event<'_>, &Climbed) -> Result<(), LabError>,
) -> Result<(), LabError> {
    // What is moved for a slot must not be recorded as the machine's original state.
    testbed.close();
    let tuning = if step.is_tuned() { Some(Tuning::begin(&testbed.neighbours())) } else { None };
    let tuning = match tuning {
        Some(Err(why)) => {
            climbed.not_applied.insert(Step::Tuned, why);
            None
        }
        Some(Ok(tuning)) => {
            climbed.changed = tuning.changed().to_vec();
            Some(tuning)
        }
        None => None,
    };
    if step == Step::Tuned && tuning.is_none() {
        return Ok(());
    }
    loads.work(step.is_loaded())?;
    let spot = step.spot(testbed.memory_nodes().is_ok());
    let ruled = step == Step::Ruled;
    let mut patience = PATIENCE;
    let outcomes = in_turns(
        climb.programs.len(),
        |runs| outcome_of(ruled, runs),
        |wanted| {
            let run = |at: &usize| {
                let program = &climb.programs[*at];
                receive(Event::Running(step, program.program.name), climbed)?;
                if !ruled {
                    return program.run(testbed, spot);
                }
                let (run, waited) = program.run_when_calm(testbed, spot, patience)?;
                patience = patience.saturating_sub(waited);
                Ok(run)
            };
            wanted.iter().map(run).collect()
        },
    )?;
    loads.work(false)?;
    if let Some(tuning) = tuning {
        testbed.close();
        tuning.end()?;
    }
    let times = climbed.times.entry(step).or_insert_with(|| vec![Vec::new(); climb.programs.len()]);
    for (times, (runs, RuleOutcome { time, agreed })) in times.iter_mut().zip(outcomes) {
        times.push(Reported { time, agreed, runs });
    }
    receive(Event::Done, climbed)
}

/// Returns the time that runs at a step determine, if no more are needed: without repeats, the first run's.
fn outcome_of(ruled: bool, runs: &[RunResult]) -> Option<RuleOutcome> {
    match ruled {
        true => rule_outcome(runs),
        false => runs.first().map(|run| RuleOutcome { time: run.usage.cpu_time, agreed: true }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn steps_go_forwards_and_backwards() {
        assert!(order(0).eq(Step::ALL));
        assert!(order(1).eq(Step::ALL.into_iter().rev()));
    }
}
