//! The contest's time: real time since the start, without removed intervals.

use super::ContestSettings;
use crate::objects::{Instant, Millis};

/// How far a contest has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Phase {
    pub started: bool,
    /// The freeze has begun, thawed or not.
    pub frozen: bool,
    pub ended: bool,
    /// The board has thawed after a freeze.
    pub thawed: bool,
}

impl ContestSettings {
    /// Returns the time of the contest at an instant, negative before the start; `None` while the start is unknown.
    pub fn contest_time(&self, at: Instant) -> Option<Millis> {
        let start = self.start?;
        let removed: i64 = self
            .removed
            .iter()
            .map(|interval| {
                let end = interval.end.map_or(at, |end| end.min(at));
                (end - interval.begin.max(start)).0.max(0)
            })
            .sum();
        Some(at - start - Millis(removed))
    }

    /// Returns when the contest's time gets to a value; `None` if that is unknown, because of the start or of a pause.
    pub fn instant_of(&self, time: Millis) -> Option<Instant> {
        let start = self.start?;
        let mut at = start + time;
        for interval in &self.removed {
            if interval.begin >= at {
                break;
            }
            at = at + (interval.end? - interval.begin.max(start));
        }
        Some(at)
    }

    /// Returns when it ends, as far as known.
    pub fn end(&self) -> Option<Instant> {
        self.instant_of(self.duration)
    }

    /// Returns the contest's time from which submissions are hidden; `None` without a freeze.
    pub fn freeze_time(&self) -> Option<Millis> {
        self.freeze.map(|freeze| Millis((self.duration - freeze).0.max(0)))
    }

    /// Returns how far the contest is at an instant.
    pub fn phase(&self, now: Instant) -> Phase {
        let Some(time) = self.contest_time(now) else { return Phase::default() };
        let started = time >= Millis::ZERO;
        let ended = started && time >= self.duration;
        let frozen = started && self.freeze_time().is_some_and(|freeze| time >= freeze);
        let thawed = frozen && ended && self.thaw.is_some_and(|thaw| thaw <= now);
        Phase { started, frozen, ended, thawed }
    }

    /// Returns when the phase changes next after an instant.
    pub fn next_change(&self, after: Instant) -> Option<Instant> {
        let freeze = self.freeze_time().and_then(|time| self.instant_of(time));
        [self.start, freeze, self.end(), self.thaw].into_iter().flatten().filter(|at| *at > after).min()
    }

    /// Returns whether the contest's time stands still because staff paused it.
    pub fn is_paused(&self) -> bool {
        self.removed.last().is_some_and(|interval| interval.end.is_none())
    }
}

impl Phase {
    /// Returns whether verdicts of late submissions are hidden from the public.
    pub fn hides_results(self) -> bool {
        self.frozen && !self.thawed
    }
}

#[cfg(test)]
mod tests {
    use super::super::RemovedInterval;
    use super::*;

    const MINUTE: i64 = 60_000;

    fn settings(removed: &[(i64, Option<i64>)]) -> ContestSettings {
        let minute = |at: i64| Instant(at * MINUTE);
        ContestSettings {
            start: Some(minute(100)),
            duration: Millis::minutes(300),
            freeze: Some(Millis::minutes(60)),
            removed: removed
                .iter()
                .map(|(begin, end)| RemovedInterval { begin: minute(*begin), end: end.map(minute) })
                .collect(),
            ..ContestSettings::usual("sample", Millis::ZERO)
        }
    }

    #[test]
    fn removed_intervals_stop_the_time() {
        let check = |removed: &[(i64, Option<i64>)], at: i64, expect: i64| {
            let time = settings(removed).contest_time(Instant(at * MINUTE)).unwrap();
            assert_eq!(time, Millis::minutes(expect), "{removed:?} at {at}");
        };
        check(&[], 90, -10);
        check(&[], 160, 60);
        check(&[(120, Some(130))], 110, 10);
        check(&[(120, Some(130))], 125, 20);
        check(&[(120, Some(130)), (140, Some(145))], 160, 45);
        check(&[(120, None)], 300, 20);
    }

    #[test]
    fn the_end_moves_with_removed_intervals() {
        assert_eq!(settings(&[]).end(), Some(Instant(400 * MINUTE)));
        assert_eq!(settings(&[(120, Some(130))]).end(), Some(Instant(410 * MINUTE)));
        assert_eq!(settings(&[(120, Some(130)), (405, Some(407))]).end(), Some(Instant(412 * MINUTE)));
        assert_eq!(settings(&[(120, None)]).end(), None);
        assert_eq!(settings(&[(500, None)]).end(), Some(Instant(400 * MINUTE)));
        assert_eq!(ContestSettings { start: None, ..settings(&[]) }.end(), None);
    }

    #[test]
    fn phases_follow_one_another() {
        let settings = ContestSettings { thaw: Some(Instant(420 * MINUTE)), ..settings(&[]) };
        let at = |minute: i64| {
            let Phase { started, frozen, ended, thawed } = settings.phase(Instant(minute * MINUTE));
            [started, frozen, ended, thawed].map(u8::from)
        };
        assert_eq!(at(99), [0, 0, 0, 0]);
        assert_eq!(at(100), [1, 0, 0, 0]);
        assert_eq!(at(340), [1, 1, 0, 0]);
        assert_eq!(at(400), [1, 1, 1, 0]);
        assert_eq!(at(420), [1, 1, 1, 1]);
        let changes: Vec<_> =
            std::iter::successors(settings.next_change(Instant(0)), |at| settings.next_change(*at))
                .map(|at| at.0 / MINUTE)
                .collect();
        assert_eq!(changes, [100, 340, 400, 420]);
    }
}
