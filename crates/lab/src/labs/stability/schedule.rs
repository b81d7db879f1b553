//! Who runs next: a state machine over judgements that rest between their runs.

use model::{Nanos, RunResult, Verdict};
use ruling::{Ruling, TimeRule};

/// Of what a judgement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Arm {
    /// Neither: the program's own time, on a CPU of its own.
    Reference,
    /// Our rule on a CPU of its own.
    Ruled {
        /// What of the limit the program needs, in per cent.
        needs_percent: u32,
    },
    /// One run wherever the kernel puts it; its CPU time against the limit.
    Plain {
        /// What of the limit the program needs, in per cent.
        needs_percent: u32,
    },
}

/// What a judgement came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The time is within the limit.
    Within,
    /// The time is over the limit.
    Over,
    /// No verdict: the runs do not tell.
    Undecided(String),
}

/// One judgement.
#[derive(Clone, Debug)]
pub struct Job {
    /// Of what it is.
    pub arm: Arm,
    rule: TimeRule,
    runs: Vec<RunResult>,
    /// When it last ended a run; none before the first.
    rested_from: Option<Nanos>,
    told: Option<Told>,
    /// How long its repeats waited for a calm core so far.
    waited: Nanos,
}

/// A judgement that is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Of what it is.
    pub arm: Arm,
    /// The limit.
    pub limit: Nanos,
    /// What it came to.
    pub told: Told,
    /// Its runs, in order.
    pub runs: Vec<RunResult>,
}

/// What is to be done now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Run this job once.
    Run(usize),
    /// Nobody is due before this instant.
    WaitUntil(Nanos),
    /// All are done.
    Nothing,
}

/// All judgements of a series.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    jobs: Vec<Job>,
    /// Jobs before this one have begun.
    begun: usize,
}

impl Job {
    /// Makes a judgement that has not begun.
    pub fn new(arm: Arm, limit: Nanos) -> Self {
        Self {
            arm,
            rule: TimeRule::new(limit),
            runs: Vec::new(),
            rested_from: None,
            told: None,
            waited: Nanos::ZERO,
        }
    }

    /// Gives how long its next run may wait for a calm core: like a submission's first run, its first does not.
    pub fn patience(&self) -> Nanos {
        if self.runs.is_empty() { Nanos::ZERO } else { self.rule.patience.saturating_sub(self.waited) }
    }

    fn due(&self) -> Option<Nanos> {
        match (&self.told, self.rested_from) {
            (None, Some(from)) => Some(from + self.rule.rest_after(self.runs.len())),
            _ => None,
        }
    }

    /// Takes a run that ended at an instant.
    fn take(&mut self, run: RunResult, now: Nanos) {
        self.runs.push(run);
        if self.rule.comes_later(self.runs.len()) {
            self.waited = Nanos::ZERO;
        }
        self.rested_from = Some(now);
        self.told = match self.arm {
            Arm::Reference => Some(Told::Within),
            Arm::Plain { .. } => {
                let within = self.runs.iter().all(|run| run.usage.cpu_time <= self.rule.limit);
                Some(if within { Told::Within } else { Told::Over })
            }
            Arm::Ruled { .. } => {
                let repeats = self.rule.repeats_allowed(1).saturating_sub(self.runs.len() as u32 - 1);
                match self.rule.rule(&self.runs, repeats) {
                    Ruling::RunAgain { .. } => None,
                    Ruling::CheckOutput { .. } => Some(Told::Within),
                    Ruling::Verdict { verdict: Verdict::TimeLimitExceeded, .. } => Some(Told::Over),
                    Ruling::Verdict { verdict, reason, .. } => {
                        Some(Told::Undecided(format!("{}: {reason}", verdict.clics_id())))
                    }
                    Ruling::Undecided { reason, .. } => Some(Told::Undecided(reason)),
                }
            }
        };
    }
}

impl Schedule {
    /// Makes a schedule; jobs begin in this order.
    pub fn new(jobs: Vec<Job>) -> Self {
        Self { jobs, begun: 0 }
    }

    /// Says what is to be done: whoever has rested longest beyond his due time, else the next to begin.
    pub fn next(&self, now: Nanos) -> Next {
        let due = self.jobs.iter().enumerate().filter_map(|(at, job)| Some((job.due()?, at))).min();
        match due {
            Some((when, at)) if when <= now => Next::Run(at),
            _ if self.begun < self.jobs.len() => Next::Run(self.begun),
            Some((when, _)) => Next::WaitUntil(when),
            None => Next::Nothing,
        }
    }

    /// Gives a job.
    pub fn job(&self, at: usize) -> &Job {
        &self.jobs[at]
    }

    /// Notes that a job's run waited for a calm core.
    pub fn waited(&mut self, at: usize, time: Nanos) {
        self.jobs[at].waited = self.jobs[at].waited + time;
    }

    /// Takes the run of a job.
    pub fn take(&mut self, at: usize, run: RunResult, now: Nanos) {
        self.begun = self.begun.max(at + 1);
        self.jobs[at].take(run, now);
    }

    /// Lists the judgements that are done, in the order in which they began.
    pub fn judged(&self) -> Vec<Judged> {
        let done = self.jobs.iter().filter_map(|job| job.told.clone().map(|told| (job, told)));
        done.map(|(job, told)| Judged { arm: job.arm, limit: job.rule.limit, told, runs: job.runs.clone() })
            .collect()
    }

    /// Says how many judgements are done, of how many.
    pub fn progress(&self) -> (usize, usize) {
        (self.jobs.iter().filter(|job| job.told.is_some()).count(), self.jobs.len())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use model::{Evidence, RunEnd, Usage};

    pub(in crate::labs::stability) fn run(cpu_ms: u64) -> RunResult {
        RunResult {
            end: RunEnd::Exited(0),
            usage: Usage { cpu_time: Nanos::from_millis(cpu_ms), ..Usage::default() },
            evidence: Evidence::default(),
        }
    }

    const LIMIT: Nanos = Nanos::from_millis(1000);

    fn at(ms: u64) -> Nanos {
        Nanos::from_millis(ms)
    }

    #[test]
    fn the_rest_of_one_is_the_work_of_another() {
        let ruled = Arm::Ruled { needs_percent: 103 };
        let plain = Arm::Plain { needs_percent: 103 };
        let mut schedule = Schedule::new(vec![
            Job::new(ruled, LIMIT),
            Job::new(plain, LIMIT),
            Job::new(Arm::Reference, LIMIT),
        ]);
        let mut log = String::new();
        let mut now = Nanos::ZERO;
        loop {
            match schedule.next(now) {
                Next::Run(job) => {
                    log.push_str(&format!("{job}@{} ", now.0 / 1_000_000));
                    now = now + at(500);
                    schedule.take(job, run(1130), now);
                }
                Next::WaitUntil(when) => now = when,
                Next::Nothing => break,
            }
        }
        assert_eq!(log, "0@0 1@500 2@1000 0@2500 0@5000 ");
        let told: Vec<_> =
            schedule.judged().into_iter().map(|judged| (judged.told, judged.runs.len())).collect();
        assert_eq!(told, [(Told::Over, 3), (Told::Over, 1), (Told::Within, 1)]);
        assert_eq!(schedule.progress(), (3, 3));
    }

    #[test]
    fn verdicts_are_the_rules() {
        let check = |arm: Arm, times: &[u64], expected: Option<Told>| {
            let mut job = Job::new(arm, LIMIT);
            for time in times {
                job.take(run(*time), Nanos::ZERO);
            }
            assert_eq!(job.told, expected, "{arm:?} {times:?}");
        };
        let ruled = Arm::Ruled { needs_percent: 97 };
        check(ruled, &[990], Some(Told::Within));
        check(ruled, &[1100], None);
        check(ruled, &[1100, 970], Some(Told::Within));
        check(ruled, &[1130, 1130, 1131], Some(Told::Over));
        check(ruled, &[1030, 1030, 1031], None);
        check(ruled, &[1030; 6], Some(Told::Over));
        check(Arm::Plain { needs_percent: 97 }, &[1001], Some(Told::Over));
        check(Arm::Plain { needs_percent: 97 }, &[1000], Some(Told::Within));
    }
}
