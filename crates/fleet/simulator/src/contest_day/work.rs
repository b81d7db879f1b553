//! A submission while a place judges it.

use super::day::{Behaviour, Day, Pool, PoolName, Truth, part};
use contest_rules::{Judged, JudgementKey, StoredVerdict, SubmissionNumber};
use judging_steps::{CaseEnd, Checked, Item, Judging, Kind, Outcome, Plan, Scoring};
use model::{
    CpuSet, Evidence, Isolation, LimitKind, Nanos, Reading, RunEnd, RunResult, Slowdown, Usage, Verdict,
};
use ruling::{RuleNumbers, TimeRule};

/// The scoring of a contest in which every test has to be right: the first that is not decides.
#[derive(Debug)]
pub(super) struct FirstRejected;

/// There is no grader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoCall {}

impl Scoring for FirstRejected {
    type Call = NoCall;
    type Grade = ();
    type Total = Verdict;

    fn needs(&self, done: &[CaseEnd], _item: usize) -> Result<bool, NoCall> {
        Ok(done.iter().all(|end| end.verdict == Verdict::Accepted))
    }

    fn graded(&mut self, call: NoCall, (): ()) {
        match call {}
    }

    fn total(&self, done: &[CaseEnd]) -> Result<Verdict, NoCall> {
        let rejected = done.iter().map(|end| end.verdict).find(|verdict| *verdict != Verdict::Accepted);
        Ok(rejected.unwrap_or(Verdict::Accepted))
    }
}

/// A submission and what its judging did so far.
#[derive(Debug)]
pub(super) struct Work {
    pub submission: usize,
    pub rule: TimeRule,
    behaviour: Behaviour,
    time_permille: u32,
    /// How many timed runs there were.
    pub runs: u64,
    /// For how long it had the place.
    pub used: Nanos,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdicted {
    pub submission: usize,
    /// What is reported to the contest; a verdict that is a judging error means that the time stayed undecided.
    pub judged: Judged,
    /// The verdict of a judge that knows the times.
    pub truth: Verdict,
    /// Whether the verdict is another one, and the rule for times cannot tell the test's time from the limit.
    pub is_too_close: bool,
    pub tests: u64,
    /// How many timed runs there were, without warm-ups.
    pub runs: u64,
    /// How many of them repeated a test.
    pub repeats: u64,
    /// For how long it had the place.
    pub used: Nanos,
}

impl Work {
    /// Makes it, with its judging. A fast pool runs each test once, as there.
    pub fn open(
        day: &Day,
        (submission, truth): (usize, &Truth),
        pool: &Pool,
        name: PoolName,
    ) -> (Self, Judging<FirstRejected>) {
        let problem = &day.problems[truth.problem];
        let rule = TimeRule { quick: name == PoolName::Fast, ..TimeRule::new(problem.time_limit) };
        let items = vec![Item::Case; problem.tests as usize];
        let repeats = rule.repeats_allowed(items.len());
        let plan = Plan { kind: Kind::Simple, items, rule, repeats, overlaps: true };
        let work = Self {
            submission,
            rule,
            behaviour: day.behaviour(truth),
            time_permille: pool.time_permille,
            runs: 0,
            used: Nanos::ZERO,
        };
        (work, Judging::new(plan, FirstRejected))
    }

    /// Returns how long compiling takes, and whether it succeeds.
    pub fn compilation(&self) -> (Nanos, bool) {
        (self.here(self.behaviour.compile), self.behaviour.verdict != Verdict::CompileError)
    }

    /// Returns how long a test takes here at best.
    pub fn time(&self, test: usize) -> Nanos {
        self.here(self.behaviour.times[test])
    }

    /// Returns the time at best of the test on which the judges say "too slow": this one, or that of a judge that knows the times.
    fn slow_test(&self, found: Option<usize>) -> Option<Nanos> {
        let times = &self.behaviour.times;
        match found {
            Some(test) => Some(times[test]),
            None if self.behaviour.verdict == Verdict::TimeLimitExceeded => {
                times.iter().copied().find(|time| *time > self.rule.limit)
            }
            None => None,
        }
    }

    /// Returns whether a time and the limit are the same as far as the rule can tell two times apart.
    fn agrees_with_limit(&self, time: Nanos) -> bool {
        let RuleNumbers { agreement_permille, agreement_floor, .. } = self.rule.numbers;
        let limit = self.rule.limit;
        let (low, high) = (time.min(limit), time.max(limit));
        high - low <= part(low, u64::from(agreement_permille) * 1000).max(agreement_floor)
    }

    fn here(&self, time: Nanos) -> Nanos {
        part(time, u64::from(self.time_permille) * 1000)
    }

    /// Returns what the check of a test's output finds.
    pub fn check(&self, test: usize) -> Checked {
        let verdict = match self.behaviour.wrong_on {
            Some(wrong) if wrong == test => Verdict::WrongAnswer,
            _ => Verdict::Accepted,
        };
        Checked { verdict, score: None, score_multiplier: None, next_pass: false }
    }

    pub fn verdicted(self, outcome: Outcome<Verdict>) -> Verdicted {
        let (cases, verdict) = match outcome {
            Outcome::Judged { cases, total } => (cases, total),
            Outcome::NotPrepared => (Vec::new(), Verdict::CompileError),
            Outcome::JudgingError { cases, .. } => (cases, Verdict::JudgingError),
            Outcome::Failed(_) | Outcome::Cancelled => unreachable!("nothing fails or is cancelled here"),
        };
        let time = |end: &CaseEnd| end.runs.get(end.decisive).map(|run| run.usage.cpu_time);
        let judged = Judged {
            judgement: JudgementKey { submission: SubmissionNumber(self.submission as u32 + 1), number: 1 },
            outcome: contest_rules::Outcome { verdict: StoredVerdict(verdict), score: None },
            max_run_time: cases.iter().filter_map(time).max(),
            subtasks: Vec::new(),
            evidence: None,
            compile_output: None,
            nondeterministic: Default::default(),
            for_jury: Default::default(),
        };
        let repeats = cases.iter().map(|end| end.repeats.len() as u64).sum();
        let (tests, runs) = (cases.len() as u64, self.runs);
        let truth = self.behaviour.verdict;
        let rejected = cases.iter().find(|end| end.verdict != Verdict::Accepted);
        let too_slow = rejected.filter(|end| end.verdict == Verdict::TimeLimitExceeded).map(|end| end.item);
        let is_too_close =
            verdict != truth && self.slow_test(too_slow).is_some_and(|time| self.agrees_with_limit(time));
        Verdicted {
            submission: self.submission,
            judged,
            truth,
            is_too_close,
            tests,
            runs,
            repeats,
            used: self.used,
        }
    }
}

/// Makes the result of a run that took this long, with a core that showed this.
pub(super) fn result(time: Nanos, kill_limit: Nanos, shown: Slowdown) -> RunResult {
    let end = if time >= kill_limit { RunEnd::Limit(LimitKind::CpuTime) } else { RunEnd::Exited(0) };
    // An empty text takes no memory of its own, and there are millions of runs.
    fn none<T>() -> Reading<T> {
        Reading::Unavailable(String::new())
    }
    let usage = Usage {
        cpu_time: time,
        user_time: none(),
        system_time: none(),
        wall_time: time,
        instructions: none(),
        memory_peak: none(),
        max_rss: none(),
        output: none(),
        forced_switches: none(),
        voluntary_switches: none(),
        minor_faults: none(),
        major_faults: none(),
    };
    let evidence = Evidence {
        cpus: CpuSet::default(),
        steal: none(),
        interrupts: none(),
        softirqs: none(),
        throttled: none(),
        cpu_pressure: none(),
        others_cpu_time: none(),
        migrations: none(),
        frequency: none(),
        heat_throttles: none(),
        core_slowdown: Reading::Known(shown),
        guard: none(),
        neighbours: none(),
        unusual: none(),
        hardware: none(),
        isolation: Isolation::default(),
        machine: None,
    };
    RunResult { end, usage, evidence }
}
