//! Carries a series of judgements out.

use super::schedule::{Next, Schedule};
use super::{Arm, Job, Judged};
use crate::labs::{CpuTerms, LabError, LoadSet, Ready, Testbed};
use model::{Nanos, RunResult};
use std::time::{Duration, Instant};

/// Runs that say what the program takes: 100 % is the lowest of them.
pub const REFERENCE_RUNS: usize = 30;
/// So many of them come first, since a limit is needed before anything can be judged.
pub const CALIBRATION_RUNS: usize = 10;
/// How long a reference may wait for a calm core: it is to say what the program takes at best.
const REFERENCE_PATIENCE: Nanos = Nanos::from_millis(20_000);
/// Nothing counts for so long at first: a virtual machine's memory becomes faster while the same pages are used again
/// and again (a sieve took 41 ms, and 38 ms some twenty seconds later).
const SETTLING_TIME: Duration = Duration::from_secs(20);
/// Waiting is cut into such parts, so that whoever is to stop us is heard.
const WAIT_PART: Duration = Duration::from_millis(100);

/// What is judged.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The program.
    pub program: &'a Ready,
    /// Judgements of each arm.
    pub judgements: u32,
    /// What of the limit the program needs, in per cent, in each pair of arms.
    pub needs_percent: [u32; 2],
}

/// What came of it.
#[derive(Debug, Default)]
pub struct Series {
    /// The time from which the limits were made.
    pub calibrated: Nanos,
    /// Every reference run, in order.
    pub references: Vec<RunResult>,
    /// Judgements that are done, the references left out.
    pub judged: Vec<Judged>,
    /// Why it stopped before its time.
    pub error: Option<LabError>,
}

/// Judges, under the loads's load all the while; what was done before an error is kept.
pub fn run(
    setting: &Setting<'_>,
    testbed: &mut Testbed,
    loads: &mut LoadSet,
    hear: &mut dyn FnMut(usize, usize) -> Result<(), LabError>,
) -> Series {
    let mut series = Series::default();
    let mut schedule = Schedule::default();
    let done = attempt(setting, testbed, loads, hear, &mut series, &mut schedule);
    series.error = done.err();
    for judged in schedule.judged() {
        match judged.arm {
            Arm::Reference => series.references.extend(judged.runs),
            _ => series.judged.push(judged),
        }
    }
    series
}

fn attempt(
    setting: &Setting<'_>,
    testbed: &mut Testbed,
    loads: &mut LoadSet,
    hear: &mut dyn FnMut(usize, usize) -> Result<(), LabError>,
    series: &mut Series,
    schedule: &mut Schedule,
) -> Result<(), LabError> {
    loads.work(true)?;
    let begun = Instant::now();
    while begun.elapsed() < SETTLING_TIME {
        hear(0, 1)?;
        setting.program.run(testbed, CpuTerms::Anywhere)?;
        own_run(setting, testbed, Nanos::ZERO)?;
    }
    for _ in 0..CALIBRATION_RUNS {
        hear(0, 1)?;
        setting.program.run(testbed, CpuTerms::Anywhere)?;
        series.references.push(own_run(setting, testbed, REFERENCE_PATIENCE)?.0);
    }
    series.calibrated = series.references.iter().map(|run| run.usage.cpu_time).min().unwrap_or_default();
    *schedule = Schedule::new(jobs(setting, series.calibrated));
    let begun = Instant::now();
    loop {
        let (done, all) = schedule.progress();
        hear(done, all)?;
        match schedule.next(begun.elapsed().into()) {
            Next::Run(job) => {
                let result = match schedule.job(job).arm {
                    Arm::Plain { .. } => setting.program.run(testbed, CpuTerms::Anywhere)?,
                    Arm::Reference => own_run(setting, testbed, REFERENCE_PATIENCE)?.0,
                    Arm::Ruled { .. } => {
                        let patience = schedule.job(job).patience();
                        let (result, waited) = own_run(setting, testbed, patience)?;
                        schedule.waited(job, waited);
                        result
                    }
                };
                schedule.take(job, result, begun.elapsed().into());
            }
            Next::WaitUntil(when) => {
                let left = when.saturating_sub(begun.elapsed().into());
                std::thread::sleep(Duration::from_nanos(left.0).min(WAIT_PART));
            }
            Next::Nothing => break,
        }
    }
    loads.work(false)
}

/// Runs the program on a CPU of its own, in a slot that is always a new one: references and judged runs begin alike,
/// whether a plain run or one of their own kind came before.
fn own_run(
    setting: &Setting<'_>,
    testbed: &mut Testbed,
    patience: Nanos,
) -> Result<(RunResult, Nanos), LabError> {
    testbed.close();
    setting.program.run_when_calm(testbed, CpuTerms::Own, patience)
}

/// Gives the limit of which a time is so many per cent.
fn limit(time: Nanos, needs_percent: u32) -> Nanos {
    Nanos((u128::from(time.0) * 100 / u128::from(needs_percent.max(1))) as u64)
}

/// Lists the jobs: all arms in turns, and the rest of the references evenly between them.
fn jobs(setting: &Setting<'_>, time: Nanos) -> Vec<Job> {
    let references = REFERENCE_RUNS - CALIBRATION_RUNS;
    let rounds = setting.judgements as usize;
    let mut jobs = Vec::new();
    let mut referred = 0;
    for round in 0..rounds {
        for needs_percent in setting.needs_percent {
            let limit = limit(time, needs_percent);
            jobs.push(Job::new(Arm::Ruled { needs_percent }, limit));
            jobs.push(Job::new(Arm::Plain { needs_percent }, limit));
        }
        while referred < references * (round + 1) / rounds {
            jobs.push(Job::new(Arm::Reference, time));
            referred += 1;
        }
    }
    jobs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labs::PROGRAMS;
    use model::Reading;
    use sandbox::RunPlan;

    #[test]
    fn references_lie_evenly_between_the_judgements() {
        let program = Ready {
            program: PROGRAMS[0],
            argument: 1,
            plan: RunPlan::new(Vec::new()),
            memory_peak: Reading::default(),
        };
        for judgements in [10, 100] {
            let setting = Setting { program: &program, judgements, needs_percent: [97, 103] };
            let jobs = jobs(&setting, Nanos::from_millis(970));
            let of = |part: &[Job]| part.iter().filter(|job| job.arm == Arm::Reference).count();
            assert_eq!(jobs.len(), 4 * judgements as usize + 20);
            assert_eq!((of(&jobs[..jobs.len() / 2]), of(&jobs[jobs.len() / 2..])), (10, 10));
        }
        assert_eq!(limit(Nanos::from_millis(970), 97), Nanos::from_millis(1000));
        assert_eq!(limit(Nanos::from_millis(1030), 103), Nanos::from_millis(1000));
    }
}
