//! The state machine.

use crate::CaseEnd;
use crate::case::{Case, Stage};
use crate::conversation::{Concluded, conclude};
use crate::phase::Phase;
use crate::plan::{Item, Kind, Plan, Scoring, WARM_UP_TIME_MAX};
use crate::step::{Checked, Conversed, Event, Observation, Outcome, RunLimits, Side, Step};
use model::{Nanos, RunResult, Verdict};
use ruling::Ruling;

/// One submission while it is judged.
///
/// What is still active at its end, for example after a cancellation, must be ended by the caller that began it. At
/// most one run and the check of the previous case are active at once, so an event need not name its step.
#[derive(Debug)]
pub struct Judging<S: Scoring> {
    plan: Plan,
    scoring: S,
    preparation: Preparation,
    next_item: usize,
    case: Option<Case>,
    /// The check that is active or due at the same time.
    check: Option<Check>,
    /// The question to the grader that everything waits for, and whether it was asked.
    question: Option<(S::Call, bool)>,
    is_warm: bool,
    repeats_left: u32,
    patience: Nanos,
    done: Vec<CaseEnd>,
    outcome: Option<Outcome<S::Total>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Preparation {
    Due,
    Begun,
    Done,
}

/// A check after which its item is done.
#[derive(Debug)]
struct Check {
    item: usize,
    /// The case that ran, and the ruling on it; `None` if nothing ran.
    ran: Option<(Case, Ruling)>,
    begun: bool,
}

impl<S: Scoring> Judging<S> {
    pub fn new(plan: Plan, scoring: S) -> Self {
        Self {
            scoring,
            preparation: Preparation::Due,
            next_item: 0,
            case: None,
            check: None,
            question: None,
            // A conversation or a check between passes needs no warm-up: the first of many turns loads the files.
            // What a first run costs more is time, and no instructions.
            is_warm: plan.kind != Kind::Simple || plan.rule.clock.is_instructions(),
            repeats_left: plan.repeats,
            patience: plan.rule.patience,
            done: Vec::new(),
            outcome: None,
            plan,
        }
    }

    pub fn done(&self) -> &[CaseEnd] {
        &self.done
    }

    /// Returns the next step and marks it as begun. Call it again until the step is to wait, to rest or done.
    pub fn next(&mut self, now: Nanos) -> Step<S::Call, S::Total> {
        let step = self.peek(now);
        match &step {
            Step::Compile | Step::TakeAnswers => self.preparation = Preparation::Begun,
            Step::Grade(_) => {
                if let Some((_, asked)) = &mut self.question {
                    *asked = true;
                }
            }
            Step::CheckSources { .. } | Step::Check { .. } => match &mut self.check {
                Some(check) if !check.begun => check.begun = true,
                _ => self.begin_stage(),
            },
            Step::WarmUp { .. } | Step::Run { .. } | Step::Converse { .. } | Step::WaitForCalm { .. } => {
                self.begin_stage();
            }
            Step::RestUntil(_) | Step::Wait | Step::Done(_) => {}
        }
        step
    }

    fn begin_stage(&mut self) {
        let Some(case) = &mut self.case else { return };
        match &mut case.stage {
            stage @ Stage::Rest { .. } => *stage = Stage::WaitForCalm { begun: true },
            Stage::WarmUp { begun }
            | Stage::Run { begun, .. }
            | Stage::WaitForCalm { begun }
            | Stage::Check { begun, .. } => *begun = true,
            Stage::AskBeforeRest { .. } | Stage::Ruled(_) => {}
        }
    }

    pub fn peek(&self, now: Nanos) -> Step<S::Call, S::Total> {
        if let Some(outcome) = &self.outcome {
            return Step::Done(outcome.clone());
        }
        if self.preparation == Preparation::Due {
            return if self.plan.kind == Kind::Answers { Step::TakeAnswers } else { Step::Compile };
        }
        if let Some((call, false)) = &self.question {
            return Step::Grade(call.clone());
        }
        if let Some(check) = self.check.as_ref().filter(|check| !check.begun) {
            let item = check.item;
            return match (&check.ran, self.plan.items[item]) {
                (Some((case, ruling)), _) => Step::Check { item, pass: case.pass, run: decisive(ruling) },
                (None, Item::Sources) => Step::CheckSources { item },
                (None, _) => Step::Check { item, pass: 1, run: 0 },
            };
        }
        self.next_of_case(now)
    }

    fn next_of_case(&self, now: Nanos) -> Step<S::Call, S::Total> {
        let rule = self.plan.rule;
        let limits = RunLimits {
            instructions: rule.clock.instructions(rule.limit),
            cpu_time: rule.kill_limit,
            wall_time: rule.wall_limit(),
        };
        let Some(case) = &self.case else { return Step::Wait };
        let (item, pass, attempt) = (case.item, case.pass, case.attempt());
        match case.stage {
            Stage::WarmUp { begun: false } => {
                let cpu_time = rule.kill_limit.min(WARM_UP_TIME_MAX);
                let limits = RunLimits { cpu_time, wall_time: cpu_time.saturating_mul(2), ..limits };
                Step::WarmUp { item, limits }
            }
            Stage::Run { begun: false, hold } => match self.plan.kind {
                Kind::Conversation => Step::Converse { item, pass, attempt, limits },
                _ => Step::Run { item, pass, attempt, limits, hold },
            },
            Stage::Rest { until } if now < until => Step::RestUntil(until),
            Stage::Rest { .. } | Stage::WaitForCalm { begun: false } => {
                Step::WaitForCalm { item, patience: self.patience }
            }
            Stage::Check { begun: false, run, .. } => Step::Check { item, pass, run },
            _ => Step::Wait,
        }
    }

    pub fn phase(&self, now: Nanos) -> Phase {
        match (self.preparation, self.plan.kind) {
            (Preparation::Due, _) => return Phase::Queued,
            (Preparation::Begun, Kind::Answers) => return Phase::TakingAnswers,
            (Preparation::Begun, _) => return Phase::Compiling,
            (Preparation::Done, _) => {}
        }
        if let Some(case) = &self.case {
            let (item, pass, attempt) = (case.item, case.pass, case.attempt());
            match case.stage {
                Stage::WarmUp { begun: true } => return Phase::WarmingUp { case: item },
                Stage::Run { begun: true, .. } => return Phase::Running { case: item, pass, attempt },
                Stage::Check { begun: true, .. } => return Phase::Checking { case: item },
                Stage::Rest { until } if now < until => {
                    return Phase::Resting { case: item, attempt, until };
                }
                Stage::WaitForCalm { begun: true } => {
                    return Phase::WaitingForCalm { case: item, attempt, at_most: self.patience };
                }
                _ => {}
            }
        }
        match (&self.question, &self.check) {
            (Some((_, true)), _) => Phase::Grading,
            (_, Some(Check { item, begun: true, .. })) => Phase::Checking { case: *item },
            _ => Phase::Queued,
        }
    }

    /// Returns whether, with this further run, the output of the present case would decide: then all of its output must
    /// be read.
    pub fn would_decide_by_output(&self, run: &RunResult) -> bool {
        let Some(case) = &self.case else { return false };
        let runs: Vec<RunResult> = case.runs.iter().chain([run]).cloned().collect();
        matches!(self.plan.rule.rule(&runs, self.repeats_left), Ruling::CheckOutput { .. })
    }

    /// Handles the event of a step at an instant, and returns the observations that follow. After the end events are
    /// ignored.
    ///
    /// # Panics
    /// When no step was begun that can have this event.
    pub fn on(&mut self, now: Nanos, event: Event<S::Grade>) -> Vec<Observation> {
        let mut seen = Vec::new();
        if self.outcome.is_some() {
            return seen;
        }
        match event {
            Event::Cancel => self.outcome = Some(Outcome::Cancelled),
            Event::Prepared => self.prepared(),
            Event::NotPrepared => {
                self.prepared();
                self.outcome = Some(Outcome::NotPrepared);
            }
            Event::WarmedUp => {
                let case =
                    self.case.as_mut().filter(|case| matches!(case.stage, Stage::WarmUp { begun: true }));
                case.expect("a warm-up was begun").stage = Stage::Run { begun: false, hold: Nanos::ZERO };
                self.is_warm = true;
            }
            Event::Ran(run) => self.ran(now, *run, &mut seen),
            Event::Conversed(conversed) => self.conversed(now, *conversed, &mut seen),
            Event::Waited { time, hold } => {
                self.patience = self.patience.saturating_sub(time);
                let case = self.case.as_mut();
                let case = case.filter(|case| matches!(case.stage, Stage::WaitForCalm { begun: true }));
                case.expect("a wait was begun").stage = Stage::Run { begun: false, hold };
            }
            Event::Checked(checked) => self.checked(Ok(checked), &mut seen),
            Event::Graded(grade) => {
                let question = self.question.take().filter(|(_, asked)| *asked);
                self.scoring.graded(question.expect("the grader was asked").0, grade);
            }
            Event::Failed(side, why) => self.failed(side, why, &mut seen),
        }
        self.go_on(&mut seen);
        seen
    }

    fn prepared(&mut self) {
        assert_eq!(self.preparation, Preparation::Begun, "a preparation was begun");
        self.preparation = Preparation::Done;
    }

    /// Takes the case whose run has ended, adds the run, and rules on it.
    fn ruled(&mut self, run: RunResult, seen: &mut Vec<Observation>) -> (Case, Ruling) {
        let case = self.case.take().filter(|case| matches!(case.stage, Stage::Run { begun: true, .. }));
        let mut case = case.expect("a run was begun");
        let held = run.evidence.guard.known().map_or(Nanos::ZERO, |guard| guard.held);
        self.patience = self.patience.saturating_sub(held);
        case.runs.push(run);
        let ruling = self.plan.rule.rule(&case.runs, self.repeats_left);
        seen.push(Observation::Ruled { item: case.item, pass: case.pass, ruling: ruling.clone() });
        (case, ruling)
    }

    fn ran(&mut self, now: Nanos, run: RunResult, seen: &mut Vec<Observation>) {
        assert_ne!(self.plan.kind, Kind::Conversation, "a conversation has an event of its own");
        let (mut case, ruling) = self.ruled(run, seen);
        case.stage = match (ruling, self.plan.kind) {
            (Ruling::RunAgain { reason }, _) => {
                case.run_again(reason);
                Stage::AskBeforeRest { until: case.rested_at(&self.plan.rule, now) }
            }
            (Ruling::CheckOutput { run }, Kind::Passes) => {
                Stage::Check { begun: false, run, ruling: Ruling::CheckOutput { run } }
            }
            (ruling, _) => Stage::Ruled(ruling),
        };
        self.case = Some(case);
    }

    fn conversed(&mut self, now: Nanos, conversed: Conversed, seen: &mut Vec<Observation>) {
        assert_eq!(self.plan.kind, Kind::Conversation, "only conversations have this event");
        let Conversed { run, checked, before_end } = conversed;
        let (mut case, ruling) = self.ruled(run, seen);
        match conclude(&ruling, checked, before_end) {
            Concluded::Failed(why) => self.enter(case.end(ruling, Some(Err(why))), seen),
            Concluded::Again(reason) => {
                case.run_again(reason);
                case.stage = Stage::AskBeforeRest { until: case.rested_at(&self.plan.rule, now) };
                self.case = Some(case);
            }
            Concluded::Decided { verdict: Some(Verdict::Accepted), checked: Some(checked) }
                if checked.next_pass =>
            {
                case.begin_pass();
                self.case = Some(case);
            }
            Concluded::Decided { verdict, checked } => {
                let end = case.end(ruling, None);
                let judging_error = if verdict.is_none() { end.judging_error } else { None };
                let verdict = verdict.unwrap_or(Verdict::JudgingError);
                self.enter(CaseEnd { verdict, checked, judging_error, ..end }, seen);
            }
        }
    }

    fn checked(&mut self, checked: Result<Checked, String>, seen: &mut Vec<Observation>) {
        if let Some(Case { stage: Stage::Check { begun: true, .. }, .. }) = &self.case {
            let mut case = self.case.take().expect("it is there");
            let Stage::Check { ruling, .. } =
                std::mem::replace(&mut case.stage, Stage::WaitForCalm { begun: true })
            else {
                unreachable!("its stage is a check")
            };
            match checked {
                Ok(checked) if checked.next_pass => {
                    case.begin_pass();
                    self.case = Some(case);
                }
                checked => self.enter(case.end(ruling, Some(checked)), seen),
            }
            return;
        }
        let check = self.check.take().filter(|check| check.begun).expect("a check was begun");
        let end = match check.ran {
            Some((case, ruling)) => case.end(ruling, Some(checked)),
            None => CaseEnd::checked(check.item, checked),
        };
        self.enter(end, seen);
    }

    /// Handles an internal failure: it belongs to the case where a judgement can express that, otherwise to the
    /// submission.
    fn failed(&mut self, side: Side, why: String, seen: &mut Vec<Observation>) {
        let is_between = matches!(self.plan.kind, Kind::Passes | Kind::Conversation);
        match side {
            Side::Check => self.checked(Err(why), seen),
            Side::Timed if is_between => {
                let case = self.case.take().expect("something timed was begun");
                self.enter(CaseEnd::failed(case.item, why), seen);
            }
            Side::Preparation | Side::Timed => self.outcome = Some(Outcome::Failed(why)),
        }
    }

    fn enter(&mut self, end: CaseEnd, seen: &mut Vec<Observation>) {
        seen.push(Observation::CaseDone(Box::new(end.clone())));
        self.done.push(end);
    }

    /// Returns whether an item can still change the result; `None` if the grader has to be asked first.
    fn needs(&mut self, item: usize) -> Option<bool> {
        match self.scoring.needs(&self.done, item) {
            Ok(needs) => Some(needs),
            Err(call) => {
                self.question = Some((call, false));
                None
            }
        }
    }

    fn go_on(&mut self, seen: &mut Vec<Observation>) {
        while self.outcome.is_none() && self.preparation == Preparation::Done && self.question.is_none() {
            let went_on = if self.case.is_some() {
                self.go_on_with_case(seen)
            } else if self.next_item < self.plan.items.len() {
                self.begin_item(seen)
            } else {
                self.total()
            };
            if !went_on {
                return;
            }
        }
    }

    /// Continues a case once it is known whether the case is needed.
    fn go_on_with_case(&mut self, seen: &mut Vec<Observation>) -> bool {
        let Some(case) = &self.case else { return false };
        let (item, is_known) = (case.item, case.is_needed);
        if !matches!(case.stage, Stage::AskBeforeRest { .. } | Stage::Ruled(_)) || self.check.is_some() {
            return false;
        }
        if !is_known {
            match self.needs(item) {
                None => return false,
                Some(true) => {}
                Some(false) => {
                    self.case = None;
                    seen.push(Observation::ThrownAway { item });
                    return true;
                }
            }
        }
        let Some(mut case) = self.case.take() else { return false };
        // All earlier results are known now, and no other can arrive before this case is done.
        case.is_needed = true;
        match case.stage.clone() {
            Stage::AskBeforeRest { until } => {
                self.repeats_left = self.repeats_left.saturating_sub(1);
                if self.plan.rule.comes_later(case.runs.len()) {
                    self.patience = self.plan.rule.patience;
                }
                case.stage = Stage::Rest { until };
                self.case = Some(case);
            }
            Stage::Ruled(ruling @ Ruling::CheckOutput { .. }) => {
                self.check = Some(Check { item, ran: Some((case, ruling)), begun: false });
            }
            Stage::Ruled(ruling) => self.enter(case.end(ruling, None), seen),
            _ => unreachable!("nothing else waits to be known to be needed"),
        }
        true
    }

    fn begin_item(&mut self, seen: &mut Vec<Observation>) -> bool {
        let item = self.next_item;
        let kind = self.plan.items[item];
        // While a check is pending, enough is known to run a case, but not to skip one.
        let may_overlap = self.plan.overlaps && self.plan.kind == Kind::Simple && kind == Item::Case;
        if self.check.is_some() && (!may_overlap || self.checks_sources()) {
            return false;
        }
        match self.needs(item) {
            None => return false,
            Some(false) if self.check.is_some() => return false,
            Some(false) => {
                self.next_item += 1;
                return true;
            }
            Some(true) => self.next_item += 1,
        }
        match (kind, self.plan.kind) {
            (Item::Sources, _) | (Item::Case, Kind::Answers) => {
                self.check = Some(Check { item, ran: None, begun: false });
            }
            (Item::NoAnswer, _) => {
                let checked = Checked {
                    verdict: Verdict::WrongAnswer,
                    score: None,
                    score_multiplier: None,
                    next_pass: false,
                };
                let end = CaseEnd::checked(item, Ok(checked));
                self.enter(CaseEnd { checked: None, ..end }, seen);
            }
            (Item::Case, _) => {
                let stage = match self.is_warm {
                    true => Stage::Run { begun: false, hold: Nanos::ZERO },
                    false => Stage::WarmUp { begun: false },
                };
                let is_needed = self.check.is_none();
                let is_conversation = self.plan.kind == Kind::Conversation;
                self.case = Some(Case { is_needed, ..Case::new(item, stage, is_conversation) });
            }
        }
        true
    }

    fn checks_sources(&self) -> bool {
        matches!(&self.check, Some(check) if self.plan.items[check.item] == Item::Sources)
    }

    fn total(&mut self) -> bool {
        if self.check.is_some() {
            return false;
        }
        let failure = |end: &CaseEnd| Some((end.item, end.judging_error.clone()?));
        let outcome = match self.done.iter().find_map(failure) {
            Some((item, why)) => Outcome::JudgingError { cases: self.done.clone(), item, why },
            None => match self.scoring.total(&self.done) {
                Ok(total) => Outcome::Judged { cases: self.done.clone(), total },
                Err(call) => {
                    self.question = Some((call, false));
                    return false;
                }
            },
        };
        self.outcome = Some(outcome);
        true
    }
}

fn decisive(ruling: &Ruling) -> usize {
    match ruling {
        Ruling::CheckOutput { run } | Ruling::Verdict { run, .. } | Ruling::Undecided { run, .. } => *run,
        Ruling::RunAgain { .. } => 0,
    }
}
