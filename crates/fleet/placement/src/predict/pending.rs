//! What some series looked like a horizon ago, until its outcome is known.

use super::{FEATURES, Features, Options};
use serde::{Deserialize, Serialize};

/// How many series wait for an outcome at a time. The weights are the same for all series, so that some thousand
/// outcomes an hour are enough.
const PENDINGS_MAX: u32 = 4_096;

/// One window in this many begins to wait.
const TURNS: u64 = 16;

/// A series that waits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Pending {
    /// The ticket of its series; 0 if the place is free.
    ticket: u32,
    features: Features,
    /// When the window ends whose load counts, and when the wait does.
    counts_ms: u64,
    end_ms: u64,
    load: f32,
    peak: f32,
    counted: bool,
    sum: f32,
    windows: u32,
}

/// What became of a series with these features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Outcome {
    pub features: Features,
    /// The mean load up to the horizon.
    pub mean: f32,
    /// The load and the peak of one window in the second half of it.
    pub load: f32,
    pub peak: f32,
}

/// All series that wait.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Pendings {
    places: Vec<Pending>,
    /// The state of the draws of whose turn it is: without them, it could always be the same series' turn.
    draw: u64,
    last_ticket: u32,
}

impl Pendings {
    /// Takes a window of the series with this ticket, and returns the outcome if that is what it waited for.
    pub fn observe(&mut self, ticket: u32, load: f32, peak: f32, at_ms: u64) -> Option<Outcome> {
        if ticket == 0 {
            return None;
        }
        let pending = self.places.get_mut((ticket % PENDINGS_MAX) as usize)?;
        // It waited for too long, and another series has its place.
        if pending.ticket != ticket {
            return None;
        }
        pending.sum += load;
        pending.windows += 1;
        if !pending.counted && at_ms >= pending.counts_ms {
            (pending.load, pending.peak, pending.counted) = (load, peak, true);
        }
        if at_ms < pending.end_ms {
            return None;
        }
        pending.ticket = 0;
        let Pending { features, load, peak, sum, windows, .. } = *pending;
        Some(Outcome { features, mean: sum / windows as f32, load, peak })
    }

    /// Returns whether a series that has this ticket begins to wait now.
    pub fn is_turn(&mut self, ticket: u32, at_ms: u64, options: &Options) -> bool {
        self.draw = self.draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        if !(self.draw >> 32).is_multiple_of(TURNS) {
            return false;
        }
        let waiting =
            |ticket: u32| self.places.get((ticket % PENDINGS_MAX) as usize).filter(|place| place.ticket != 0);
        // A series that never came again, such as an ended job's, has lost its place a horizon later.
        let is_lost = |place: &Pending| place.end_ms + options.horizon_ms < at_ms;
        waiting(self.next()).is_none_or(is_lost)
            && (ticket == 0 || waiting(ticket).is_none_or(|place| place.ticket != ticket))
    }

    /// Makes a series with these features wait for its outcome, and returns its ticket.
    pub fn wait(&mut self, features: Features, at_ms: u64, options: &Options) -> u32 {
        let ticket = self.next();
        self.last_ticket = ticket;
        let half_ms = options.horizon_ms / 2;
        // Each window of the second half has its turn.
        let windows = u64::from(ticket) % (half_ms / options.window_ms + 1);
        let pending = Pending {
            ticket,
            features,
            counts_ms: at_ms + options.horizon_ms - windows * options.window_ms,
            end_ms: at_ms + options.horizon_ms,
            load: 0.0,
            peak: 0.0,
            counted: false,
            sum: 0.0,
            windows: 0,
        };
        let empty = Pending { ticket: 0, features: [0.0; FEATURES], ..pending };
        let place = (ticket % PENDINGS_MAX) as usize;
        if place >= self.places.len() {
            self.places.resize(place + 1, empty);
        }
        self.places[place] = pending;
        ticket
    }

    fn next(&self) -> u32 {
        self.last_ticket.wrapping_add(1).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: Options = Options { window_ms: 5, horizon_ms: 60, quantile_permille: 950 };

    #[test]
    fn an_outcome_has_the_mean_of_all_windows_and_one_of_the_second_half() {
        let mut counted = Vec::new();
        for _ in 0..7 {
            let mut pendings = Pendings { last_ticket: counted.len() as u32, ..Pendings::default() };
            let ticket = pendings.wait([1.0; FEATURES], 100, &OPTIONS);
            for at in 1..12_u8 {
                let load = f32::from(at);
                assert_eq!(pendings.observe(ticket, load, load + 1.0, 100 + 5 * u64::from(at)), None);
            }
            let outcome = pendings.observe(ticket, 12.0, 13.0, 160).unwrap();
            assert_eq!((outcome.mean, outcome.peak - outcome.load), (6.5, 1.0));
            assert_eq!(pendings.observe(ticket, 1.0, 1.0, 165), None);
            counted.push(outcome.load);
        }
        counted.sort_by(f32::total_cmp);
        assert_eq!(counted, [6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0]);
    }

    #[test]
    fn abandoned_series_lose_their_place() {
        let mut pendings = Pendings::default();
        let first = pendings.wait([0.0; FEATURES], 0, &OPTIONS);
        (1..PENDINGS_MAX).for_each(|_| _ = pendings.wait([0.0; FEATURES], 0, &OPTIONS));
        let turn = |pendings: &mut Pendings, at_ms| (0..1000).any(|_| pendings.is_turn(0, at_ms, &OPTIONS));
        assert!(!turn(&mut pendings, 120));
        assert!(turn(&mut pendings, 121));
        let second = pendings.wait([0.0; FEATURES], 121, &OPTIONS);
        assert_eq!(first % PENDINGS_MAX, second % PENDINGS_MAX);
        assert_eq!(pendings.observe(first, 1.0, 1.0, 200), None);
        assert!(pendings.observe(second, 1.0, 1.0, 181).is_some());
        assert_eq!(pendings.places.len(), PENDINGS_MAX as usize);
    }
}
