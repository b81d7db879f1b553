//! Executes a series of judgements.

use super::{Arm, By, Decision, Judged};
use crate::{CpuTerms, Entry, Exercise, Floor, LabError, LoadSet, Ready, Submissions, Testbed, solved};
use judge::{Engine, Judgement};
use model::{Nanos, RunResult, Verdict};
use std::time::{Duration, Instant};

/// Arms take turns in this many rounds.
pub const ROUNDS: u32 = 5;
/// Reference runs, which determine the program's time: 100 % is the lowest of all. This many are done in each round,
/// ...
const REFERENCES_A_ROUND: u32 = 5;
/// ... and this many before, since a limit is needed before anything can be judged.
pub const CALIBRATION_RUNS: u32 = 10;
/// Runs of a neighbour in each of its judgements, so that it runs more than it compiles.
const NEIGHBOUR_CASES: u32 = 20;
/// A warm-up that is not counted: a virtual machine's memory becomes faster while the same pages are used repeatedly (a
/// sieve took 41 ms, and 38 ms some twenty seconds later).
const SETTLING_TIME: Duration = Duration::from_secs(20);

/// The parameters of the series.
#[derive(Debug)]
pub struct Setting<'a> {
    pub program: &'a Ready,
    pub neighbours: &'a [Ready],
    /// Judgements of each arm.
    pub judgements: u32,
    /// The program's time in per cent of the limit, for each pair of arms.
    pub needs_percent: [u32; 2],
}

/// The results.
#[derive(Debug, Default)]
pub struct Series {
    /// The time from which the limits were computed.
    pub calibrated: Nanos,
    /// Every reference run, in order.
    pub references: Vec<RunResult>,
    /// Finished judgements.
    pub judged: Vec<Judged>,
    /// Why it stopped early.
    pub error: Option<LabError>,
}

/// Called with the number of finished judgements and their total; an error stops the series.
pub type OnJudged<'a> = &'a mut dyn FnMut(usize, usize) -> Result<(), LabError>;

/// Judges under constant load; results before an error are kept.
pub fn run(setting: &Setting<'_>, testbed: Testbed, loads: &mut LoadSet, receive: OnJudged<'_>) -> Series {
    let mut making = Making { setting, receive, series: Series::default() };
    let done =
        loads.work(true).and_then(|()| making.all(Floor::new(testbed))).and_then(|()| loads.work(false));
    Series { error: done.err(), ..making.series }
}

/// A series in progress.
struct Making<'a, 'h> {
    setting: &'a Setting<'a>,
    receive: OnJudged<'h>,
    series: Series,
}

impl Making<'_, '_> {
    fn all(&mut self, mut floor: Floor) -> Result<(), LabError> {
        let subject = Exercise::make(self.setting.program, 1)?;
        let reference = Exercise::make(self.setting.program, REFERENCES_A_ROUND)?;
        let neighbours = self.setting.neighbours.iter();
        let neighbours: Vec<_> =
            neighbours.map(|ready| Exercise::make(ready, NEIGHBOUR_CASES)).collect::<Result<_, _>>()?;
        self.calibrate(floor.judge(0)?, &reference)?;
        for round in 0..ROUNDS {
            let judgements = self.in_round(round);
            self.plain(floor.testbed()?, judgements)?;
            let engine = floor.judge(0)?;
            self.refer(engine, &reference)?;
            let entries = self.entries(engine, &subject)?;
            let mut alone = Submissions::among(engine, Vec::new())?;
            for _ in 0..judgements {
                for (at, entry) in entries.iter().enumerate() {
                    let judged = alone.judge(std::slice::from_ref(entry), &mut || self.go_on())?;
                    self.keep(By::Alone, at, &judged[0])?;
                }
            }
            let neighbours = neighbours.iter().map(|exercise| exercise.entry(engine, None));
            let mut among = Submissions::among(engine, neighbours.collect::<Result<_, _>>()?)?;
            for _ in 0..judgements {
                let judged = among.judge(&entries, &mut || self.go_on())?;
                for (at, judgement) in judged.iter().enumerate() {
                    self.keep(By::Among, at, judgement)?;
                }
            }
        }
        Ok(())
    }

    /// Returns how many judgements of an arm are made in a round.
    fn in_round(&self, round: u32) -> u32 {
        let (all, first) = (self.setting.judgements, self.setting.judgements % ROUNDS);
        all / ROUNDS + u32::from(round < first)
    }

    fn calibrate(&mut self, engine: &Engine, reference: &Exercise) -> Result<(), LabError> {
        let begun = Instant::now();
        while begun.elapsed() < SETTLING_TIME {
            self.refer(engine, reference)?;
            self.series.references.clear();
        }
        for _ in 0..CALIBRATION_RUNS / REFERENCES_A_ROUND {
            self.refer(engine, reference)?;
        }
        self.series.calibrated =
            self.series.references.iter().map(|run| run.usage.cpu_time).min().unwrap_or_default();
        Ok(())
    }

    fn refer(&mut self, engine: &Engine, reference: &Exercise) -> Result<(), LabError> {
        let entry = reference.entry(engine, None)?;
        let mut alone = Submissions::among(engine, Vec::new())?;
        for judgement in alone.judge(&[entry], &mut || self.go_on())? {
            solved(&judgement)?;
            self.series.references.extend(judgement.cases.into_iter().flat_map(|case| case.runs));
        }
        Ok(())
    }

    fn plain(&mut self, testbed: &mut Testbed, judgements: u32) -> Result<(), LabError> {
        for _ in 0..judgements {
            for needs_percent in self.setting.needs_percent {
                self.go_on()?;
                let limit = limit(self.series.calibrated, needs_percent);
                let run = self.setting.program.run(testbed, CpuTerms::Anywhere)?;
                let decision = if run.usage.cpu_time <= limit { Decision::Within } else { Decision::Over };
                let arm = Arm { by: By::Plain, needs_percent };
                self.series.judged.push(Judged { arm, limit, decision, runs: vec![run] });
            }
        }
        Ok(())
    }

    fn entries(&self, engine: &Engine, subject: &Exercise) -> Result<Vec<Entry>, LabError> {
        let limits = self.setting.needs_percent.map(|percent| limit(self.series.calibrated, percent));
        limits.into_iter().map(|limit| subject.entry(engine, Some(limit))).collect()
    }

    fn keep(&mut self, by: By, at: usize, judgement: &Judgement) -> Result<(), LabError> {
        let needs_percent = self.setting.needs_percent[at];
        let why = || {
            let of_cases = judgement.cases.iter().find_map(|case| case.judging_error.clone());
            let reasons = || judgement.cases.iter().flat_map(|case| case.reasons.clone()).collect::<Vec<_>>();
            judgement.judging_error.clone().or(of_cases).unwrap_or_else(|| reasons().join("; "))
        };
        let decision = match judgement.verdict {
            Verdict::Accepted => Decision::Within,
            Verdict::TimeLimitExceeded => Decision::Over,
            Verdict::JudgingError => Decision::Undecided(why()),
            _ => return solved(judgement),
        };
        self.series.judged.push(Judged {
            arm: Arm { by, needs_percent },
            limit: limit(self.series.calibrated, needs_percent),
            decision,
            runs: judgement.cases.iter().flat_map(|case| case.runs.clone()).collect(),
        });
        Ok(())
    }

    fn go_on(&mut self) -> Result<(), LabError> {
        let arms = 3 * self.setting.needs_percent.len();
        (self.receive)(self.series.judged.len(), arms * self.setting.judgements as usize)
    }
}

/// Returns the limit of which a time is this many per cent.
fn limit(time: Nanos, needs_percent: u32) -> Nanos {
    Nanos((u128::from(time.0) * 100 / u128::from(needs_percent.max(1))) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_such_that_the_program_needs_its_part_of_them() {
        assert_eq!(limit(Nanos::from_millis(970), 97), Nanos::from_millis(1000));
        assert_eq!(limit(Nanos::from_millis(1030), 103), Nanos::from_millis(1000));
    }
}
