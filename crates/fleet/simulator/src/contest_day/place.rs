//! A timed place in virtual time, which does what the driver of its judgings says.

use super::day::{Day, Pool};
use super::noise::Phases;
use super::work::{FirstRejected, Verdicted, Work, result};
use judging_steps::{Action, Driver, Event, Judging, Order, Step};
use model::Nanos;
use std::collections::{BTreeMap, VecDeque};

/// How long a look at a core takes.
const LOOK_TIME: Nanos = Nanos::from_millis(3);

#[derive(Debug)]
pub(super) enum Happens {
    /// A step of a judging has ended; a timed one, which kept the place busy, or another.
    Ended { judging: u64, event: Event<()>, is_timed: bool },
    /// A look at the core has ended.
    Looked { judging: u64, is_calm: bool },
    /// A rest may be over.
    Wakes,
}

/// What the place is sent, in order; while it is busy it does not listen.
#[derive(Debug)]
enum Message {
    Open(u64, Order, Box<(Work, Judging<FirstRejected>)>),
    Event(u64, Event<()>),
}

/// A place and its judgings.
#[derive(Debug)]
pub(super) struct JudgingPlace {
    driver: Driver<FirstRejected>,
    works: BTreeMap<u64, Work>,
    phases: Phases,
    inbox: VecDeque<Message>,
    is_busy: bool,
    /// When the helper for compilations and the one for checks have time.
    helpers: [Nanos; 2],
    wakes_at: Option<Nanos>,
    /// How many judgings it has, open or about to be.
    pub open: usize,
    pub used: Nanos,
}

/// What follows from a step of a place.
#[derive(Debug, Default)]
pub(super) struct Follows {
    /// What will happen there.
    pub happens: Vec<(Nanos, Happens)>,
    /// What is judged, with its number.
    pub done: Vec<(u64, Verdicted)>,
}

impl JudgingPlace {
    pub fn new(pool: &Pool, seed: u64) -> Self {
        Self {
            driver: Driver::default(),
            works: BTreeMap::new(),
            phases: Phases::new(pool.noise.clone(), seed),
            inbox: VecDeque::new(),
            is_busy: false,
            helpers: [Nanos::ZERO; 2],
            wakes_at: None,
            open: 0,
            used: Nanos::ZERO,
        }
    }

    pub fn open(&mut self, number: u64, order: Order, work: (Work, Judging<FirstRejected>)) {
        self.open += 1;
        self.inbox.push_back(Message::Open(number, order, Box::new(work)));
    }

    /// Takes what happened. Call [`Self::go_on`] then.
    pub fn happened(&mut self, now: Nanos, what: Happens) {
        match what {
            Happens::Ended { judging, event, is_timed } => {
                self.is_busy &= !is_timed;
                self.inbox.push_back(Message::Event(judging, event));
            }
            Happens::Looked { judging, is_calm } => {
                self.is_busy = false;
                self.driver.probed(now, judging, is_calm);
            }
            Happens::Wakes => self.wakes_at = None,
        }
    }

    /// Continues until there is nothing to do before something happens.
    pub fn go_on(&mut self, day: &Day, now: Nanos, follows: &mut Follows) {
        if self.is_busy {
            return;
        }
        while let Some(message) = self.inbox.pop_front() {
            match message {
                Message::Open(number, order, opened) => {
                    let (work, judging) = *opened;
                    self.works.insert(number, work);
                    self.driver.open(number, order, judging);
                }
                Message::Event(judging, event) => drop(self.driver.on(now, judging, event)),
            }
        }
        loop {
            match self.driver.next(now) {
                Action::Untimed { judging, step } => self.begin_beside(day, now, (judging, step), follows),
                Action::Timed { judging, step, .. } => return self.begin(day, now, (judging, step), follows),
                Action::Probe { judging } => {
                    let is_slow = |work: &Work| self.phases.look(now) >= work.rule.numbers.slow_core;
                    let is_calm = !self.works.get(&judging).is_some_and(is_slow);
                    return self.occupy(
                        now,
                        LOOK_TIME,
                        (judging, Happens::Looked { judging, is_calm }),
                        follows,
                    );
                }
                Action::Done { judging, outcome } => {
                    self.open -= 1;
                    let work = self.works.remove(&judging).expect("what is done was opened");
                    follows.done.push((judging, work.verdicted(outcome)));
                }
                Action::Wait(until) => {
                    if let Some(until) = until.filter(|until| self.wakes_at.is_none_or(|at| *until < at)) {
                        self.wakes_at = Some(until);
                        follows.happens.push((until, Happens::Wakes));
                    }
                    return;
                }
            }
        }
    }

    fn begin_beside(
        &mut self,
        day: &Day,
        now: Nanos,
        (judging, step): (u64, Step<super::work::NoCall, model::Verdict>),
        follows: &mut Follows,
    ) {
        let work = &self.works[&judging];
        let (helper, lasts, event) = match step {
            Step::Compile => {
                let (lasts, compiles) = work.compilation();
                (0, lasts, if compiles { Event::Prepared } else { Event::NotPrepared })
            }
            Step::Check { item, .. } => (1, day.programs.check, Event::Checked(work.check(item))),
            other => unreachable!("programs that only read and write need no {other:?}"),
        };
        let end = self.helpers[helper].max(now) + lasts;
        self.helpers[helper] = end;
        follows.happens.push((end, Happens::Ended { judging, event, is_timed: false }));
    }

    fn begin(
        &mut self,
        day: &Day,
        now: Nanos,
        (judging, step): (u64, Step<super::work::NoCall, model::Verdict>),
        follows: &mut Follows,
    ) {
        let work = self.works.get_mut(&judging).expect("what runs was opened");
        let (item, limit) = match &step {
            Step::WarmUp { item, limits } | Step::Run { item, limits, .. } => (*item, limits.cpu_time),
            other => unreachable!("programs that only read and write need no {other:?}"),
        };
        let ran = self.phases.run(now + day.programs.start, work.time(item), limit);
        let event = match step {
            Step::WarmUp { .. } => Event::WarmedUp,
            _ => {
                work.runs += 1;
                Event::Ran(Box::new(result(ran.time, limit, ran.shown)))
            }
        };
        let lasts = day.programs.start + ran.time;
        self.occupy(now, lasts, (judging, Happens::Ended { judging, event, is_timed: true }), follows);
    }

    fn occupy(&mut self, now: Nanos, lasts: Nanos, (judging, then): (u64, Happens), follows: &mut Follows) {
        self.is_busy = true;
        self.used = self.used + lasts;
        self.driver.use_by(judging, lasts);
        if let Some(work) = self.works.get_mut(&judging) {
            work.used = work.used + lasts;
        }
        follows.happens.push((now + lasts, then));
    }
}
