//! Places of which there is a limited number, in all and for each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Default)]
pub struct Places {
    counts: Mutex<(usize, HashMap<IpAddr, usize>)>,
}

/// A place, until it is dropped.
pub struct Place {
    places: Arc<Places>,
    address: IpAddr,
}

impl Places {
    /// Takes a place; `None` if there is none, of all or of this address.
    pub fn enter(self: &Arc<Self>, address: IpAddr, all_max: usize, of_address_max: usize) -> Option<Place> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let of_address = counts.1.get(&address).copied().unwrap_or(0);
        if counts.0 >= all_max || of_address >= of_address_max {
            return None;
        }
        counts.0 += 1;
        counts.1.insert(address, of_address + 1);
        Some(Place { places: self.clone(), address })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.places.counts.lock().unwrap_or_else(PoisonError::into_inner);
        counts.0 -= 1;
        if let Some(count) = counts.1.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                counts.1.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_limited_in_all_and_for_each_address() {
        let places = Arc::new(Places::default());
        let [one, other, third] = [1, 2, 3].map(|last| IpAddr::from([192, 0, 2, last]));
        let enter = |address| places.enter(address, 3, 2);
        let held = [enter(one), enter(one), enter(other)];
        assert!(held.iter().all(Option::is_some));
        assert!(enter(one).is_none() && enter(third).is_none());
        drop(held);
        assert!(enter(third).is_some());
        assert!(places.counts.lock().unwrap().1.is_empty());
    }
}
