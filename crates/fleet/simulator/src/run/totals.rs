//! Figures of the whole fleet over time, as exact sums.

use super::places::Share;
use serde::{Deserialize, Serialize};

/// What is added up over time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(super) enum Figure {
    Up,
    InUse,
    Hot,
    /// CPUs of hosts that are up, in thousandths; so are the next four.
    UpMilli,
    InUseMilli,
    UsedMilli,
    /// What strict jobs take and standard jobs request.
    RequestedMilli,
    Running,
    Waiting,
}

const FIGURES: usize = 9;

/// The figures now, and their sums over time since the beginning.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Totals {
    now: [u64; FIGURES],
    sums: Sums,
    at_ms: u64,
}

/// Figures times milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sums([u128; FIGURES]);

impl Totals {
    /// Adds up until now.
    pub(super) fn advance(&mut self, at_ms: u64) {
        let length = u128::from(at_ms - self.at_ms);
        if length > 0 {
            for (sum, now) in self.sums.0.iter_mut().zip(self.now) {
                *sum += u128::from(now) * length;
            }
            self.at_ms = at_ms;
        }
    }

    /// Replaces what a host adds.
    pub(super) fn replace(&mut self, old: Share, new: Share) {
        if old == new {
            return;
        }
        let pairs = [
            (Figure::Up, old.is_up.into(), new.is_up.into()),
            (Figure::InUse, old.is_in_use.into(), new.is_in_use.into()),
            (Figure::Hot, old.is_hot.into(), new.is_hot.into()),
            (Figure::UpMilli, old.up_milli, new.up_milli),
            (Figure::InUseMilli, old.in_use_milli, new.in_use_milli),
            (Figure::UsedMilli, old.used_milli, new.used_milli),
        ];
        for (figure, old, new) in pairs {
            self.change(figure, old, new);
        }
    }

    /// Changes a figure by the difference of two amounts.
    pub(super) fn change(&mut self, figure: Figure, old: u64, new: u64) {
        let now = &mut self.now[figure as usize];
        *now = *now + new - old;
    }

    pub(super) fn now(&self, figure: Figure) -> u64 {
        self.now[figure as usize]
    }

    pub(super) fn sums(&self) -> Sums {
        self.sums
    }
}

impl Sums {
    pub(super) fn since(&self, earlier: &Self) -> Self {
        let mut difference = *self;
        difference.0.iter_mut().zip(earlier.0).for_each(|(sum, earlier)| *sum -= earlier);
        difference
    }

    pub(super) fn of(&self, figure: Figure) -> u128 {
        self.0[figure as usize]
    }

    /// Returns the mean of a figure over a time; `None` over none.
    pub(super) fn mean(&self, figure: Figure, length_ms: u64) -> Option<f64> {
        (length_ms > 0).then(|| self.of(figure) as f64 / length_ms as f64)
    }

    /// Returns one figure as a share of another; `None` if there was none of the other.
    pub(super) fn share(&self, part: Figure, all: Figure) -> Option<f64> {
        let all = self.of(all);
        (all > 0).then(|| self.of(part) as f64 / all as f64)
    }
}
