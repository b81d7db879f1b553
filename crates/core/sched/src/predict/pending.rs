//! What some series looked like a horizon ago, until its outcome is known.

use super::Options;
use super::linear::{FEATURES, Features};
use serde::{Deserialize, Serialize};

/// How many series wait for an outcome at a time. The weights are the same for all series, so that some thousand
/// outcomes an hour are enough.
const PENDINGS_MAX: u32 = 4_096;

/// One window in so many begins to wait: a prime, so that the turn goes round among series that come in order.
const TURNS: u32 = 17;

/// A series that waits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Pending {
    /// Whose it is; 0 for nobody's.
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
    turn: u32,
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
    pub fn is_turn(&mut self, ticket: u32, at_ms: u64) -> bool {
        self.turn = (self.turn + 1) % TURNS;
        if self.turn != 0 {
            return false;
        }
        let waits = |place: u32| self.places.get(place as usize).filter(|pending| pending.ticket != 0);
        let next = self.last_ticket.wrapping_add(1) % PENDINGS_MAX;
        // A series that never came again, such as an ended job's, has lost its place a horizon later.
        let is_free = waits(next).is_none_or(|pending| pending.end_ms + (pending.end_ms - pending.counts_ms) < at_ms);
        is_free && (ticket == 0 || waits(ticket % PENDINGS_MAX).is_none_or(|pending| pending.ticket != ticket))
    }

    /// Makes a series with these features wait for its outcome, and returns its ticket.
    pub fn wait(&mut self, features: Features, at_ms: u64, options: &Options) -> u32 {
        let ticket = self.last_ticket.wrapping_add(1).max(1);
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
}
