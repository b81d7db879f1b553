//! What stands against beginning a contest.

use api::contest::{Account, AccountType, CheckReport, Contest, Judgehost, Problem, Team};
use std::collections::{BTreeMap, BTreeSet};

/// More names would not be read.
const NAMES_MAX: usize = 5;

/// What is known about a contest before its start.
pub struct Known {
    pub contest: Contest,
    pub problems: Vec<Problem>,
    pub teams: Vec<Team>,
    pub accounts: Vec<Account>,
    pub judgehosts: Vec<Judgehost>,
    /// The pool whose verdicts count, and the one that judges first.
    pub pools: Vec<String>,
}

/// Returns for each pool that nobody judges in it, and why.
pub fn unmanned(pools: &[String], judgehosts: &[Judgehost]) -> Vec<String> {
    let is_manned =
        |pool: &&String| judgehosts.iter().any(|host| host.pool == **pool && host.state == "enabled");
    let tell = |pool: &String| {
        let others = judgehosts.iter().filter(|host| host.pool == *pool);
        let why = others.map(|host| match host.reason.as_str() {
            "" => format!("{} is {}", host.id, host.state),
            reason => format!("{} is {}: {reason}", host.id, host.state),
        });
        let why: Vec<String> = why.collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) };
        format!("no machine judges in the pool '{pool}'{why}")
    };
    pools.iter().filter(|pool| !is_manned(pool)).map(tell).collect()
}

/// Returns what prevents the start, and what may be wanted so.
pub fn preflight(known: &Known) -> CheckReport {
    let Known { contest, problems, teams, accounts, judgehosts, pools } = known;
    let mut report = CheckReport { errors: Vec::new(), warnings: Vec::new() };
    let CheckReport { errors, warnings } = &mut report;
    if problems.is_empty() {
        errors.push("there is no problem: 'tauto problem add' or 'tauto contest import'".to_owned());
    }
    if teams.is_empty() {
        errors.push("there is no team: 'tauto team import'".to_owned());
    }
    errors.extend(unmanned(pools, judgehosts));
    if contest.start_time.is_none() {
        warnings.push("the start is not set: 'tauto contest start --at TIME'".to_owned());
    }
    let enabled =
        accounts.iter().filter(|one| one.kind == AccountType::Team && one.is_enabled != Some(false));
    let with_account: BTreeSet<&str> = enabled.filter_map(|one| one.team_id.as_deref()).collect();
    let without = teams.iter().filter(|team| !with_account.contains(team.id.as_str()));
    let without: Vec<&str> = without.map(|team| team.id.as_str()).collect();
    if !without.is_empty() {
        warnings.push(format!("no account can log in for {}", some("team", &without)));
    }
    let mut colours: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for problem in problems {
        if let Some(rgb) = &problem.rgb {
            colours.entry(rgb).or_default().push(&problem.label);
        }
        if problem.test_data_count == 0 {
            errors.push(format!("problem {} has no test data", problem.label));
        }
    }
    for labels in colours.values().filter(|labels| labels.len() > 1) {
        warnings.push(format!("the balloons of {} have the same colour", some("problem", labels)));
    }
    let limits = problems.iter().filter(|problem| problem.time_limit.is_none());
    let limits: Vec<&str> = limits.map(|problem| problem.label.as_str()).collect();
    if !limits.is_empty() {
        warnings.push(format!(
            "the time limit is not derived yet for {}; submit a solution",
            some("problem", &limits)
        ));
    }
    report
}

fn some(what: &str, names: &[&str]) -> String {
    let plural = if names.len() == 1 { "" } else { "s" };
    let rest = if names.len() > NAMES_MAX {
        format!(" and {} more", names.len() - NAMES_MAX)
    } else {
        String::new()
    };
    format!("{what}{plural} {}{rest}", names[..names.len().min(NAMES_MAX)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    fn known() -> Known {
        let problem = |label: &str| {
            json!({"id": label, "label": label, "name": label, "ordinal": 1, "rgb": "#fff", "time_limit": 1.0,
                   "memory_limit": 1, "output_limit": 1, "code_limit": 1, "test_data_count": 1})
        };
        Known {
            contest: from_value(json!({"id": "c", "name": "C", "start_time": "2026-11-23T09:00:00.000Z",
                "duration": "5:00:00.000", "scoreboard_type": "pass-fail"}))
            .unwrap(),
            problems: from_value(json!([problem("A")])).unwrap(),
            teams: from_value(json!([{"id": "1", "name": "Ada"}])).unwrap(),
            accounts: from_value(json!([{"id": "ada", "username": "ada", "type": "team", "team_id": "1"}]))
                .unwrap(),
            judgehosts: from_value(
                json!([{"id": "h", "pool": "default", "state": "enabled", "reason": "", "places": 1,
                "identity": [], "compilers": [], "last_seen": null, "jobs": 0}]),
            )
            .unwrap(),
            pools: vec!["default".to_owned()],
        }
    }

    #[test]
    fn what_is_missing_is_told() {
        let all_is_well = CheckReport { errors: Vec::new(), warnings: Vec::new() };
        assert_eq!(preflight(&known()), all_is_well);
        let mut known = known();
        known.judgehosts[0].state = "disabled".to_owned();
        known.judgehosts[0].reason = "three failures in a row".to_owned();
        known.problems.push(Problem { label: "B".to_owned(), time_limit: None, ..known.problems[0].clone() });
        known.accounts[0].is_enabled = Some(false);
        known.contest.start_time = None;
        let report = preflight(&known);
        assert_eq!(
            report.errors,
            ["no machine judges in the pool 'default' (h is disabled: three failures in a row)"]
        );
        assert_eq!(
            report.warnings,
            [
                "the start is not set: 'tauto contest start --at TIME'",
                "no account can log in for team 1",
                "the balloons of problems A, B have the same colour",
                "the time limit is not derived yet for problem B; submit a solution",
            ]
        );
        known.judgehosts[0].reason.clear();
        known.pools.push("fast".to_owned());
        let report = preflight(&known);
        let unmanned = [
            "no machine judges in the pool 'default' (h is disabled)",
            "no machine judges in the pool 'fast'",
        ];
        assert_eq!(report.errors, unmanned);
        let nothing = Known { problems: Vec::new(), teams: Vec::new(), ..known };
        assert_eq!(preflight(&nothing).errors.len(), 4);
    }
}
