//! Decisions about groups, organizations, teams and persons.

use super::{InContest, check_known, check_name, check_optional, find, visible_part};
use crate::{
    AccountId, AccountSettings, Body, GroupId, GroupSettings, Location, NewLogin, NewTeam, OrganizationId,
    OrganizationSettings, PersonId, PersonSettings, Refusal, Role, TeamId, TeamSettings, is_country,
    is_subdivision,
};
use model::message;

impl InContest<'_> {
    pub(super) fn set_group(&self, settings: GroupSettings) -> Result<Vec<Body>, Refusal> {
        check_name("name", &settings.name)?;
        check_optional("icpc_id", settings.icpc_id.as_deref())?;
        check_optional("kind", settings.kind.as_deref())?;
        check_location(settings.location.as_ref())?;
        let before = self.contest.groups.get(&settings.id);
        if before.is_some_and(|before| before.is_hidden != settings.is_hidden) {
            self.not_final()?;
        }
        Ok(vec![Body::GroupSet(settings)])
    }

    pub(super) fn remove_group(&self, id: &GroupId) -> Result<Vec<Body>, Refusal> {
        find("group", &self.contest.groups, id)?;
        if let Some(team) = self.contest.teams.values().find(|team| team.groups.contains(id)) {
            return Err(Refusal::conflict(
                "in-use",
                message!("group-has-team", "team '{team}' is in group '{id}'", team = team.id, id),
            ));
        }
        if self.contest.settings.main_group.as_ref() == Some(id) {
            return Err(Refusal::conflict(
                "in-use",
                message!("group-is-main", "group '{id}' is the main board's", id),
            ));
        }
        if self.contest.settings.registration.group_id.as_ref() == Some(id) {
            let message = message!(
                "group-of-registration",
                "group '{id}' is the one of teams that register themselves",
                id
            );
            return Err(Refusal::conflict("in-use", message));
        }
        if self.contest.clarifications.iter().any(|question| question.content.to_groups.contains(id)) {
            return Err(Refusal::conflict(
                "in-use",
                message!("group-has-clarifications", "group '{id}' got clarifications", id),
            ));
        }
        Ok(vec![Body::GroupRemoved(id.clone())])
    }

    pub(super) fn set_organization(&self, settings: OrganizationSettings) -> Result<Vec<Body>, Refusal> {
        check_name("name", &settings.name)?;
        check_optional("formal_name", settings.formal_name.as_deref())?;
        check_optional("icpc_id", settings.icpc_id.as_deref())?;
        if settings.country.as_ref().is_some_and(|country| !is_country(country)) {
            return Err(Refusal::invalid(
                "country",
                message!("wrong-country", "a country has three capitals, such as 'DEU' (ISO 3166-1 alpha-3)"),
            ));
        }
        if settings.country_subdivision.as_ref().is_some_and(|code| !is_subdivision(code)) {
            return Err(Refusal::invalid(
                "country_subdivision",
                message!("wrong-country-subdivision", "a part of a country looks like 'DE-BY' (ISO 3166-2)"),
            ));
        }
        for (field, text) in [
            ("url", &settings.url),
            ("twitter_hashtag", &settings.twitter_hashtag),
            ("twitter_account", &settings.twitter_account),
        ] {
            check_optional(field, text.as_deref())?;
        }
        let is_web = |url: &String| ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme));
        if settings.url.as_ref().is_some_and(|url| !is_web(url)) {
            return Err(Refusal::invalid(
                "url",
                message!("wrong-url", "a URL begins with 'https://' or 'http://'"),
            ));
        }
        check_location(settings.location.as_ref())?;
        Ok(vec![Body::OrganizationSet(settings)])
    }

    pub(super) fn remove_organization(&self, id: &OrganizationId) -> Result<Vec<Body>, Refusal> {
        find("organization", &self.contest.organizations, id)?;
        if let Some(team) = self.contest.teams.values().find(|team| team.organization.as_ref() == Some(id)) {
            return Err(Refusal::conflict(
                "in-use",
                message!(
                    "organization-has-team",
                    "team '{team}' is of organization '{id}'",
                    team = team.id,
                    id
                ),
            ));
        }
        Ok(vec![Body::OrganizationRemoved(id.clone())])
    }

    pub(super) fn set_team(&self, settings: TeamSettings) -> Result<Vec<Body>, Refusal> {
        check_name("name", &settings.name)?;
        check_optional("display_name", settings.display_name.as_deref())?;
        check_optional("label", settings.label.as_deref())?;
        check_optional("icpc_id", settings.icpc_id.as_deref())?;
        check_known("organization", "organization", &self.contest.organizations, &settings.organization)?;
        check_known("groups", "group", &self.contest.groups, &settings.groups)?;
        // A hidden team is on no board, so it may come even then.
        let before = self.contest.teams.get(&settings.id);
        let is_same = before.map_or(settings.is_hidden, |before| {
            (before.is_hidden, &before.groups, before.penalty_adjustment)
                == (settings.is_hidden, &settings.groups, settings.penalty_adjustment)
        });
        if !is_same {
            self.not_final()?;
        }
        Ok(vec![Body::TeamSet(settings)])
    }

    /// Adds a team and its account, both with the same id.
    pub(super) fn register(&self, NewTeam { id, name, login }: NewTeam) -> Result<Vec<Body>, Refusal> {
        if !self.contest.registration_is_open() {
            return Err(Refusal::conflict(
                "registration-closed",
                message!("registration-closed", "no more teams can register"),
            ));
        }
        let teams = &self.contest.teams;
        let account: AccountId =
            id.as_str().parse().map_err(|error| Refusal::invalid("username", format!("{error}")))?;
        // Lists of organisers number their teams: such a number would be of another team.
        if id.as_str().bytes().all(|byte| byte.is_ascii_digit()) {
            let message = message!("login-is-number", "a login has at least one letter");
            return Err(Refusal::invalid("username", message));
        }
        let is_like = |other: &str| other.eq_ignore_ascii_case(id.as_str());
        if self.context.state.accounts.keys().any(|other| is_like(other.as_str()))
            || teams.keys().any(|other| is_like(other.as_str()))
        {
            let message = message!("login-taken", "the login '{id}' is taken; choose another one", id);
            return Err(Refusal::conflict("login-taken", message));
        }
        let own = visible_part(&name);
        if own.is_empty() {
            let message = message!("name-invisible", "a name has at least one sign that can be seen");
            return Err(Refusal::invalid("name", message));
        }
        let is_same = |team: &TeamSettings| {
            [Some(&team.name), team.display_name.as_ref()]
                .into_iter()
                .flatten()
                .any(|other| visible_part(other) == own)
        };
        if teams.values().any(is_same) {
            let message =
                message!("name-taken", "there is a team '{name}' already; choose another name", name);
            return Err(Refusal::conflict("name-taken", message));
        }
        let groups = self.contest.settings.registration.group_id.iter().cloned().collect();
        let team = TeamSettings { groups, ..TeamSettings::new(id.clone(), name) };
        let mut bodies = self.set_team(team)?;
        let mut settings = AccountSettings {
            team: Some(id),
            contests: [self.id.clone()].into(),
            ..AccountSettings::new(account.clone(), Role::Team)
        };
        match login {
            NewLogin::Password(hash) => {
                bodies.extend([Body::AccountSet(settings), Body::PasswordSet { account, hash }]);
            }
            NewLogin::Oidc(subject) => {
                self.context.check_subject(&account, &subject)?;
                settings.oidc_subject = Some(subject);
                bodies.push(Body::AccountSet(settings));
            }
        }
        Ok(bodies)
    }

    pub(super) fn remove_team(&self, id: &TeamId) -> Result<Vec<Body>, Refusal> {
        find("team", &self.contest.teams, id)?;
        self.not_final()?;
        let in_use = |message| Err(Refusal::conflict("in-use", message));
        if self.contest.submissions.iter().any(|submission| submission.team.as_ref() == Some(id)) {
            return in_use(message!("team-has-submissions", "team '{id}' has submissions", id));
        }
        let is_in = |question: &crate::state::Question| {
            question.content.from_team.as_ref() == Some(id) || question.content.to_teams.contains(id)
        };
        if self.contest.clarifications.iter().any(is_in) {
            return in_use(message!("team-has-clarifications", "team '{id}' has clarifications", id));
        }
        let has_account = |account: &crate::state::Account| {
            account.settings.team.as_ref() == Some(id) && account.settings.contests.contains(self.id)
        };
        if self.context.state.accounts.values().any(has_account) {
            return in_use(message!("team-has-account", "team '{id}' has an account", id));
        }
        if let Some(person) = self.contest.persons.values().find(|person| person.teams.contains(id)) {
            return in_use(message!(
                "team-has-person",
                "team '{id}' has person '{person}'",
                id,
                person = person.id
            ));
        }
        let holds = |edit: &crate::state::AwardEdit| edit.teams.iter().flatten().any(|team| team == id);
        if let Some((award, _)) = self.contest.awards.iter().find(|(_, edit)| holds(edit)) {
            return in_use(message!("team-has-award", "team '{id}' has award '{award}'", id, award));
        }
        if self.contest.commentary.iter().any(|remark| remark.content.teams.contains(id)) {
            return in_use(message!("team-has-commentary", "team '{id}' has commentary", id));
        }
        Ok(vec![Body::TeamRemoved(id.clone())])
    }
}

impl InContest<'_> {
    pub(super) fn set_person(&self, settings: PersonSettings) -> Result<Vec<Body>, Refusal> {
        check_name("name", &settings.name)?;
        check_optional("icpc_id", settings.icpc_id.as_deref())?;
        check_optional("title", settings.title.as_deref())?;
        check_optional("email", settings.email.as_deref())?;
        self.check_teams("team_ids", &settings.teams)?;
        if settings.role.is_of_team() == settings.teams.is_empty() {
            return Err(Refusal::invalid(
                "team_ids",
                message!(
                    "wrong-teams-of-person",
                    "contestants and coaches have at least one team, others none"
                ),
            ));
        }
        Ok(vec![Body::PersonSet(settings)])
    }

    pub(super) fn remove_person(&self, id: &PersonId) -> Result<Vec<Body>, Refusal> {
        find("person", &self.contest.persons, id)?;
        let is_of = |account: &&crate::state::Account| {
            account.settings.person.as_ref() == Some(id) && account.settings.contests.contains(self.id)
        };
        if let Some(account) = self.context.state.accounts.values().find(is_of) {
            let message = message!(
                "person-has-account",
                "person '{id}' has account '{account}'",
                id,
                account = account.settings.id
            );
            return Err(Refusal::conflict("in-use", message));
        }
        if self.contest.commentary.iter().any(|remark| remark.content.source.as_ref() == Some(id)) {
            return Err(Refusal::conflict(
                "in-use",
                message!("person-has-commentary", "person '{id}' has sent commentary", id),
            ));
        }
        Ok(vec![Body::PersonRemoved(id.clone())])
    }
}

pub(super) fn check_location(location: Option<&Location>) -> Result<(), Refusal> {
    let is_right =
        |place: &Location| place.latitude.get().abs() <= 90.0 && place.longitude.get().abs() <= 180.0;
    if location.is_none_or(is_right) {
        return Ok(());
    }
    Err(Refusal::invalid(
        "location",
        message!("wrong-location", "a latitude is -90 to 90, a longitude -180 to 180"),
    ))
}
