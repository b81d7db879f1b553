//! Addresses of accounts.

use ipnet::IpNet;
use std::net::IpAddr;

/// Returns whether an address is in one of these networks.
pub fn is_in(networks: &[String], address: IpAddr) -> bool {
    networks
        .iter()
        .filter_map(|network| network.parse::<IpNet>().ok())
        .any(|network| network.contains(&address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_in_networks() {
        let networks = ["10.1.2.3/32", "10.2.0.0/16"].map(str::to_owned);
        assert!(is_in(&networks, "10.2.3.4".parse().unwrap()));
        assert!(!is_in(&networks, "10.1.2.4".parse().unwrap()));
    }
}
