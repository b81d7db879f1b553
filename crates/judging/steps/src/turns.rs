//! Which judging may use a shared timed place next.

use model::Nanos;
use std::collections::BTreeMap;

/// How long a judging may use a place while others wait for it.
pub const TURN_TIME_MAX: Nanos = Nanos::from_millis(2_000);

/// The rank of a judging among others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The highest goes first.
    pub priority: i32,
    /// The owner: owners share a place evenly, however many judgings each has.
    pub owner: String,
}

/// The judgings that share a place, and how long each owner has used it.
///
/// The highest priority goes first; then the owner who has used the place least; then the oldest judging. A judging
/// keeps the place until it has nothing to do there, or has used it for [`TURN_TIME_MAX`].
#[derive(Debug, Default)]
pub struct Turns {
    /// By age, the oldest first.
    waiting: BTreeMap<u64, Order>,
    /// How long each owner of an open judging has used the place; a new owner begins with the least of these times.
    used: BTreeMap<String, Nanos>,
    holder: Option<(u64, Nanos)>,
}

/// The judging that may use the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    pub judging: u64,
    /// Whether another judging used the place before.
    pub is_switch: bool,
}

impl Turns {
    /// Adds a judging; a higher number is younger.
    pub fn open(&mut self, judging: u64, order: Order) {
        if !self.used.contains_key(&order.owner) {
            let least = self.used.values().copied().min().unwrap_or(Nanos::ZERO);
            self.used.insert(order.owner.clone(), least);
        }
        self.waiting.insert(judging, order);
    }

    pub fn close(&mut self, judging: u64) {
        let Some(Order { owner, .. }) = self.waiting.remove(&judging) else { return };
        if !self.waiting.values().any(|order| order.owner == owner) {
            self.used.remove(&owner);
        }
    }

    /// Records for how long a judging has just used the place.
    pub fn use_by(&mut self, judging: u64, time: Nanos) {
        let Some(order) = self.waiting.get(&judging) else { return };
        if let Some(used) = self.used.get_mut(&order.owner) {
            *used = *used + time;
        }
        self.holder = match self.holder {
            Some((holder, used)) if holder == judging => Some((judging, used + time)),
            _ => Some((judging, time)),
        };
    }

    /// Returns the next turn, among the judgings that have something to do on the place now.
    pub fn next(&mut self, is_ready: impl Fn(u64) -> bool) -> Option<Turn> {
        let ready = |judging: &u64| self.waiting.contains_key(judging) && is_ready(*judging);
        let former = self.holder.map(|(judging, _)| judging);
        if let Some((judging, used)) = self.holder
            && used < TURN_TIME_MAX
            && ready(&judging)
        {
            return Some(Turn { judging, is_switch: false });
        }
        // The judging that just had its turn goes after others of the same rank.
        let rank = |(judging, order): &(&u64, &Order)| {
            let used = self.used.get(&order.owner).copied().unwrap_or(Nanos::ZERO);
            (std::cmp::Reverse(order.priority), used, Some(**judging) == former, **judging)
        };
        let (judging, _) = self.waiting.iter().filter(|(judging, _)| ready(judging)).min_by_key(rank)?;
        let judging = *judging;
        self.holder = Some((judging, Nanos::ZERO));
        Some(Turn { judging, is_switch: former != Some(judging) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(priority: i32, owner: &str) -> Order {
        Order { priority, owner: owner.to_owned() }
    }

    fn turns(orders: &[(i32, &str)]) -> Turns {
        let mut turns = Turns::default();
        for (judging, (priority, owner)) in orders.iter().enumerate() {
            turns.open(judging as u64, order(*priority, owner));
        }
        turns
    }

    /// Lets all open judgings use the place for this many milliseconds in each turn; returns the order of turns.
    fn go(turns: &mut Turns, times: usize, ms: u64) -> Vec<u64> {
        let mut seen = Vec::new();
        for _ in 0..times {
            let turn = turns.next(|_| true).unwrap();
            turns.use_by(turn.judging, Nanos::from_millis(ms));
            seen.push(turn.judging);
        }
        seen
    }

    #[test]
    fn a_judging_keeps_its_place_for_two_seconds() {
        assert_eq!(go(&mut turns(&[(0, "a"), (0, "b")]), 10, 500), [0, 0, 0, 0, 1, 1, 1, 1, 0, 0]);
        assert_eq!(go(&mut turns(&[(0, "a"), (0, "a")]), 8, 1000), [0, 0, 1, 1, 0, 0, 1, 1]);
    }

    #[test]
    fn the_highest_priority_comes_first_then_the_owner_who_used_least_then_the_oldest() {
        assert_eq!(go(&mut turns(&[(0, "a"), (1, "b"), (1, "b")]), 6, 2000), [1, 2, 1, 2, 1, 2]);
        // The owner of three gets no more of the place than the owner of one.
        let seen = go(&mut turns(&[(0, "a"), (0, "a"), (0, "a"), (0, "b")]), 100, 2000);
        assert_eq!(seen.iter().filter(|judging| **judging == 3).count(), 50);
    }

    #[test]
    fn late_owners_begin_with_the_least_use_so_far() {
        let mut turns = turns(&[(0, "a")]);
        go(&mut turns, 50, 2000);
        turns.open(7, order(0, "late"));
        let seen = go(&mut turns, 20, 2000);
        assert_eq!(seen.iter().filter(|judging| **judging == 7).count(), 10, "{seen:?}");
    }

    #[test]
    fn switches_between_judgings_are_reported() {
        let mut turns = turns(&[(0, "a"), (0, "b")]);
        let reported = |turns: &mut Turns, ready: &[u64]| {
            let turn = turns.next(|judging| ready.contains(&judging));
            turn.map(|turn| (turn.judging, turn.is_switch))
        };
        assert_eq!(reported(&mut turns, &[]), None);
        assert_eq!(reported(&mut turns, &[1]), Some((1, true)));
        assert_eq!(reported(&mut turns, &[0, 1]), Some((1, false)));
        assert_eq!(reported(&mut turns, &[0]), Some((0, true)));
        turns.close(0);
        assert_eq!(reported(&mut turns, &[0, 1]), Some((1, true)));
    }

    proptest! {
        /// If every owner is always ready, none is behind another by more than a turn.
        #[test]
        fn owners_share_evenly(
            owners in proptest::collection::vec(0_u8..4, 2..9), times in proptest::collection::vec(1_u64..3000, 40..200)
        ) {
            let mut turns = Turns::default();
            for (judging, owner) in owners.iter().enumerate() {
                turns.open(judging as u64, order(0, &owner.to_string()));
            }
            let mut used = BTreeMap::new();
            for owner in &owners {
                used.insert(*owner, 0);
            }
            for ms in times {
                let turn = turns.next(|_| true).unwrap();
                turns.use_by(turn.judging, Nanos::from_millis(ms));
                *used.get_mut(&owners[turn.judging as usize]).unwrap() += ms;
                let (least, most) = (used.values().min().unwrap(), used.values().max().unwrap());
                prop_assert!(most - least <= 2000 + 3000, "{used:?}");
            }
        }
    }
}
