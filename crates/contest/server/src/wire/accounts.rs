//! Accounts.

use super::{id, ids, optional_id, texts};
use crate::Problem;
use api::contest as wire;
use contest::{AccountSettings, Role};
use ipnet::IpNet;
use std::net::IpAddr;

/// Returns a role for the wire.
pub fn account_type(role: Role) -> wire::AccountType {
    match role {
        Role::Admin => wire::AccountType::Admin,
        Role::Judge => wire::AccountType::Judge,
        Role::Analyst => wire::AccountType::Analyst,
        Role::Staff => wire::AccountType::Staff,
        Role::Balloon => wire::AccountType::Balloon,
        Role::Team => wire::AccountType::Team,
        Role::Spectator => wire::AccountType::Spectator,
        Role::Judgehost => wire::AccountType::Judgehost,
    }
}

/// Returns a role from the wire.
pub fn role(kind: wire::AccountType) -> Role {
    match kind {
        wire::AccountType::Admin => Role::Admin,
        wire::AccountType::Judge => Role::Judge,
        wire::AccountType::Analyst => Role::Analyst,
        wire::AccountType::Staff => Role::Staff,
        wire::AccountType::Balloon => Role::Balloon,
        wire::AccountType::Team => Role::Team,
        wire::AccountType::Spectator => Role::Spectator,
        wire::AccountType::Judgehost => Role::Judgehost,
    }
}

/// Reads addresses and networks, separated by commas.
pub fn networks(text: &str) -> Result<Vec<String>, Problem> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let network = part.parse::<IpNet>().or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
            network.map(|network| network.to_string()).map_err(|_| {
                let detail = format!("'{part}' is no address: write it like 10.1.2.3 or 10.1.2.0/24");
                Problem::invalid_field("ip", detail)
            })
        })
        .collect()
}

/// Returns whether an address is in one of these networks.
pub fn is_in(networks: &[String], address: IpAddr) -> bool {
    networks
        .iter()
        .filter_map(|network| network.parse::<IpNet>().ok())
        .any(|network| network.contains(&address))
}

/// Returns an account from the wire, without its password.
pub fn account_settings(account: &wire::NewAccount) -> Result<AccountSettings, Problem> {
    if account.id.as_ref().is_some_and(|id| *id != account.username) {
        return Err(Problem::invalid_field("id", "the id of an account is its user name"));
    }
    Ok(AccountSettings {
        id: id("username", &account.username)?,
        name: account.name.clone(),
        role: role(account.kind),
        contests: ids("contest_ids", &account.contest_ids)?,
        team: optional_id("team_id", account.team_id.as_deref())?,
        person: optional_id("person_id", account.person_id.as_deref())?,
        ip: networks(account.ip.as_deref().unwrap_or(""))?,
        is_enabled: account.is_enabled,
    })
}

/// Returns an account for the wire; the last three properties are for admins.
pub fn wire_account(account: &AccountSettings, is_admin: bool) -> wire::Account {
    wire::Account {
        id: account.id.to_string(),
        username: account.id.to_string(),
        name: account.name.clone(),
        kind: account_type(account.role),
        team_id: account.team.as_ref().map(ToString::to_string),
        person_id: account.person.as_ref().map(ToString::to_string),
        ip: (is_admin && !account.ip.is_empty()).then(|| account.ip.join(",")),
        contest_ids: is_admin.then(|| texts(&account.contests)),
        is_enabled: is_admin.then_some(account.is_enabled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_read() {
        let networks = networks("10.1.2.3, 10.2.0.0/16,2001:db8::/32,").unwrap();
        assert_eq!(networks, ["10.1.2.3/32", "10.2.0.0/16", "2001:db8::/32"]);
        assert!(is_in(&networks, "10.2.3.4".parse().unwrap()));
        assert!(!is_in(&networks, "10.1.2.4".parse().unwrap()));
        assert!(super::networks("10.1.2.3/99").is_err());
    }
}
