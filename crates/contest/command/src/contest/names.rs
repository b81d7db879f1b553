//! What people call things: problems by label, teams by name.

use crate::client::Client;
use documents::contest::{Problem, Team};
use std::collections::BTreeMap;
use terminal::failure::{input_with_hint, near};

pub struct Problems(pub Vec<Problem>);

impl Problems {
    pub fn of(client: &Client) -> anyhow::Result<Self> {
        let mut problems: Vec<Problem> = client.get(&client.in_contest("problems")?)?;
        problems.sort_by_key(|problem| problem.ordinal);
        Ok(Self(problems))
    }

    /// Finds a problem by its label, in any case, or its id.
    pub fn find(&self, name: &str) -> Option<&Problem> {
        self.0.iter().find(|problem| problem.id == name || problem.label.eq_ignore_ascii_case(name))
    }

    pub fn require(&self, name: &str) -> anyhow::Result<&Problem> {
        self.find(name).ok_or_else(|| {
            let known = self.0.iter().flat_map(|problem| [problem.label.as_str(), problem.id.as_str()]);
            unknown("the contest", "problem", name, known, &self.list())
        })
    }

    pub fn list(&self) -> String {
        if self.0.is_empty() {
            return "no problem that you can see".to_owned();
        }
        let all: Vec<String> =
            self.0.iter().map(|problem| format!("{} ({})", problem.label, problem.id)).collect();
        all.join(", ")
    }

    /// Returns the label of a problem; its id if it is not known.
    pub fn label(&self, id: &str) -> String {
        let problem = self.0.iter().find(|problem| problem.id == id);
        problem.map_or_else(|| id.to_owned(), |problem| problem.label.clone())
    }
}

pub fn teams(client: &Client) -> anyhow::Result<BTreeMap<String, String>> {
    let teams: Vec<Team> = client.get(&client.in_contest("teams")?)?;
    Ok(teams.into_iter().map(|team| (team.id.into(), team.display_name.unwrap_or(team.name))).collect())
}

/// Refuses a name that an owner, such as `the server`, does not have, with the one that is meant or all that there are as a
/// hint.
pub fn refuse_unknown<'n>(
    owner: &str,
    what: &str,
    name: &str,
    names: impl Iterator<Item = &'n str> + Clone,
) -> anyhow::Result<()> {
    if names.clone().any(|known| known == name) {
        return Ok(());
    }
    let list = names.clone().collect::<Vec<_>>().join(", ");
    let list = if list.is_empty() { format!("no {what}") } else { list };
    Err(unknown(owner, what, name, names, &list))
}

fn unknown<'n>(
    owner: &str,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'n str>,
    list: &str,
) -> anyhow::Error {
    let hint = match near(name, known).first() {
        Some(near) => format!("did you mean {near}?"),
        None => format!("{owner} has {list}"),
    };
    input_with_hint(format!("{owner} has no {what} '{name}'"), hint)
}
