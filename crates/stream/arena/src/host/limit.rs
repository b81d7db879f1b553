//! How many connections there may be, in all and of one address.

use super::refusals::Refusal;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Clone)]
pub(crate) struct ConnectionLimit(Arc<OpenConnections>);

struct OpenConnections {
    most: usize,
    most_of_address: usize,
    by_address: Mutex<HashMap<IpAddr, usize>>,
}

/// One connection; it may be another one when this is dropped.
pub(crate) struct Permit {
    open: Arc<OpenConnections>,
    address: IpAddr,
}

impl ConnectionLimit {
    pub fn new(most: usize, most_of_address: usize) -> Self {
        Self(Arc::new(OpenConnections { most, most_of_address, by_address: Mutex::default() }))
    }

    pub fn take(&self, address: IpAddr) -> Result<Permit, Refusal> {
        let mut by_address = self.0.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if by_address.values().sum::<usize>() >= self.0.most {
            return Err(Refusal::TooManyClients);
        }
        let count = by_address.entry(address).or_default();
        if *count >= self.0.most_of_address {
            return Err(Refusal::TooManyOfAddress);
        }
        *count += 1;
        Ok(Permit { open: Arc::clone(&self.0), address })
    }
}

impl Permit {
    pub fn address(&self) -> IpAddr {
        self.address
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut by_address = self.open.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_free_again_when_its_connection_ends() {
        let limit = ConnectionLimit::new(3, 2);
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let _first = limit.take(one).ok().unwrap();
        let second = limit.take(one).ok().unwrap();
        assert_eq!(limit.take(one).err(), Some(Refusal::TooManyOfAddress));
        let _third = limit.take(other).ok().unwrap();
        assert_eq!(limit.take(other).err(), Some(Refusal::TooManyClients));
        drop(second);
        assert!(limit.take(one).is_ok());
    }
}
