//! Which accounts a package may make: its author need not be an admin of the server.

use super::contents::ContestFiles;
use crate::{AccountSettings, ContestId, Role};
use std::collections::{BTreeMap, BTreeSet};

/// Names of accounts in one message; all of them are in the list of accounts.
const NAMED_MAX: usize = 10;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct AccountChanges {
    /// What is done, in lines.
    pub changes: Vec<String>,
    /// What is not done, and how to do it otherwise.
    pub warnings: Vec<String>,
}

/// Leaves out of the files what would reach beyond their contest: accounts of the whole server, accounts that exist and are
/// not of this contest alone, other types of those that exist, and logins by address but of teams at single addresses.
///
/// `known` are all accounts of the server.
pub fn limit_accounts<'a>(
    files: &mut ContestFiles,
    contest: &ContestId,
    known: impl IntoIterator<Item = &'a AccountSettings>,
) -> AccountChanges {
    let known: BTreeMap<_, _> = known.into_iter().map(|account| (&account.id, account)).collect();
    let of_contest = BTreeSet::from([contest.clone()]);
    let mut found = AccountChanges::default();
    let (mut new, mut again) = (BTreeMap::<&str, usize>::new(), Vec::new());
    files.accounts.retain_mut(|entry| {
        let account = &mut entry.settings;
        let (id, role) = (account.id.clone(), account.role.name());
        let old = known.get(&id).copied();
        let mut warn = |text: String| found.warnings.push(format!("account '{id}' {text}"));
        if matches!(account.role, Role::Admin | Role::Judgehost) {
            warn(format!("is left out: a package makes no accounts of type {role}; admins of the server add them one by one"));
            return false;
        }
        if let Some(old) = old {
            if old.contests != of_contest || matches!(old.role, Role::Admin | Role::Judgehost) {
                warn("exists, and is not of this contest alone: it is not changed".to_owned());
                return false;
            }
            if old.role != account.role {
                let is = old.role.name();
                warn(format!("exists with type {is}, not {role}, and is not changed"));
                return false;
            }
            if account.is_enabled && !old.is_enabled {
                warn("stays disabled until an admin enables it".to_owned());
                account.is_enabled = false;
            }
        }
        let before = old.map(|old| &old.ip[..]).unwrap_or_default();
        let is_wide = |address: &String| {
            let single = if address.contains(':') { "128" } else { "32" };
            address.split_once('/').is_some_and(|(_, bits)| bits != single)
        };
        let is_refused = account.role != Role::Team || account.ip.iter().any(is_wide);
        if is_refused && !account.ip.is_empty() && account.ip != before {
            warn(format!(
                "gets no login from {}: a package names single addresses of teams only; \
                 admins of the server set networks, and those of other accounts",
                account.ip.join(", ")
            ));
            account.ip = before.to_vec();
        }
        account.contests = of_contest.clone();
        match old {
            Some(_) => again.push(id),
            None => *new.entry(role).or_default() += 1,
        }
        true
    });
    found
        .changes
        .extend(new.into_iter().map(|(role, count)| format!("new accounts of type {role}: {count}")));
    if !again.is_empty() {
        let mut names: Vec<&str> = again.iter().take(NAMED_MAX).map(|id| id.as_str()).collect();
        if again.len() > NAMED_MAX {
            names.push("...");
        }
        found.changes.push(format!(
            "accounts that exist and are set anew: {} ({})",
            again.len(),
            names.join(", ")
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::AccountEntry;

    fn account(id: &str, role: Role, contests: &[&str]) -> AccountSettings {
        AccountSettings {
            id: id.parse().unwrap(),
            name: None,
            role,
            contests: contests.iter().map(|id| id.parse().unwrap()).collect(),
            team: None,
            person: None,
            ip: Vec::new(),
            oidc_subject: None,
            is_enabled: true,
        }
    }

    /// Returns what is left of accounts in a package of the contest `c`.
    fn limit(
        accounts: &[AccountSettings],
        known: &[AccountSettings],
    ) -> (Vec<AccountSettings>, AccountChanges) {
        let entry = |settings: &AccountSettings| AccountEntry { settings: settings.clone(), password: None };
        let mut files = ContestFiles { accounts: accounts.iter().map(entry).collect(), ..Default::default() };
        let found = limit_accounts(&mut files, &"c".parse().unwrap(), known);
        (files.accounts.into_iter().map(|entry| entry.settings).collect(), found)
    }

    #[test]
    fn accounts_beyond_the_contest_stay_as_they_are() {
        let known = [
            account("admin", Role::Admin, &[]),
            account("orga", Role::Admin, &["c"]),
            account("judgehost", Role::Judgehost, &[]),
            account("all", Role::Judge, &[]),
            account("chief", Role::Judge, &["b"]),
            account("both", Role::Judge, &["b", "c"]),
            account("own", Role::Spectator, &["c"]),
        ];
        for role in [Role::Admin, Role::Judgehost, Role::Judge, Role::Spectator, Role::Staff] {
            for old in &known {
                let wanted = [account(old.id.as_str(), role, &[])];
                let (left, found) = limit(&wanted, &known);
                let is_same = (old.id.as_str(), role) == ("own", Role::Spectator);
                assert_eq!(left.len(), usize::from(is_same), "{} as {}", old.id, role.name());
                assert_eq!(found.warnings.len(), usize::from(!is_same));
                assert!(is_same || found.warnings[0].contains(old.id.as_str()));
            }
        }
    }

    #[test]
    fn a_package_makes_accounts_of_its_contest_only() {
        let wanted = [
            account("boss", Role::Admin, &[]),
            account("host", Role::Judgehost, &["c"]),
            account("judge", Role::Judge, &[]),
            account("staff", Role::Staff, &["b"]),
        ];
        let (left, found) = limit(&wanted, &[]);
        assert_eq!(left, [account("judge", Role::Judge, &["c"]), account("staff", Role::Staff, &["c"])]);
        assert_eq!(found.changes, ["new accounts of type judge: 1", "new accounts of type staff: 1"]);
        assert!(
            found.warnings.iter().all(|text| text.contains("admins of the server add them")),
            "{found:?}"
        );
        let (_, again) = limit(&left, &left);
        assert_eq!(again.changes, ["accounts that exist and are set anew: 2 (judge, staff)"]);
        assert_eq!(again.warnings, [""; 0]);
    }

    #[test]
    fn logins_by_address_are_for_teams_at_one_address() {
        let check = |role: Role, ip: &[&str], before: &[&str], expect: &[&str]| {
            let with = |ip: &[&str]| AccountSettings {
                ip: ip.iter().map(|one| (*one).to_owned()).collect(),
                ..account("a", role, &["c"])
            };
            let known = if before.is_empty() { Vec::new() } else { vec![with(before)] };
            let (left, found) = limit(&[with(ip)], &known);
            assert_eq!(left[0].ip, expect, "{ip:?}");
            assert_eq!(found.warnings.is_empty(), ip == expect, "{found:?}");
        };
        check(
            Role::Team,
            &["10.0.0.1", "10.0.0.2/32", "2001:db8::1/128"],
            &[],
            &["10.0.0.1", "10.0.0.2/32", "2001:db8::1/128"],
        );
        check(Role::Team, &["0.0.0.0/0"], &[], &[]);
        check(Role::Team, &["10.0.0.1", "2001:db8::/32"], &[], &[]);
        check(Role::Judge, &["10.0.0.1"], &[], &[]);
        // What an admin has set before is no news of the package.
        check(Role::Judge, &["10.0.0.0/8"], &["10.0.0.0/8"], &["10.0.0.0/8"]);
        check(Role::Judge, &["0.0.0.0/0"], &["10.0.0.0/8"], &["10.0.0.0/8"]);
    }

    #[test]
    fn a_disabled_account_stays_disabled() {
        let old = AccountSettings { is_enabled: false, ..account("a", Role::Judge, &["c"]) };
        let (left, found) = limit(&[account("a", Role::Judge, &[])], std::slice::from_ref(&old));
        assert_eq!((left, found.warnings.len()), (vec![old], 1));
    }
}
