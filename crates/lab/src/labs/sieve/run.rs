//! Climbs the ladder, round by round.

use super::Step;
use crate::labs::{Crowd, Ground, LabError, Ready, Tuning};
use model::{Nanos, RunResult};
use stats::{Agreement, AgreementRule, LowestAgreement};
use std::collections::BTreeMap;

/// How long all runs of our rule in a round may wait for a calm core together: with 30 s, twenty rounds took 15 minutes in an
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
    /// Whether the two lowest agreed; always so at steps that report single runs.
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

/// Says who runs when: in each round all steps, forwards and backwards by turns.
fn order(round: u32) -> impl Iterator<Item = Step> {
    let count = Step::ALL.len();
    (0..count).map(move |at| Step::ALL[if round.is_multiple_of(2) { at } else { count - 1 - at }])
}

/// Climbs; what was done before an error is kept.
pub fn climb(
    climb: &Climb<'_>,
    ground: &mut Ground,
    crowd: &mut Crowd,
    hear: &mut dyn FnMut(Event<'_>, &Climbed) -> Result<(), LabError>,
) -> Climbed {
    let mut climbed = Climbed::default();
    if let Err(why) = ground.memory_nodes() {
        climbed.not_applied.insert(Step::OneNode, why.to_owned());
    }
    for round in 0..climb.rounds {
        for step in order(round) {
            if step == Step::OneNode && ground.memory_nodes().is_err() {
                continue;
            }
            if let Err(error) = one_step(climb, step, ground, crowd, &mut climbed, hear) {
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
    ground: &mut Ground,
    crowd: &mut Crowd,
    climbed: &mut Climbed,
    hear: &mut dyn FnMut(Event<'_>, &Climbed) -> Result<(), LabError>,
) -> Result<(), LabError> {
    let tuning = if step.is_tuned() { Some(Tuning::begin(&ground.neighbours())) } else { None };
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
    crowd.work(step.is_loaded())?;
    let spot = step.spot(ground.memory_nodes().is_ok());
    let rule = AgreementRule::FOR_A_TIME;
    let (least, rule) = match step {
        Step::Ruled => (rule.runs_min, Some(rule)),
        _ => (1, None),
    };
    let mut states: Vec<Vec<RunResult>> = vec![Vec::new(); climb.programs.len()];
    let mut patience = PATIENCE;
    // Programs take turns also while they repeat, so that the rest of one is the work of the others.
    loop {
        let mut ran = false;
        for (program, runs) in climb.programs.iter().zip(&mut states) {
            if runs.len() >= least as usize && rule.is_none_or(|rule| is_settled(rule, runs)) {
                continue;
            }
            hear(Event::Running(step, program.program.name), climbed)?;
            runs.push(match rule {
                None => program.run(ground, spot)?,
                Some(_) => {
                    let (run, waited) = program.run_when_calm(ground, spot, patience)?;
                    patience = patience.saturating_sub(waited);
                    run
                }
            });
            ran = true;
        }
        if !ran {
            break;
        }
    }
    crowd.work(false)?;
    if let Some(tuning) = tuning {
        tuning.end()?;
    }
    let times = climbed.times.entry(step).or_insert_with(|| vec![Vec::new(); climb.programs.len()]);
    for (times, runs) in times.iter_mut().zip(states) {
        times.push(reported(rule, runs));
    }
    hear(Event::Done, climbed)
}

fn state(rule: AgreementRule, runs: &[RunResult]) -> LowestAgreement {
    let mut lowest = LowestAgreement::new(rule);
    for run in runs {
        lowest.add(run.usage.cpu_time.0 as f64);
    }
    lowest
}

fn is_settled(rule: AgreementRule, runs: &[RunResult]) -> bool {
    !matches!(state(rule, runs).state(), Agreement::NeedMore { .. })
}

fn reported(rule: Option<AgreementRule>, runs: Vec<RunResult>) -> Reported {
    let time = runs.iter().map(|run| run.usage.cpu_time).min().unwrap_or_default();
    let agreed = rule.is_none_or(|rule| matches!(state(rule, &runs).state(), Agreement::Agreed { .. }));
    Reported { time, agreed, runs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Evidence, RunEnd, Usage};

    fn run(cpu_ms: u64) -> RunResult {
        RunResult {
            end: RunEnd::Exited(0),
            usage: Usage { cpu_time: Nanos::from_millis(cpu_ms), ..Usage::default() },
            evidence: Evidence::default(),
        }
    }

    #[test]
    fn steps_go_forwards_and_backwards() {
        assert!(order(0).eq(Step::ALL));
        assert!(order(1).eq(Step::ALL.into_iter().rev()));
    }

    #[test]
    fn a_ruled_time_is_the_lowest_once_two_agree() {
        let rule = AgreementRule::default();
        let runs = vec![run(1200), run(1000), run(1020)];
        assert!(!is_settled(rule, &runs));
        let runs = [runs, vec![run(1003)]].concat();
        assert!(is_settled(rule, &runs));
        let told = reported(Some(rule), runs);
        assert_eq!((told.time, told.agreed, told.runs.len()), (Nanos::from_millis(1000), true, 4));
        let falling: Vec<_> = (0..10).map(|at| run(2000 - 100 * at)).collect();
        assert!(is_settled(rule, &falling));
        assert!(!reported(Some(rule), falling).agreed);
        assert!(reported(None, vec![run(5)]).agreed);
    }
}
