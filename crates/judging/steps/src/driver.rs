//! Many judgings that share one timed place.

use crate::plan::Scoring;
use crate::turns::{Order, Turns};
use crate::{Event, Judging, Observation, Outcome, Phase, Step};
use model::{Nanos, RunResult};
use std::collections::BTreeMap;

/// How often the core is probed while waiting for it to be calm: each probing takes some milliseconds of its CPU.
pub const PROBE_EVERY: Nanos = Nanos::from_millis(100);

/// How many judgings a place may have open: with more, each would wait longer for its turns, and there are few rests to
/// fill.
pub const OPEN_PER_PLACE_MAX: usize = 4;

/// The next action for the judgings of a place.
#[derive(Clone, Debug, PartialEq)]
pub enum Action<C, T> {
    /// Begin this next to the place; its event follows.
    Untimed {
        judging: u64,
        /// A compilation, a check, or a question to the grader.
        step: Step<C, T>,
    },
    /// Do this on the place; its event follows at the end.
    Timed {
        judging: u64,
        /// A warm-up, a run or a conversation.
        step: Step<C, T>,
        /// Whether another judging used the place before.
        is_switch: bool,
    },
    /// Probe whether the core is calm, and report it to [`Driver::probed`].
    Probe { judging: u64 },
    /// Do nothing until an event arrives, or until this instant.
    Wait(Option<Nanos>),
    /// This judging is over and was removed.
    Done { judging: u64, outcome: Outcome<T> },
}

/// The judgings that share a place. Pure: it has no clock, and the caller executes the actions.
#[derive(Debug)]
pub struct Driver<S: Scoring> {
    /// By age, the oldest first.
    open: BTreeMap<u64, Entry<S>>,
    turns: Turns,
    /// Which judging compiles next: one at a time, since a compilation may use all helper CPUs for minutes.
    compilers: Turns,
    /// The judging that is being compiled, and since when.
    compiling: Option<(u64, Nanos)>,
}

#[derive(Debug)]
struct Entry<S: Scoring> {
    judging: Judging<S>,
    calm: Option<Calm>,
}

/// A wait for a calm core.
#[derive(Debug)]
struct Calm {
    patience: Nanos,
    /// How long the core was waited for, without the time of other judgings' turns.
    waited: Nanos,
    probed_at: Option<Nanos>,
}

impl<S: Scoring> Default for Driver<S> {
    fn default() -> Self {
        Self { open: BTreeMap::new(), turns: Turns::default(), compilers: Turns::default(), compiling: None }
    }
}

impl<S: Scoring> Driver<S> {
    /// Adds a judging; a higher number is younger, and no number is used twice.
    pub fn open(&mut self, number: u64, order: Order, judging: Judging<S>) {
        self.turns.open(number, order.clone());
        self.compilers.open(number, order);
        self.open.insert(number, Entry { judging, calm: None });
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub fn phase(&self, now: Nanos, judging: u64) -> Option<Phase> {
        Some(self.open.get(&judging)?.judging.phase(now))
    }

    /// Handles the event of a step. Events of a judging that has ended are ignored.
    pub fn on(&mut self, now: Nanos, judging: u64, event: Event<S::Grade>) -> Vec<Observation> {
        let Some(entry) = self.open.get_mut(&judging) else { return Vec::new() };
        if let Some((compiled, since)) = self.compiling
            && compiled == judging
        {
            self.compilers.use_by(judging, now.saturating_sub(since));
            self.compiling = None;
        }
        entry.judging.on(now, event)
    }

    /// Records for how long a judging has just used the place.
    pub fn use_by(&mut self, judging: u64, time: Nanos) {
        self.turns.use_by(judging, time);
    }

    pub fn probed(&mut self, now: Nanos, judging: u64, is_calm: bool) -> Vec<Observation> {
        let Some(entry) = self.open.get_mut(&judging) else { return Vec::new() };
        let Some(calm) = &mut entry.calm else { return Vec::new() };
        let was_slow = calm.probed_at.is_some();
        if let Some(before) = calm.probed_at.replace(now) {
            calm.waited = calm.waited + now.saturating_sub(before).min(PROBE_EVERY);
        }
        let (time, patience) = (calm.waited, calm.patience);
        if !is_calm && time < patience {
            return Vec::new();
        }
        entry.calm = None;
        // On a core that was calm at once a guard would only cost the run time.
        let hold = if was_slow || !is_calm { patience.saturating_sub(time) } else { Nanos::ZERO };
        entry.judging.on(now, Event::Waited { time, hold })
    }

    /// Returns whether, with this further run, the output of the present case would decide.
    pub fn would_decide_by_output(&self, judging: u64, run: &RunResult) -> bool {
        self.open.get(&judging).is_some_and(|entry| entry.judging.would_decide_by_output(run))
    }

    /// Returns the next action. Call it again until the action is to wait.
    pub fn next(&mut self, now: Nanos) -> Action<S::Call, S::Total> {
        let mut due: Option<Nanos> = None;
        let mut wake = |at: Nanos| due = Some(due.map_or(at, |earlier| earlier.min(at)));
        let (mut ready, mut to_compile) = (Vec::new(), Vec::new());
        for (&number, entry) in &mut self.open {
            if let Some(calm) = &entry.calm {
                let left = calm.patience.saturating_sub(calm.waited);
                match calm.probed_at.map(|before| before + PROBE_EVERY.min(left)) {
                    Some(next) if now < next => wake(next),
                    _ => ready.push(number),
                }
                continue;
            }
            match entry.judging.peek(now) {
                Step::Done(outcome) => {
                    self.open.remove(&number);
                    self.turns.close(number);
                    self.compilers.close(number);
                    return Action::Done { judging: number, outcome };
                }
                Step::Compile => to_compile.push(number),
                Step::TakeAnswers | Step::CheckSources { .. } | Step::Check { .. } | Step::Grade(_) => {
                    return Action::Untimed { judging: number, step: entry.judging.next(now) };
                }
                Step::WarmUp { .. } | Step::Run { .. } | Step::Converse { .. } | Step::WaitForCalm { .. } => {
                    ready.push(number);
                }
                Step::RestUntil(until) => wake(until),
                Step::Wait => {}
            }
        }
        if self.compiling.is_none()
            && let Some(turn) = self.compilers.next(|number| to_compile.contains(&number))
            && let Some(entry) = self.open.get_mut(&turn.judging)
        {
            self.compiling = Some((turn.judging, now));
            return Action::Untimed { judging: turn.judging, step: entry.judging.next(now) };
        }
        let Some(turn) = self.turns.next(|number| ready.contains(&number)) else { return Action::Wait(due) };
        let judging = turn.judging;
        let Some(entry) = self.open.get_mut(&judging) else { return Action::Wait(due) };
        if entry.calm.is_some() {
            return Action::Probe { judging };
        }
        match entry.judging.next(now) {
            Step::WaitForCalm { patience, .. } => {
                entry.calm = Some(Calm { patience, waited: Nanos::ZERO, probed_at: None });
                Action::Probe { judging }
            }
            step => Action::Timed { judging, step, is_switch: turn.is_switch },
        }
    }
}
