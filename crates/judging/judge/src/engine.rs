//! Judges many submissions on the places of a station.
//!
//! Each timed place has a thread that drives all its judgings, and another one for their untimed work.

use crate::backend::RunBackend;
use crate::observer::{Notice, Observer};
use crate::problem::{Problem, SubmissionSource};
use crate::status::OpenJudging;
use crate::threads::{JudgingHandle, Threads};
use crate::work::JudgingNotice;
use crate::{JudgeError, Judgement, Station};
use judging_steps::Order;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use timing::TimedCpus;

/// Judges submissions on the places of a station.
#[derive(Debug)]
pub struct Engine {
    station: Station,
    threads: Threads,
}

impl Engine {
    /// Starts the threads; they stay on this process's CPUs.
    pub fn start(station: Station) -> Result<Self, JudgeError> {
        let places = station.places().iter().map(|place| Arc::clone(place) as Arc<dyn RunBackend>);
        Ok(Self { threads: Threads::start(places)?, station })
    }

    /// Ends all open judgings and the threads, and returns the CPUs of the places, still taken.
    pub fn into_cpus(self) -> Result<Vec<TimedCpus>, JudgeError> {
        let Self { station, threads, .. } = self;
        drop(threads);
        station.into_cpus().ok_or_else(|| JudgeError::Defect("a place is still in use".to_owned()))
    }

    /// Returns the places.
    pub fn station(&self) -> &Station {
        &self.station
    }

    /// Returns how many judgings it makes sense to have open at once.
    pub fn open_max(&self) -> usize {
        self.threads.open_max()
    }

    /// Begins to judge a submission on the place with the fewest open judgings. Notices are sent until it is done.
    pub fn judge(
        &self,
        problem: &Arc<Problem>,
        source: SubmissionSource,
        order: Order,
        tell: Sender<JudgingNotice>,
    ) -> Result<JudgingHandle, JudgeError> {
        self.threads.judge(problem, source, order, tell)
    }

    /// Begins to judge a submission on the place with this index.
    pub fn judge_at(
        &self,
        place: usize,
        problem: &Arc<Problem>,
        source: SubmissionSource,
        tell: Sender<JudgingNotice>,
    ) -> Result<JudgingHandle, JudgeError> {
        self.threads.judge_at(place, problem, source, Order::default(), tell)
    }

    /// Judges submissions by a problem until all are done, or the observer breaks off. Enough of them are open at once
    /// that places have work while one rests; the next is read when there is room for it.
    pub fn judge_all(
        &self,
        problem: &Arc<Problem>,
        sources: impl IntoIterator<Item = Result<SubmissionSource, JudgeError>>,
        observer: &mut dyn Observer,
    ) -> Result<(), JudgeError> {
        self.threads.judge_all(problem, sources, observer)
    }

    /// Judges submissions by a problem, and returns their judgements in order. `is_alive` is called each second.
    pub fn judgements(
        &self,
        problem: &Arc<Problem>,
        sources: impl IntoIterator<Item = Result<SubmissionSource, JudgeError>>,
        is_alive: &mut dyn FnMut(&[OpenJudging]),
    ) -> Result<Vec<Result<Judgement, JudgeError>>, JudgeError> {
        let mut collected = Collected { judgements: BTreeMap::new(), is_alive };
        self.judge_all(problem, sources, &mut collected)?;
        Ok(collected.judgements.into_values().collect())
    }
}

struct Collected<'a> {
    judgements: BTreeMap<usize, Result<Judgement, JudgeError>>,
    is_alive: &'a mut dyn FnMut(&[OpenJudging]),
}

impl Observer for Collected<'_> {
    fn hear(&mut self, number: usize, notice: Notice) -> ControlFlow<()> {
        if let Notice::Done(result) = notice {
            self.judgements.insert(number, *result);
        }
        ControlFlow::Continue(())
    }

    fn is_alive(&mut self, open: &[OpenJudging]) {
        (self.is_alive)(open);
    }
}
