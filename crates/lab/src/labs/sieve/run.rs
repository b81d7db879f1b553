//! Climbs the ladder, round by round.

use super::Step;
use crate::labs::{LabError, LoadSet, Ready, RuleOutcome, Testbed, Tuning, in_turns, rule_outcome};
use model::{Nanos, RunResult};
use std::collections::BTreeMap;

/// How long all runs of our rule in a round may wait for an undisturbed core together: with 30 s, twenty rounds took 15 minutes in an
/// hour in which the core was never calm for long.
const PATIENCE: Nanos = Nanos::from_millis(10_000);

/// What is climbed.
#[derive(Debug)]
pub struct Climb<'a> {
    /// The programs.
    pub programs: &'a [Ready],
    /// Times reported of each program at each step.
    pub rounds: u32,
}

/// One time that a step reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Reported {
    /// The CPU time reported.
    pub time: Nanos,
    /// Whether two runs confirm it; always so at steps that report single runs.
    pub agreed: bool,
    /// The runs that it is from, in order.
    pub runs: Vec<RunResult>,
}

/// What a program reported at a step, a time a round.
pub type StepTimes = Vec<Reported>;

/// What came of it.
#[derive(Debug, Default)]
pub struct Climbed {
    /// By step, of each program in order.
    pub times: BTreeMap<Step, Vec<StepTimes>>,
    /// Steps that could not be applied, with the reason.
    pub not_applied: BTreeMap<Step, String>,
    /// What was changed for tuned steps.
    pub changed: Vec<String>,
    /// Rounds that were finished.
    pub rounds: u32,
    /// Why it stopped before its time.
    pub error: Option<LabError>,
}

/// Something that is worth showing to whoever waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// This program is about to run at this step.
    Running(Step, &'a str),
    /// A step of a round is done.
    Done,
}

/// Returns who runs when: in each round all steps, forwards and backwards by turns.
fn order(round: u32) -> impl Iterator<Item = Step> {
    let count = Step::ALL.len();
    (0..count).map(move |at| Step::ALL[if round.is_multiple_of(2) { at } else { count - 1 - at }])
}

/// Climbs; what was done before an error is kept.
pub fn climb(
    climb: &Climb<'_>,
    testbed: &mut Testbed,
    loads: &mut LoadSet,
    hear: &mut dyn FnMut(Event<'_>, &Climbed) -> Result<(), LabError>,
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
            if let Err(error) = one_step(climb, step, testbed, loads, &mut climbed, hear) {
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
    hear: &mut dyn FnMut(Event<'_>, &Climbed) -> Result<(), LabError>,
) -> Result<(), LabError> {
    // What is moved for a slot must not be taken for how the machine was.
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
        |runs| tells(ruled, runs),
        |wanted| {
            let run = |at: &usize| {
                let program = &climb.programs[*at];
                hear(Event::Running(step, program.program.name), climbed)?;
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
    hear(Event::Done, climbed)
}

/// Returns what time runs at a step tell, if no more are wanted: where nothing is repeated, the first one's.
fn tells(ruled: bool, runs: &[RunResult]) -> Option<RuleOutcome> {
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
