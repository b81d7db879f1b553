//! The usual load of each service by time of day.

use super::histogram::{Histogram, Memory};
use crate::NameId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A slot is half an hour.
pub(super) const SLOTS: usize = 48;
const SLOT_MS: u64 = 24 * 3600 * 1000 / SLOTS as u64;

/// How many services have a profile, the first ones that come: half a kilobyte each.
pub(super) const SERVICES_MAX: usize = 20_000;

/// A slot follows a change of its mean after about this many windows: ten days of one job at five minutes.
const SLOT_WINDOWS: u16 = 60;

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Slot {
    mean: f32,
    windows: u16,
}

/// One service: everything as a share of its jobs' requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Profile {
    slots: Vec<Slot>,
    pub loads: Histogram,
    windows: u16,
}

impl Profile {
    /// Returns the usual load at a time of day, if it was ever seen.
    pub fn at(&self, at_ms: u64) -> Option<f32> {
        let slot = &self.slots[slot(at_ms)];
        (slot.windows > 0).then_some(slot.mean)
    }

    pub fn add(&mut self, share: f32, at_ms: u64, memory: Memory) {
        let slot = &mut self.slots[slot(at_ms)];
        slot.windows = (slot.windows + 1).min(SLOT_WINDOWS);
        slot.mean += (share - slot.mean) / f32::from(slot.windows);
        self.windows = self.windows.wrapping_add(1);
        self.loads.add(share, self.windows, memory);
    }
}

fn slot(at_ms: u64) -> usize {
    (at_ms / SLOT_MS) as usize % SLOTS
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Services {
    numbers: BTreeMap<NameId, u32>,
    profiles: Vec<Profile>,
}

impl Services {
    /// Returns the number of a service's profile.
    pub fn find(&self, service: NameId) -> Option<u32> {
        self.numbers.get(&service).copied()
    }

    /// Returns the number of a service's profile, which is made if there is none yet and not too many are.
    pub fn find_or_add(&mut self, service: NameId) -> Option<u32> {
        let next = self.profiles.len();
        if next == SERVICES_MAX {
            return self.find(service);
        }
        let number = *self.numbers.entry(service).or_insert(next as u32);
        if number as usize == next {
            let slots = vec![Slot::default(); SLOTS];
            self.profiles.push(Profile { slots, loads: Histogram::default(), windows: 0 });
        }
        Some(number)
    }

    pub fn get(&self, number: u32) -> Option<&Profile> {
        self.profiles.get(number as usize)
    }

    pub fn get_mut(&mut self, number: u32) -> Option<&mut Profile> {
        self.profiles.get_mut(number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_knows_the_times_of_day_that_it_saw() {
        let mut services = Services::default();
        let number = services.find_or_add(7).unwrap();
        assert_eq!(
            (services.find_or_add(7), services.find(7), services.find(8)),
            (Some(number), Some(number), None)
        );
        let profile = services.get_mut(number).unwrap();
        profile.add(0.2, 0, Memory::of(100));
        profile.add(0.4, SLOT_MS - 1, Memory::of(100));
        assert_eq!(profile.at(24 * 3600 * 1000), Some(0.3));
        assert_eq!(profile.at(SLOT_MS), None);
    }

    #[test]
    fn only_so_many_services_have_one() {
        let mut services = Services::default();
        let given = (0..SERVICES_MAX as u32 + 5).filter_map(|service| services.find_or_add(service)).count();
        assert_eq!((given, services.profiles.len()), (SERVICES_MAX, SERVICES_MAX));
        assert_eq!(services.find_or_add(3), Some(3));
    }
}
