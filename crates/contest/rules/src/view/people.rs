//! What a viewer sees of persons, accounts, files and commentary.

use super::View;
use crate::roles::Sight;
use crate::state::Remark;
use crate::{
    AccountId, AccountSettings, Commentary, CommentaryNumber, FileEntry, FileOwner, FileProperty, Instant,
    Millis, Person, PersonId, PersonSettings, ProblemId, Refusal, SubmissionNumber, TeamId,
};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CommentaryView<'a> {
    pub number: CommentaryNumber,
    pub time: Instant,
    pub contest_time: Millis,
    pub message: &'a str,
    pub tags: &'a BTreeSet<String>,
    /// Its author, if the viewer may know of that person.
    pub source: Option<&'a PersonId>,
    pub teams: &'a BTreeSet<TeamId>,
    pub problems: &'a BTreeSet<ProblemId>,
    pub submissions: &'a BTreeSet<SubmissionNumber>,
}

impl<'a> View<'a> {
    pub fn persons(&self) -> impl Iterator<Item = Person> {
        let seen = self.contest.persons.values().filter(|person| self.sees_person(person));
        seen.map(|person| self.person_object(person))
    }

    pub fn person(&self, id: &PersonId) -> Result<Person, Refusal> {
        let person = self.contest.persons.get(id).filter(|person| self.sees_person(person));
        person.map(|person| self.person_object(person)).ok_or_else(|| Refusal::not_found("person", id))
    }

    pub fn person_settings(&self) -> Result<impl Iterator<Item = &'a PersonSettings>, Refusal> {
        self.require_jury()?;
        Ok(self.contest.persons.values())
    }

    fn sees_person(&self, person: &PersonSettings) -> bool {
        let is_own = matches!(&self.sight, Sight::Team(own) if person.teams.contains(own));
        self.is_jury() || is_own || self.contest.is_public_person(person)
    }

    pub fn is_public_person(&self, id: &PersonId) -> bool {
        self.contest.persons.get(id).is_some_and(|person| self.contest.is_public_person(person))
    }

    fn person_object(&self, person: &PersonSettings) -> Person {
        let mut object = person.object(self.is_jury());
        let sees = |id: &TeamId| self.contest.teams.get(id).is_some_and(|team| self.sees_team(team));
        if let Some(teams) = &mut object.team_ids {
            teams.retain(sees);
        }
        object
    }

    /// Returns the accounts of the contest, without what only admins see of them; for the jury.
    pub fn accounts(&self) -> Result<impl Iterator<Item = &'a AccountSettings>, Refusal> {
        self.require_jury()?;
        let id = self.id;
        let all = self.state.accounts.values().map(|account| &account.settings);
        Ok(all.filter(move |settings| settings.is_in(id)))
    }

    /// Returns whether somebody can log in with an account: it can be used, and has a password or addresses.
    pub fn can_log_in(&self, account: &AccountSettings) -> bool {
        let has_password = || self.state.accounts.get(&account.id).is_some_and(|one| one.password.is_some());
        account.is_enabled && (!account.ip.is_empty() || has_password())
    }

    /// Returns whether there is an account with this id, of any contest.
    pub fn is_account_taken(&self, id: &AccountId) -> bool {
        self.state.accounts.contains_key(id)
    }

    pub(super) fn has_account(&self, id: &AccountId) -> bool {
        self.state.accounts.get(id).is_some_and(|account| account.settings.is_in(self.id))
    }

    /// Returns those files of an object that the viewer may see, given that the viewer sees the object.
    pub fn files(&self, of: &FileOwner) -> BTreeMap<FileProperty, &'a [FileEntry]> {
        let all = self.contest.files.get(of).into_iter().flatten();
        all.filter(|(property, _)| self.is_jury() || self.contest.shows_files(**property))
            .map(|(property, files)| (*property, files.as_slice()))
            .collect()
    }

    pub fn file(
        &self,
        of: &FileOwner,
        property: FileProperty,
        filename: &str,
    ) -> Result<&'a FileEntry, Refusal> {
        let sees = match of {
            FileOwner::Contest => true,
            FileOwner::Organization(id) => self.organization(id).is_some(),
            FileOwner::Team(id) => self.team(id).is_ok(),
            FileOwner::Person(id) => self.person(id).is_ok(),
            FileOwner::Submission(number) => self.submission_entry(*number).is_ok(),
        };
        let files = self.files(of).remove(&property).filter(|_| sees).unwrap_or_default();
        files
            .iter()
            .find(|file| file.filename == filename)
            .ok_or_else(|| Refusal::not_found(property.name(), filename))
    }

    pub fn commentary(&self) -> impl Iterator<Item = CommentaryView<'a>> {
        self.contest.commentary.iter().filter_map(|remark| self.commentary_view(remark))
    }

    pub fn one_commentary(&self, number: CommentaryNumber) -> Result<CommentaryView<'a>, Refusal> {
        let index = (number.0 as usize).checked_sub(1);
        let remark = index.and_then(|index| self.contest.commentary.get(index));
        remark
            .and_then(|remark| self.commentary_view(remark))
            .ok_or_else(|| Refusal::not_found("commentary", number))
    }

    fn commentary_view(&self, remark: &'a Remark) -> Option<CommentaryView<'a>> {
        let Commentary { number, message, tags, source, teams, problems, submissions, .. } = &remark.content;
        (self.is_jury() || self.contest.is_public_remark(remark)).then(|| CommentaryView {
            number: *number,
            time: remark.time,
            contest_time: remark.contest_time,
            message,
            tags,
            source: source.as_ref().filter(|id| self.is_jury() || self.is_public_person(id)),
            teams,
            problems,
            submissions,
        })
    }
}
