//! What the scheduler sees, and when.

use super::places::Place;
use super::state::State;
use placement::predict::Seen;
use placement::{JobId, Peak};
use serde::{Deserialize, Serialize};

/// What a window showed, and when the scheduler sees it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Sight {
    pub at_ms: u64,
    ended_ms: u64,
    jobs: Vec<(JobId, u32, Seen)>,
    peaks: Vec<Peak>,
}

impl State {
    /// Ends a window: what it showed is seen later, or never if the observation is out.
    pub(super) fn end_window(&mut self) {
        let window_ms = self.scheduler.own_policy().prediction.map_or(u64::MAX, |rules| rules.window_ms);
        self.next.window_ms = self.now_ms.saturating_add(window_ms);
        let mut jobs = Vec::with_capacity(self.tasks.len());
        for (id, task) in (0..).zip(&mut self.tasks) {
            let Some(task) = task else { continue };
            let place = &self.places[task.host as usize];
            task.settle(self.now_ms, task.rate_on(place));
            if let Some(seen) = task.take_window() {
                jobs.push((id, self.epochs[id as usize], seen));
            }
        }
        let seen = (0..).zip(self.places.iter_mut().map(Place::take_peak));
        let peaks = self.scheduler.end_window(seen);
        let is_out = |(from, until): &(u64, u64)| (*from..*until).contains(&self.now_ms);
        if !self.options.outages_ms.iter().any(is_out) {
            let at_ms = self.now_ms + self.options.stale_ms;
            self.sights.push_back(Sight { at_ms, ended_ms: self.now_ms, jobs, peaks });
        }
        // The next window's prediction uses what this one showed, if that is seen at once.
        if self.options.stale_ms == 0 {
            self.see();
        }
        self.scheduler.begin_window();
        self.check_freshness();
    }

    /// Shows the scheduler a window.
    pub(super) fn see(&mut self) {
        let Some(sight) = self.sights.pop_front() else { return };
        let epochs = &self.epochs;
        let jobs = sight.jobs.into_iter().filter(|(id, epoch, _)| epochs[*id as usize] == *epoch);
        let jobs = jobs.map(|(id, _, seen)| (id, seen));
        self.scheduler.observe(sight.ended_ms, self.now_ms, jobs, sight.peaks.into_iter());
        // Other predictions are other limits.
        self.room_changed();
    }
}
