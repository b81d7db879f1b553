//! Events of groups, organizations, teams, persons and of the files of objects.

use super::Change;
use super::visibility::SubmissionVisibility;
use crate::notices::{Audience, Object};
use crate::state::Contest;
use crate::{
    Body, FileEntry, FileOwner, FileProperty, GroupId, GroupSettings, OrganizationId, PersonSettings,
    SubmissionNumber, TeamId, TeamSettings,
};
use std::collections::BTreeSet;

impl Change<'_> {
    pub(super) fn apply_people(&mut self, body: &Body) {
        match body {
            Body::TeamSet(settings) => self.set_team(settings),
            Body::TeamRemoved(id) => {
                let hidden = self.contest.hidden_organizations();
                let people = self.people();
                let removed = self.contest.teams.remove(id);
                self.contest.files.remove(&FileOwner::Team(id.clone()));
                let (hidden_after, people_after) = (self.contest.hidden_organizations(), self.people());
                self.note_appeared_organizations(&hidden, &hidden_after);
                self.note_vanished_commentary(&people, &people_after);
                self.note_appeared_commentary(&people, &people_after);
                let was_public = removed.is_some_and(|team| self.contest.is_public_team(&team));
                for (object, is_gone) in
                    [(Object::Board, false), (Object::Awards, false), (Object::Team(id.clone()), true)]
                {
                    let is_other = hidden != hidden_after && object == Object::Awards;
                    self.note_jury_and(was_public || is_other, object, is_gone);
                }
                self.note_vanished_organizations(&hidden, &hidden_after);
            }
            Body::PersonSet(settings) => self.set_person(settings),
            Body::PersonRemoved(id) => {
                self.contest.files.remove(&FileOwner::Person(id.clone()));
                if let Some(removed) = self.contest.persons.remove(id) {
                    let is_public = self.contest.is_public_person(&removed);
                    self.note_jury_and(is_public, Object::Person(id.clone()), true);
                    self.note_own_persons(&removed, &removed.teams, true);
                }
            }
            Body::GroupSet(settings) => self.set_group(settings),
            Body::GroupRemoved(id) => {
                let before = self.overview();
                let was_hidden = self.contest.groups.remove(id).is_none_or(|group| group.is_hidden);
                self.note_overview(&before, true);
                self.note_jury_and(!was_hidden, Object::Group(id.clone()), true);
            }
            Body::OrganizationSet(settings) => {
                self.contest.organizations.insert(settings.id.clone(), settings.clone());
                self.note_organization(&settings.id);
                self.note_awards();
            }
            Body::OrganizationRemoved(id) => {
                self.contest.organizations.remove(id);
                self.contest.files.remove(&FileOwner::Organization(id.clone()));
                self.note_awards();
                self.note_all(Object::Organization(id.clone()), true);
            }
            Body::FilesSet { of, property, files } => self.set_files(of, *property, files),
            _ => {}
        }
    }

    /// Boards name organizations, and each has an award.
    fn note_awards(&mut self) {
        self.note_all(Object::Board, false);
        self.note_all(Object::Awards, false);
    }

    fn note_organization(&mut self, id: &OrganizationId) {
        let is_public = self.contest.is_public_organization(id);
        self.note_jury_and(is_public, Object::Organization(id.clone()), false);
        if !is_public {
            self.note_own_organization(id);
        }
    }

    /// Notes an organization for its teams, which see it even if others do not.
    fn note_own_organization(&mut self, id: &OrganizationId) {
        let teams = self.contest.teams.values().filter(|team| team.organization.as_ref() == Some(id));
        for team in teams.map(|team| team.id.clone()).collect::<Vec<_>>() {
            self.note(Audience::Team(team), Object::Organization(id.clone()), false);
        }
    }

    pub(super) fn note_appeared_organizations(
        &mut self,
        before: &BTreeSet<OrganizationId>,
        after: &BTreeSet<OrganizationId>,
    ) {
        for id in before.difference(after) {
            self.note(Audience::Public, Object::Organization(id.clone()), false);
        }
    }

    pub(super) fn note_vanished_organizations(
        &mut self,
        before: &BTreeSet<OrganizationId>,
        after: &BTreeSet<OrganizationId>,
    ) {
        for id in after.difference(before) {
            self.note(Audience::Public, Object::Organization(id.clone()), true);
            self.note_own_organization(id);
        }
    }

    fn set_group(&mut self, settings: &GroupSettings) {
        let before = self.overview();
        let old = self.contest.groups.insert(settings.id.clone(), settings.clone());
        let was_public = old.is_some_and(|old| !old.is_hidden);
        let (is_public, object) = (!settings.is_hidden, Object::Group(settings.id.clone()));
        self.note_jury(object.clone());
        if is_public {
            self.note(Audience::Public, object.clone(), false);
        }
        if was_public != is_public {
            self.note_members(&settings.id);
        }
        self.note_overview(&before, true);
        if was_public && !is_public {
            self.note(Audience::Public, object, true);
        }
    }

    /// Notes what names a group: it does so only for those who may know of the group.
    fn note_members(&mut self, group: &GroupId) {
        let members = self.contest.teams.values().filter(|team| team.groups.contains(group));
        for team in members.map(|team| team.id.clone()).collect::<Vec<_>>() {
            self.note_public_team(&team);
            self.note(Audience::Team(team.clone()), Object::Team(team), false);
        }
        if self.contest.settings.main_group.as_ref() == Some(group) {
            self.note(Audience::Public, Object::Contest, false);
        }
    }

    fn note_public_team(&mut self, id: &TeamId) {
        if self.contest.is_public_team_id(id) {
            self.note(Audience::Public, Object::Team(id.clone()), false);
        }
    }

    fn set_team(&mut self, settings: &TeamSettings) {
        let id = &settings.id;
        let was_public = self.contest.is_public_team_id(id);
        let numbers: Vec<SubmissionNumber> = self.contest.boards.of_team(id).collect();
        let before: Vec<SubmissionVisibility> =
            numbers.iter().map(|number| self.contest.sight(*number)).collect();
        let clarifications = self.contest.shown_clarifications();
        let is_known = self.contest.teams.contains_key(id);
        // A thousand teams may come at once; commentary is rare.
        let people_before = (is_known || !self.contest.commentary.is_empty()).then(|| self.people());
        let old = self.contest.teams.get(id).and_then(|team| team.organization.clone());
        let organizations: BTreeSet<OrganizationId> =
            old.iter().chain(&settings.organization).cloned().collect();
        let hidden = |contest: &Contest| -> BTreeSet<OrganizationId> {
            organizations.iter().filter(|id| !contest.is_public_organization(id)).cloned().collect()
        };
        let hidden_before = hidden(self.contest);
        self.contest.teams.insert(id.clone(), settings.clone());
        let hidden_after = hidden(self.contest);
        let is_public = self.contest.is_public_team_id(id);
        let is_other = was_public != is_public || hidden_before != hidden_after;
        let people = people_before.filter(|_| is_other).map(|before| (before, self.people()));
        let object = Object::Team(id.clone());
        self.note_appeared_organizations(&hidden_before, &hidden_after);
        if let Some(organization) = settings.organization.as_ref().filter(|id| hidden_after.contains(id)) {
            self.note(Audience::Team(id.clone()), Object::Organization(organization.clone()), false);
        }
        self.note(Audience::Team(id.clone()), object.clone(), false);
        self.note_jury(object.clone());
        if is_public {
            self.note(Audience::Public, object.clone(), false);
        }
        if let Some((before, after)) = &people {
            self.note_vanished_commentary(before, after);
            self.note_appeared_persons(before, after, &BTreeSet::from([id.clone()]));
        }
        for (number, sight) in numbers.iter().zip(before) {
            self.note_sight(*number, sight);
        }
        if let Some((before, after)) = &people {
            self.note_appeared_commentary(before, after);
        }
        self.note_clarifications(&clarifications, &self.contest.shown_clarifications());
        for other in [Object::Board, Object::Awards] {
            self.note_jury_and(was_public || is_public || is_other, other, false);
        }
        if let Some((before, after)) = &people {
            self.note_vanished_persons(before, after);
        }
        if was_public && !is_public {
            self.note(Audience::Public, object, true);
        }
        self.note_vanished_organizations(&hidden_before, &hidden_after);
        let left =
            old.filter(|old| settings.organization.as_ref() != Some(old) && hidden_after.contains(old));
        if let Some(left) = left {
            self.note(Audience::Team(id.clone()), Object::Organization(left), true);
        }
        if is_public && !was_public && !numbers.is_empty() {
            self.note_balloons(false);
        }
    }

    fn set_person(&mut self, settings: &PersonSettings) {
        let before = self.people_with(&settings.id);
        let old = self.contest.persons.insert(settings.id.clone(), settings.clone());
        let after = self.people_with(&settings.id);
        let object = Object::Person(settings.id.clone());
        self.note_jury(object.clone());
        let was_public = before.has(settings);
        if after.has(settings) {
            self.note(Audience::Public, object.clone(), false);
        }
        if was_public != after.has(settings) {
            self.note_vanished_commentary(&before, &after);
            self.note_appeared_commentary(&before, &after);
        }
        if was_public && !after.has(settings) {
            self.note(Audience::Public, object, true);
        }
        let old_teams = old.map(|old| old.teams).unwrap_or_default();
        let left: BTreeSet<TeamId> = old_teams.difference(&settings.teams).cloned().collect();
        self.note_own_persons(settings, &left, !after.has(settings));
        self.note_own_persons(settings, &settings.teams, false);
    }

    /// Notes a person for those of these teams that the public does not know.
    fn note_own_persons(&mut self, person: &PersonSettings, teams: &BTreeSet<TeamId>, is_gone: bool) {
        for team in teams {
            let entry = self.contest.teams.get(team);
            if entry.is_some_and(|entry| !self.contest.is_public_team(entry)) {
                self.note(Audience::Team(team.clone()), Object::Person(person.id.clone()), is_gone);
            }
        }
    }

    fn set_files(&mut self, of: &FileOwner, property: FileProperty, files: &[FileEntry]) {
        let entry = self.contest.files.entry(of.clone()).or_default();
        if files.is_empty() {
            entry.remove(&property);
        } else {
            entry.insert(property, files.to_vec());
        }
        if entry.is_empty() {
            self.contest.files.remove(of);
        }
        let is_shown = self.contest.shows_files(property);
        match of {
            FileOwner::Contest => self.note_all(Object::Contest, false),
            FileOwner::Organization(id) => self.note_organization(id),
            FileOwner::Team(id) => {
                if is_shown {
                    self.note_team(id);
                }
                self.note_jury(Object::Team(id.clone()));
            }
            FileOwner::Person(id) => {
                if let Some(person) = self.contest.persons.get(id).cloned() {
                    let is_public = self.contest.is_public_person(&person);
                    self.note_jury_and(is_public, Object::Person(id.clone()), false);
                    self.note_own_persons(&person, &person.teams, false);
                }
            }
            FileOwner::Submission(number) => {
                if is_shown {
                    self.note_submission(*number);
                }
                self.note_jury(Object::Submission(*number));
            }
        }
    }

    /// Notes a team for those who see it, the jury apart.
    pub(super) fn note_team(&mut self, id: &TeamId) {
        let is_public = self.contest.is_public_team_id(id);
        let audience = if is_public { Audience::Public } else { Audience::Team(id.clone()) };
        self.note(audience, Object::Team(id.clone()), false);
    }

    /// Notes a submission for those who see it, the jury apart.
    pub(super) fn note_submission(&mut self, number: SubmissionNumber) {
        let Some(submission) = self.contest.submission(number) else { return };
        let team = submission.team.clone();
        if self.contest.is_public_submission(submission) {
            self.note(Audience::Public, Object::Submission(number), false);
        } else if let Some(team) = team {
            self.note(Audience::Team(team), Object::Submission(number), false);
        }
    }
}
