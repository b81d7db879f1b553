//! Drives a judging with a simulated clock and prepared outcomes, and logs every step and observation.

#![allow(dead_code, reason = "each test uses a part of it")]

pub mod any;

use judging_steps::{
    CaseEnd, Checked, Conversed, Event, Item, Judging, Kind, Observation, Outcome, Phase, Plan, Scoring,
    Side, Step,
};
use model::{Evidence, LimitKind, Nanos, Reading, RunEnd, RunResult, Usage, Verdict};
use ruling::TimeRule;
use std::collections::{BTreeMap, VecDeque};

/// More steps than any judging in these tests needs.
const STEPS_MAX: usize = 20_000;

pub const DONE: RunEnd = RunEnd::Exited(0);
pub const KILLED: RunEnd = RunEnd::Limit(LimitKind::CpuTime);
pub const CLOCK: RunEnd = RunEnd::Limit(LimitKind::WallTime);

pub fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

pub fn rule() -> TimeRule {
    TimeRule::new(ms(1000))
}

pub fn run(end: RunEnd, cpu_ms: u64, steal_ms: u64) -> RunResult {
    RunResult {
        end,
        usage: Usage { cpu_time: ms(cpu_ms), ..Usage::default() },
        evidence: Evidence { steal: Reading::Known(ms(steal_ms)), ..Evidence::default() },
    }
}

pub fn checked(verdict: Verdict) -> Checked {
    Checked { verdict, score: None, score_multiplier: None, next_pass: false }
}

pub fn next_pass() -> Checked {
    Checked { next_pass: true, ..checked(Verdict::Accepted) }
}

pub fn plan(kind: Kind, items: &[Item], overlaps: bool) -> Plan {
    let rule = rule();
    Plan { kind, items: items.to_vec(), repeats: rule.repeats_allowed(items.len()), rule, overlaps }
}

/// Items in groups: a group is over after its first rejected item, and all groups are if the problem is not scored. A
/// group may need a grade first.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The group of each item; items past the end are in group 0.
    pub of: Vec<usize>,
    pub is_scored: bool,
    /// Whether a group is needed only if all items of earlier groups are known to be accepted.
    pub in_turn: bool,
    /// Groups that need a grade before a later group begins and before the total.
    pub graded: BTreeMap<usize, Option<bool>>,
    pub all: bool,
}

impl Groups {
    fn of(&self, item: usize) -> usize {
        self.of.get(item).copied().unwrap_or(0)
    }

    fn first_ungraded(&self, before: usize) -> Option<usize> {
        self.graded.iter().find(|(group, grade)| **group < before && grade.is_none()).map(|(group, _)| *group)
    }
}

impl Scoring for Groups {
    type Call = usize;
    type Grade = bool;
    type Total = usize;

    fn needs(&self, done: &[CaseEnd], item: usize) -> Result<bool, usize> {
        if self.all {
            return Ok(true);
        }
        let group = self.of(item);
        if let Some(call) = self.first_ungraded(group) {
            return Err(call);
        }
        if self.graded.iter().any(|(other, grade)| *other < group && *grade == Some(false)) {
            return Ok(false);
        }
        let is_accepted =
            |item: usize| done.iter().any(|end| end.item == item && end.verdict == Verdict::Accepted);
        if self.in_turn && (0..item).any(|other| self.of(other) < group && !is_accepted(other)) {
            return Ok(false);
        }
        let mut rejected = done.iter().filter(|end| end.verdict != Verdict::Accepted);
        Ok(!rejected.any(|end| !self.is_scored || self.of(end.item) == group))
    }

    fn graded(&mut self, call: usize, grade: bool) {
        self.graded.insert(call, Some(grade));
    }

    fn total(&self, done: &[CaseEnd]) -> Result<usize, usize> {
        match self.first_ungraded(usize::MAX) {
            Some(call) => Err(call),
            None => Ok(done.iter().filter(|end| end.verdict == Verdict::Accepted).count()),
        }
    }
}

/// The result of a check or an interactor, and whether the interactor ends before it sees the end.
pub type Said = (Result<Checked, String>, bool);

/// The outcomes of steps, in order; a step without one succeeds.
#[derive(Clone, Debug)]
pub struct World {
    pub does_not_compile: bool,
    pub runs: BTreeMap<usize, VecDeque<RunResult>>,
    /// The results of checks or interactors for each item, and whether the interactor ends before it sees the end.
    pub stated: BTreeMap<usize, VecDeque<Said>>,
    /// The item on which a timed step fails.
    pub fails_on: Option<usize>,
    pub run_time: Nanos,
    pub check_time: Nanos,
    /// How long a wait for a calm core takes, if there is enough patience.
    pub calm_after: Nanos,
    pub hold: Nanos,
    pub grades: BTreeMap<usize, bool>,
    /// Cancels before this step is done.
    pub cancel_at: Option<usize>,
}

impl Default for World {
    fn default() -> Self {
        Self {
            does_not_compile: false,
            runs: BTreeMap::new(),
            stated: BTreeMap::new(),
            fails_on: None,
            run_time: ms(100),
            check_time: ms(30),
            calm_after: Nanos::ZERO,
            hold: Nanos::ZERO,
            grades: BTreeMap::new(),
            cancel_at: None,
        }
    }
}

impl World {
    pub fn runs(mut self, item: usize, runs: &[RunResult]) -> Self {
        self.runs.entry(item).or_default().extend(runs.iter().cloned());
        self
    }

    pub fn says(mut self, item: usize, stated: Checked) -> Self {
        self.stated.entry(item).or_default().push_back((Ok(stated), false));
        self
    }

    pub fn says_first(mut self, item: usize, stated: Checked) -> Self {
        self.stated.entry(item).or_default().push_back((Ok(stated), true));
        self
    }

    pub fn check_fails(mut self, item: usize, first: bool) -> Self {
        self.stated.entry(item).or_default().push_back((Err("no answer".to_owned()), first));
        self
    }

    fn next_run(&mut self, item: usize) -> RunResult {
        self.runs.get_mut(&item).and_then(VecDeque::pop_front).unwrap_or_else(|| run(DONE, 10, 0))
    }

    fn next_reported(&mut self, item: usize) -> Said {
        let stated = self.stated.get_mut(&item).and_then(VecDeque::pop_front);
        stated.unwrap_or((Ok(checked(Verdict::Accepted)), false))
    }
}

#[derive(Debug)]
pub struct Driven {
    /// Each step and observation in a word or two.
    pub log: Vec<String>,
    pub outcome: Outcome<usize>,
    /// Runs begun: item, pass, attempt, and whether any item was rejected by then.
    pub begun: Vec<(usize, u32, u32, bool)>,
    /// Each rest: the length by the rule, and the real one, both from the end of the last run.
    pub rests: Vec<(Nanos, Nanos)>,
    /// The sum of waits for a calm core between two renewals of patience.
    pub waited: Vec<Nanos>,
    /// How often two steps were active at once.
    pub overlapped: usize,
    /// Its phases, without repetitions.
    pub phases: Vec<Phase>,
}

pub fn drive(plan: &Plan, scoring: &Groups, world: &World) -> Driven {
    let (rule, mut world) = (plan.rule, world.clone());
    let mut judging = Judging::new(plan.clone(), scoring.clone());
    let mut going_on: Vec<(Nanos, Event<bool>)> = Vec::new();
    let (mut now, mut steps) = (ms(1), 0);
    let mut last_run: BTreeMap<usize, (Nanos, usize)> = BTreeMap::new();
    let mut driven = Driven {
        log: Vec::new(),
        outcome: Outcome::Cancelled,
        begun: Vec::new(),
        rests: Vec::new(),
        waited: vec![Nanos::ZERO],
        overlapped: 0,
        phases: Vec::new(),
    };
    let mut running = None;
    loop {
        steps += 1;
        assert!(steps < STEPS_MAX, "it does not end: {:?}", &driven.log[..50]);
        if world.cancel_at == Some(steps) {
            let seen = judging.on(now, Event::Cancel);
            assert_eq!(seen, []);
        }
        let step = judging.next(now);
        let phase = judging.phase(now);
        if driven.phases.last() != Some(&phase) {
            driven.phases.push(phase);
        }
        let fails_on = world.fails_on;
        let fails = |item: usize, event| match fails_on {
            Some(failing) if failing == item => Event::Failed(Side::Timed, "no memory".to_owned()),
            _ => event,
        };
        let rested_until = match &step {
            Step::RestUntil(until) => Some(*until),
            _ => None,
        };
        let begun = match step {
            Step::Done(outcome) => {
                assert!(
                    matches!(judging.next(now), Step::Done(again) if again == outcome),
                    "the end is the end"
                );
                for (due, event) in going_on {
                    assert_eq!(judging.on(due, event), [], "nothing means anything after the end");
                }
                driven.outcome = outcome;
                return driven;
            }
            Step::Wait | Step::RestUntil(_) => None,
            Step::Compile | Step::TakeAnswers => {
                let name = if step == Step::Compile { "compile" } else { "answers" };
                let event = if world.does_not_compile { Event::NotPrepared } else { Event::Prepared };
                Some((name.to_owned(), now + ms(500), event))
            }
            Step::CheckSources { item } => {
                let event = match world.next_reported(item).0 {
                    Ok(checked) => Event::Checked(checked),
                    Err(why) => Event::Failed(Side::Check, why),
                };
                Some((format!("sources {item}"), now + world.check_time, event))
            }
            Step::WarmUp { item, limits } => {
                assert_eq!((limits.cpu_time, limits.wall_time), (ms(500), ms(1000)));
                Some((format!("warm {item}"), now + world.run_time, fails(item, Event::WarmedUp)))
            }
            Step::Run { item, pass, attempt, limits, hold } => {
                assert_eq!((limits.cpu_time, limits.wall_time), (rule.kill_limit, rule.wall_limit()));
                let rejected = judging.done().iter().any(|end| end.verdict != Verdict::Accepted);
                driven.begun.push((item, pass, attempt, rejected));
                let held = if hold > Nanos::ZERO { " held" } else { "" };
                let ran = world.next_run(item);
                running = Some((item, attempt as usize));
                let name = format!("run {item} {pass}.{attempt}{held}");
                Some((name, now + world.run_time, fails(item, Event::Ran(Box::new(ran)))))
            }
            Step::Converse { item, pass, attempt, .. } => {
                let rejected = judging.done().iter().any(|end| end.verdict != Verdict::Accepted);
                driven.begun.push((item, pass, attempt, rejected));
                running = Some((item, attempt as usize));
                let (checked, before_end) = world.next_reported(item);
                let conversed = Conversed { run: world.next_run(item), checked, before_end };
                let name = format!("talk {item} {pass}.{attempt}");
                Some((name, now + world.run_time, fails(item, Event::Conversed(Box::new(conversed)))))
            }
            Step::Check { item, pass, run } => {
                let event = match world.next_reported(item).0 {
                    Ok(checked) => Event::Checked(checked),
                    Err(why) => Event::Failed(Side::Check, why),
                };
                Some((format!("check {item} {pass}.{}", run + 1), now + world.check_time, event))
            }
            Step::WaitForCalm { item, patience } => {
                let time = world.calm_after.min(patience);
                if last_run.get(&item).is_some_and(|(_, runs)| rule.comes_later(*runs)) {
                    driven.waited.push(Nanos::ZERO);
                }
                if let Some(waited) = driven.waited.last_mut() {
                    *waited = *waited + time;
                }
                let hold = if time > Nanos::ZERO { world.hold } else { Nanos::ZERO };
                let event = fails(item, Event::Waited { time, hold });
                Some((format!("calm {}", patience), now + time, event))
            }
            Step::Grade(group) => {
                let grade = world.grades.get(&group).copied().unwrap_or(true);
                Some((format!("grade {group}"), now + ms(5), Event::Graded(grade)))
            }
        };
        if let Some((name, due, event)) = begun {
            driven.log.push(name);
            driven.overlapped += usize::from(!going_on.is_empty());
            going_on.push((due, event));
            assert!(going_on.len() <= 2, "a run and a check at most: {:?}", driven.log);
            continue;
        }
        // Time goes on to the next event, or to the end of the rest.
        let next = (0..going_on.len()).min_by_key(|at| going_on[*at].0);
        let due = next.map(|at| going_on[at].0);
        if let Some(until) = rested_until
            && due.is_none_or(|due| until <= due)
        {
            assert!(until > now, "a rest is over when it is");
            let (item, _) = running.expect("who rests has run");
            let (ended, runs) = last_run[&item];
            driven.rests.push((rule.rest_after(runs), until - ended));
            driven.log.push(format!("rest {}", until - now));
            now = until;
            continue;
        }
        let (due, event) = going_on.remove(next.expect("who waits waits for something"));
        now = now.max(due);
        if let (Event::Ran(_) | Event::Conversed(_), Some((item, runs))) = (&event, running) {
            last_run.insert(item, (now, runs));
        }
        for observation in judging.on(now, event) {
            match observation {
                Observation::Ruled { .. } => {}
                Observation::ThrownAway { item } => driven.log.push(format!("thrown away {item}")),
                Observation::CaseDone(end) => {
                    driven.log.push(format!("done {} {}", end.item, end.verdict.clics_id()));
                }
            }
        }
    }
}
