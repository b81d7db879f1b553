//! Events of a contest's settings, people, clarifications, balloons.

use super::Change;
use super::judging::{Judging, account};
use super::sight::Sight;
use crate::board::BoardSide;
use crate::jobs::{self, JobChange};
use crate::notices::{Audience, Object};
use crate::state::{AwardEdit, Changes, Contest, Finalized, Problem, Question, State};
use crate::{
    Actor, Body, Clarification, ContestId, ContestSettings, Event, GroupSettings, JudgementKey, Phase,
    SubmissionNumber, TeamId, TeamSettings,
};
use std::collections::BTreeSet;

/// What all audiences can see of a contest as a whole.
struct Overview {
    phase: Phase,
    submissions: Vec<Sight>,
    public_teams: BTreeSet<TeamId>,
}

impl State {
    pub(super) fn set_contest(
        &mut self,
        id: &ContestId,
        settings: &ContestSettings,
        event: &Event,
        changes: &mut Changes,
    ) {
        let new = || Contest::new(settings.clone(), event.time);
        let contest = self.contests.entry(id.clone()).or_insert_with(new);
        let mut change = Change { id, contest, changes };
        let before = change.overview();
        change.contest.time = change.contest.time.max(event.time);
        change.contest.settings = settings.clone();
        change.note_all(Object::Contest, false);
        change.set_contest_times();
        change.note_overview(&before, true);
    }

    pub(super) fn remove_contest(&mut self, id: &ContestId, changes: &mut Changes) {
        let Some(mut contest) = self.contests.remove(id) else { return };
        for (number, submission) in contest.numbered() {
            for (judgement, entry) in (1..).zip(&submission.judgements) {
                if entry.is_queued {
                    let key = JudgementKey { submission: number, number: judgement };
                    changes.jobs.push(JobChange::Remove(jobs::job_id(id, key)));
                }
            }
        }
        Change { id, contest: &mut contest, changes }.note_all(Object::Contest, true);
    }

    pub(super) fn apply_in_contest(
        &mut self,
        id: &ContestId,
        body: &Body,
        event: &Event,
        changes: &mut Changes,
    ) {
        let Some(contest) = self.contests.get_mut(id) else { return };
        let mut change = Change { id, contest, changes };
        if event.time > change.contest.time {
            // Nothing shows by time alone: a tick comes before whatever else the new time would show.
            let passes =
                change.contest.settings.next_change(change.contest.time).is_some_and(|at| at <= event.time);
            if passes {
                let before = change.overview();
                change.contest.time = event.time;
                change.note_overview(&before, false);
            }
            change.contest.time = event.time;
        }
        let is_requeued = match body {
            Body::ProblemSet(settings) => {
                change.set_problem(settings, event);
                true
            }
            Body::ProblemRemoved(problem) => {
                change.contest.problems.remove(problem);
                let started = change.contest.phase().started;
                change.note_jury_and(started, Object::Problem(problem.clone()), true);
                false
            }
            Body::Finalized { extra_bronze, comment } => {
                let comment = comment.clone();
                change.contest.finalized =
                    Some(Finalized { time: event.time, extra_bronze: *extra_bronze, comment });
                change.note_final();
                false
            }
            Body::Unfinalized { .. } => {
                change.contest.finalized = None;
                change.note_final();
                false
            }
            Body::GroupSet(_)
            | Body::GroupRemoved(_)
            | Body::OrganizationSet(_)
            | Body::OrganizationRemoved(_)
            | Body::TeamSet(_)
            | Body::TeamRemoved(_) => {
                change.apply_people(body);
                false
            }
            Body::ClarificationSent(content) => {
                change.send(content, event);
                false
            }
            Body::ClarificationClaimed { number, until } => {
                let claim = account(&event.actor).zip(*until);
                if let Some(question) =
                    change.contest.clarifications.get_mut((number.0 as usize).wrapping_sub(1))
                {
                    question.claim = claim;
                    change.note_jury(Object::Clarification(*number));
                }
                false
            }
            Body::BalloonDelivered { team, problem } => {
                if let Some(balloon) = change.contest.balloons.get_mut(&(team.clone(), problem.clone())) {
                    balloon.delivered = Some((event.time, account(&event.actor)));
                    let number = balloon.submission;
                    change.note_balloon(Object::Balloon(team.clone(), problem.clone()), number);
                }
                false
            }
            Body::AwardSet { id, citation, teams } => {
                let edit = AwardEdit { citation: citation.clone(), teams: teams.clone() };
                change.contest.awards.insert(id.clone(), edit);
                change.note_all(Object::Awards, false);
                false
            }
            _ => {
                let judging = Judging {
                    hosts: &mut self.judgehosts,
                    pools: &mut self.pools,
                    paused: &self.paused,
                    package_failures: &mut self.package_failures,
                    turns: &mut self.turns,
                };
                change.apply_judging(body, event, judging);
                false
            }
        };
        if is_requeued {
            change.contest.requeue(id, &self.paused, change.changes);
        }
    }
}

impl Change<'_> {
    fn overview(&self) -> Overview {
        let numbers = 1..=self.contest.submissions.len() as u32;
        let teams = self.contest.teams.values().filter(|team| self.contest.is_public_team(team));
        Overview {
            phase: self.contest.phase(),
            submissions: numbers.map(|number| self.contest.sight(SubmissionNumber(number))).collect(),
            public_teams: teams.map(|team| team.id.clone()).collect(),
        }
    }

    /// Notes all that shows other than before, such as after a thaw. What the boards rest on beside their cells may have
    /// changed: then they are noted in any case.
    fn note_overview(&mut self, before: &Overview, is_ranked_anew: bool) {
        let after = self.contest.phase();
        if after.started != before.phase.started {
            for problem in self.contest.problems.keys().cloned().collect::<Vec<_>>() {
                self.note(Audience::Public, Object::Problem(problem), before.phase.started);
            }
        }
        let teams: BTreeSet<TeamId> = {
            let teams = self.contest.teams.values().filter(|team| self.contest.is_public_team(team));
            teams.map(|team| team.id.clone()).collect()
        };
        for team in teams.symmetric_difference(&before.public_teams) {
            self.note(Audience::Public, Object::Team(team.clone()), before.public_teams.contains(team));
        }
        for (number, sight) in (1..).map(SubmissionNumber).zip(&before.submissions) {
            self.note_sight(number, *sight);
        }
        let boards = self.contest.boards.clone();
        self.contest.rebuild_boards();
        if after != before.phase {
            self.note_all(Object::State, false);
        }
        let is_other = is_ranked_anew || after != before.phase || teams != before.public_teams;
        let public =
            is_other || !boards.is_same(BoardSide::Public, &self.contest.boards, |team| teams.contains(team));
        let jury = is_other || !boards.is_same(BoardSide::Jury, &self.contest.boards, |_| true);
        for (audience, is_changed) in [(Audience::Public, public), (Audience::Jury, jury)] {
            if is_changed {
                self.note(audience.clone(), Object::Board, false);
                self.note(audience, Object::Awards, false);
            }
        }
        self.note_balloons(before.phase.hides_results() && !after.hides_results());
    }

    /// Works out the contest's time of everything that has one.
    fn set_contest_times(&mut self) {
        let settings = self.contest.settings.clone();
        let time = |at| settings.contest_time(at).unwrap_or_default();
        for submission in &mut self.contest.submissions {
            submission.contest_time = time(submission.time);
        }
        for question in &mut self.contest.clarifications {
            question.contest_time = time(question.time);
        }
    }

    fn note_jury_and(&mut self, is_public: bool, object: Object, is_gone: bool) {
        if is_public {
            self.note(Audience::Public, object.clone(), is_gone);
        }
        self.note(Audience::Jury, object, is_gone);
    }

    fn note_final(&mut self) {
        for object in [Object::State, Object::Awards, Object::Board] {
            self.note_all(object, false);
        }
    }

    fn set_problem(&mut self, settings: &crate::ProblemSettings, event: &Event) {
        let before = self.overview();
        let old = self.contest.problems.get(&settings.id);
        let added_by = match old {
            Some(old) if old.settings.package == settings.package => old.added_by.clone(),
            _ => account(&event.actor),
        };
        self.contest.problems.insert(settings.id.clone(), Problem { settings: settings.clone(), added_by });
        let started = self.contest.phase().started;
        self.note_jury_and(started, Object::Problem(settings.id.clone()), false);
        self.note_overview(&before, true);
    }

    fn apply_people(&mut self, body: &Body) {
        match body {
            Body::TeamSet(settings) => return self.set_team(settings),
            Body::TeamRemoved(id) => {
                let removed = self.contest.teams.remove(id);
                let was_public = removed.is_some_and(|team| self.contest.is_public_team(&team));
                for (object, is_gone) in [(Object::Team(id.clone()), true), (Object::Board, false)] {
                    self.note_jury_and(was_public, object, is_gone);
                }
                return;
            }
            _ => {}
        }
        let before = self.overview();
        match body {
            Body::GroupSet(settings) => {
                let old = self.contest.groups.insert(settings.id.clone(), settings.clone());
                let was_public = old.is_some_and(|old| !old.is_hidden);
                let object = Object::Group(settings.id.clone());
                if was_public || !settings.is_hidden {
                    self.note(Audience::Public, object.clone(), settings.is_hidden);
                }
                self.note_jury(object);
                // Teams show their visible groups.
                if was_public == settings.is_hidden {
                    self.note_members(settings);
                }
            }
            Body::GroupRemoved(id) => {
                let was_hidden = self.contest.groups.remove(id).is_none_or(|group| group.is_hidden);
                self.note_jury_and(!was_hidden, Object::Group(id.clone()), true);
            }
            Body::OrganizationSet(settings) => {
                self.contest.organizations.insert(settings.id.clone(), settings.clone());
                self.note_all(Object::Organization(settings.id.clone()), false);
            }
            Body::OrganizationRemoved(id) => {
                self.contest.organizations.remove(id);
                self.note_all(Object::Organization(id.clone()), true);
            }
            _ => return,
        }
        self.note_overview(&before, true);
    }

    /// Adds or changes a team, and notes what shows of it other than before.
    fn set_team(&mut self, settings: &TeamSettings) {
        let id = &settings.id;
        let is_shown =
            |contest: &Contest| contest.teams.get(id).is_some_and(|team| contest.is_public_team(team));
        let was_public = is_shown(self.contest);
        let numbers: Vec<SubmissionNumber> = self.contest.boards.of_team(id).collect();
        let before: Vec<Sight> = numbers.iter().map(|number| self.contest.sight(*number)).collect();
        self.contest.teams.insert(id.clone(), settings.clone());
        let is_public = is_shown(self.contest);
        let object = Object::Team(id.clone());
        self.note(Audience::Team(id.clone()), object.clone(), false);
        self.note_jury(object.clone());
        for other in [Object::Board, Object::Awards] {
            if was_public || is_public {
                self.note(Audience::Public, other.clone(), false);
            }
            self.note_jury(other);
        }
        if was_public || is_public {
            self.note(Audience::Public, object, !is_public);
        }
        for (number, sight) in numbers.iter().zip(before) {
            self.note_sight(*number, sight);
        }
        if is_public && !was_public && !numbers.is_empty() {
            self.note_balloons(false);
        }
    }

    fn note_members(&mut self, group: &GroupSettings) {
        let members = self.contest.teams.values().filter(|team| team.groups.contains(&group.id));
        for team in members.map(|team| team.id.clone()).collect::<Vec<_>>() {
            let is_public =
                self.contest.teams.get(&team).is_some_and(|entry| self.contest.is_public_team(entry));
            if is_public {
                self.note(Audience::Public, Object::Team(team.clone()), false);
            }
            self.note(Audience::Team(team.clone()), Object::Team(team), false);
        }
    }

    fn send(&mut self, content: &Clarification, event: &Event) {
        if content.number.0 as usize != self.contest.clarifications.len() + 1 {
            return;
        }
        if content.from_team.is_none()
            && let Some(parent) = content.reply_to
            && let Some(question) = self.contest.clarifications.get_mut((parent.0 as usize).wrapping_sub(1))
        {
            question.claim = None;
            let asker = question.content.from_team.clone().filter(|_| !question.is_answered);
            question.is_answered = true;
            self.note_jury(Object::Clarification(parent));
            if let Some(team) = asker {
                self.note(Audience::Team(team), Object::Clarification(parent), false);
            }
        }
        let contest_time = self.contest.contest_time(event.time);
        let by = match &event.actor {
            Actor::Account(account, _) => Some(account.clone()),
            _ => None,
        };
        let is_answered = content.from_team.is_none();
        self.contest.clarifications.push(Question {
            content: content.clone(),
            time: event.time,
            contest_time,
            by,
            claim: None,
            is_answered,
        });
        let object = Object::Clarification(content.number);
        self.note_jury(object.clone());
        match self.contest.recipients(content) {
            None => self.note(Audience::Public, object, false),
            Some(teams) => {
                for team in teams {
                    self.note(Audience::Team(team), object.clone(), false);
                }
            }
        }
    }
}
