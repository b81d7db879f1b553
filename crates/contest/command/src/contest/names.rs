//! What people call things: problems by label, teams by name.

use crate::client::Client;
use std::collections::BTreeMap;
use terminal::failure::{input_with_hint, near};

/// The problems of a contest.
pub struct Problems(pub Vec<documents::contest::Problem>);

impl Problems {
    /// Asks the server.
    pub fn of(client: &Client) -> anyhow::Result<Self> {
        let mut problems: Vec<documents::contest::Problem> = client.get(&client.in_contest("problems")?)?;
        problems.sort_by_key(|problem| problem.ordinal);
        Ok(Self(problems))
    }

    /// Finds a problem by its label, in any case, or its id.
    pub fn find(&self, name: &str) -> Option<&documents::contest::Problem> {
        let is_it = |problem: &&documents::contest::Problem| {
            problem.id == name || problem.label.eq_ignore_ascii_case(name)
        };
        self.0.iter().find(is_it)
    }

    /// Finds a problem that must be there.
    ///
    /// # Errors
    /// When it is not.
    pub fn require(&self, name: &str) -> anyhow::Result<&documents::contest::Problem> {
        self.find(name).ok_or_else(|| {
            let known = self.0.iter().flat_map(|problem| [problem.label.as_str(), problem.id.as_str()]);
            let hint = match near(name, known).first() {
                Some(near) => format!("did you mean {near}?"),
                None => format!("the contest has {}", self.list()),
            };
            input_with_hint(format!("the contest has no problem '{name}'"), hint)
        })
    }

    /// Lists them for a message.
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
        self.0
            .iter()
            .find(|problem| problem.id == id)
            .map_or_else(|| id.to_owned(), |problem| problem.label.clone())
    }
}

/// Asks the server for the names of the teams by id.
pub fn teams(client: &Client) -> anyhow::Result<BTreeMap<String, String>> {
    let teams: Vec<documents::contest::Team> = client.get(&client.in_contest("teams")?)?;
    Ok(teams.into_iter().map(|team| (team.id.into(), team.display_name.unwrap_or(team.name))).collect())
}
