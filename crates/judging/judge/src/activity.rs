//! Tracks what tauto runs at the same time, so that each timed run's evidence can name it.

use model::{CpuSet, Neighbours};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Everything active at all places of a station.
#[derive(Clone, Debug, Default)]
pub(crate) struct Activity(Arc<Mutex<Log>>);

#[derive(Debug, Default)]
struct Log {
    next: u64,
    going_on: BTreeMap<u64, Doing>,
    /// What was seen on behalf of each watcher.
    watchers: BTreeMap<u64, Vec<Doing>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Helper(&'static str),
    Timed(CpuSet),
}

/// An activity that lasts as long as this exists.
#[derive(Debug)]
pub(crate) struct GoingOn(Activity, u64);

/// Collects all activities from its creation on.
#[derive(Debug)]
pub(crate) struct Watch(Activity, u64);

impl Activity {
    pub fn begin(&self, doing: Doing) -> GoingOn {
        let mut log = self.lock();
        let number = log.number();
        log.watchers.values_mut().for_each(|seen| seen.push(doing.clone()));
        log.going_on.insert(number, doing);
        GoingOn(self.clone(), number)
    }

    /// Begins to collect activities other than `own`.
    pub fn watch(&self, own: &GoingOn) -> Watch {
        let mut log = self.lock();
        let number = log.number();
        let others = log.going_on.iter().filter(|(other, _)| **other != own.1);
        let seen = others.map(|(_, doing)| doing.clone()).collect();
        log.watchers.insert(number, seen);
        Watch(self.clone(), number)
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl Watch {
    /// Returns the activities that were seen, without helpers if those were stopped meanwhile.
    pub fn neighbours(self, are_helpers_stopped: bool) -> Neighbours {
        let mut neighbours = Neighbours::default();
        let mut timed = Vec::new();
        for doing in self.0.lock().watchers.remove(&self.1).unwrap_or_default() {
            match doing {
                Doing::Helper(_) if are_helpers_stopped => {}
                Doing::Helper(kind) => drop(neighbours.helpers.insert(kind.to_owned())),
                Doing::Timed(cpus) => timed.extend(cpus.iter()),
            }
        }
        neighbours.timed_cpus = timed.into_iter().collect();
        neighbours
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.lock().watchers.remove(&self.1);
    }
}

impl Drop for GoingOn {
    fn drop(&mut self) {
        self.0.lock().going_on.remove(&self.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activity_at_any_time_of_a_run_is_seen() {
        let activity = Activity::default();
        drop(activity.begin(Doing::Helper("grader")));
        let before = activity.begin(Doing::Helper("compiler"));
        let own = activity.begin(Doing::Timed("0".parse().unwrap()));
        let watch = activity.watch(&own);
        drop(before);
        drop(activity.begin(Doing::Helper("checker")));
        let _timed = activity.begin(Doing::Timed("1".parse().unwrap()));
        assert_eq!(
            watch.neighbours(false).to_string(),
            "at the same time ran a checker, a compiler, timed runs on CPUs 1"
        );
        let watch = activity.watch(&own);
        let _stopped = activity.begin(Doing::Helper("compiler"));
        assert_eq!(watch.neighbours(true).to_string(), "at the same time ran timed runs on CPUs 1");
        assert_eq!(activity.lock().watchers.len(), 0, "who has seen enough sees no more");
    }
}
