//! What everybody can see of a contest as a whole, before and after an event.

use super::Change;
use super::clarifications::ClarificationVisibility;
use super::visibility::SubmissionVisibility;
use crate::board::BoardSide;
use crate::notices::{Audience, Object};
use crate::view::StateView;
use crate::{
    CommentaryNumber, FileOwner, FileProperty, OrganizationId, PersonId, PersonSettings, Phase,
    SubmissionNumber, TeamId,
};
use std::collections::BTreeSet;

pub(super) struct Overview {
    phase: Phase,
    state: StateView,
    submissions: Vec<SubmissionVisibility>,
    clarifications: Vec<ClarificationVisibility>,
    teams: BTreeSet<TeamId>,
    hidden_organizations: BTreeSet<OrganizationId>,
    people: People,
}

/// What follows from which teams are public.
pub(super) struct People {
    persons: BTreeSet<PersonId>,
    commentary: Vec<bool>,
}

impl People {
    pub(super) fn has(&self, person: &PersonSettings) -> bool {
        self.persons.contains(&person.id)
    }
}

impl Change<'_> {
    pub(super) fn overview(&self) -> Overview {
        let numbers = 1..=self.contest.submissions.len() as u32;
        let teams = self.contest.teams.values().filter(|team| self.contest.is_public_team(team));
        Overview {
            phase: self.contest.phase(),
            state: self.contest.happened(),
            clarifications: self.contest.shown_clarifications(),
            submissions: numbers.map(|number| self.contest.sight(SubmissionNumber(number))).collect(),
            teams: teams.map(|team| team.id.clone()).collect(),
            hidden_organizations: self.contest.hidden_organizations(),
            people: self.people(),
        }
    }

    pub(super) fn people(&self) -> People {
        self.people_of(self.contest.persons.values())
    }

    /// Returns the same as if there were no other persons: thousands may come at once.
    pub(super) fn people_with(&self, person: &PersonId) -> People {
        self.people_of(self.contest.persons.get(person))
    }

    fn people_of<'a>(&self, persons: impl IntoIterator<Item = &'a PersonSettings>) -> People {
        let persons = persons.into_iter().filter(|person| self.contest.is_public_person(person));
        People {
            persons: persons.map(|person| person.id.clone()).collect(),
            commentary: self
                .contest
                .commentary
                .iter()
                .map(|remark| self.contest.is_public_remark(remark))
                .collect(),
        }
    }

    /// Notes all that shows other than before, such as after a thaw: what appears before what refers to it, what vanishes
    /// after that. The inputs of the boards other than their cells may have changed: then they are noted in any case.
    pub(super) fn note_overview(&mut self, before: &Overview, is_ranked_anew: bool) {
        let after = self.overview();
        let boards = self.contest.boards.clone();
        self.contest.rebuild_boards();
        let has_started = after.phase.started && !before.phase.started;
        let is_unstarted = before.phase.started && !after.phase.started;
        if has_started {
            self.note_problems(false);
        }
        self.note_appeared_organizations(&before.hidden_organizations, &after.hidden_organizations);
        for team in after.teams.difference(&before.teams) {
            self.note(Audience::Public, Object::Team(team.clone()), false);
        }
        if before.phase.hides_results() != after.phase.hides_results() {
            self.note_live_files();
        }
        let toggled: BTreeSet<TeamId> = after.teams.symmetric_difference(&before.teams).cloned().collect();
        self.note_vanished_commentary(&before.people, &after.people);
        self.note_appeared_persons(&before.people, &after.people, &toggled);
        for (number, (old, new)) in
            (1..).map(SubmissionNumber).zip(before.submissions.iter().zip(&after.submissions))
        {
            self.note_difference(number, *old, *new);
        }
        self.note_clarifications(&before.clarifications, &after.clarifications);
        self.note_appeared_commentary(&before.people, &after.people);
        let is_other = is_ranked_anew
            || after.phase != before.phase
            || after.teams != before.teams
            || after.hidden_organizations != before.hidden_organizations;
        let is_shown = |team: &TeamId| after.teams.contains(team);
        let public = is_other || !boards.is_same(BoardSide::Public, &self.contest.boards, is_shown);
        let jury = is_other || !boards.is_same(BoardSide::Jury, &self.contest.boards, |_| true);
        for (audience, is_changed) in [(Audience::Public, public), (Audience::Jury, jury)] {
            if is_changed {
                self.note(audience.clone(), Object::Board, false);
                self.note(audience, Object::Awards, false);
            }
        }
        self.note_vanished_persons(&before.people, &after.people);
        for team in before.teams.difference(&after.teams) {
            self.note(Audience::Public, Object::Team(team.clone()), true);
            self.note(Audience::Team(team.clone()), Object::Team(team.clone()), false);
        }
        self.note_vanished_organizations(&before.hidden_organizations, &after.hidden_organizations);
        if is_unstarted {
            self.note_problems(true);
        }
        self.note_balloons(before.phase.hides_results() && !after.phase.hides_results());
        if after.state != before.state {
            self.note_all(Object::State, false);
        }
    }

    fn note_problems(&mut self, is_gone: bool) {
        for problem in self.contest.problems.keys().cloned().collect::<Vec<_>>() {
            self.note(Audience::Public, Object::Problem(problem), is_gone);
        }
    }

    /// Notes what has files that the public sees only while the board is not frozen.
    fn note_live_files(&mut self) {
        let is_live = |property: &FileProperty| property.is_live();
        let with_live = self.contest.files.iter().filter(|(_, files)| files.keys().any(is_live));
        for owner in with_live.map(|(owner, _)| owner.clone()).collect::<Vec<_>>() {
            match owner {
                FileOwner::Team(team) => self.note_team(&team),
                FileOwner::Submission(number) => self.note_submission(number),
                FileOwner::Contest | FileOwner::Organization(_) | FileOwner::Person(_) => {}
            }
        }
    }

    /// Notes persons that appear, and those whose teams do or vanish.
    pub(super) fn note_appeared_persons(
        &mut self,
        before: &People,
        after: &People,
        teams: &BTreeSet<TeamId>,
    ) {
        for id in &after.persons {
            let is_other =
                self.contest.persons.get(id).is_some_and(|person| !person.teams.is_disjoint(teams));
            if is_other || !before.persons.contains(id) {
                self.note(Audience::Public, Object::Person(id.clone()), false);
            }
        }
    }

    pub(super) fn note_vanished_persons(&mut self, before: &People, after: &People) {
        for id in before.persons.difference(&after.persons) {
            self.note(Audience::Public, Object::Person(id.clone()), true);
            // Each team still sees its own.
            let person = self.contest.persons.get(id);
            for team in person.map(|person| person.teams.clone()).unwrap_or_default() {
                self.note(Audience::Team(team), Object::Person(id.clone()), false);
            }
        }
    }

    pub(super) fn note_vanished_commentary(&mut self, before: &People, after: &People) {
        for (number, (old, new)) in (1..).zip(before.commentary.iter().zip(&after.commentary)) {
            if *old && !*new {
                self.note(Audience::Public, Object::Commentary(CommentaryNumber(number)), true);
            }
        }
    }

    /// Notes commentary that appears, and that of a person who is public now or no more.
    pub(super) fn note_appeared_commentary(&mut self, before: &People, after: &People) {
        let toggled = |person: &PersonId| before.persons.contains(person) != after.persons.contains(person);
        for (index, (old, new)) in before.commentary.iter().zip(&after.commentary).enumerate() {
            let is_other = self.contest.commentary[index].content.source.as_ref().is_some_and(toggled);
            if *new && (!*old || is_other) {
                let number = CommentaryNumber(index as u32 + 1);
                self.note(Audience::Public, Object::Commentary(number), false);
            }
        }
    }
}
