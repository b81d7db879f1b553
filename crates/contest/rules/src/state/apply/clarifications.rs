//! Clarifications: new ones, and what shows of them when teams, groups or the phase change.

use super::Change;
use crate::notices::{Audience, Object};
use crate::state::{Contest, Question};
use crate::{AccountId, Clarification, ClarificationNumber, GroupId, Instant, TeamId};
use std::collections::BTreeSet;

#[derive(PartialEq)]
pub(super) struct ClarificationVisibility {
    /// For whom it is; `None` for everybody.
    teams: Option<BTreeSet<TeamId>>,
    groups: BTreeSet<GroupId>,
    /// For whom is what it answers.
    parent: Option<BTreeSet<TeamId>>,
    has_problem: bool,
    shows_problem: bool,
}

impl Contest {
    pub(super) fn shown_clarifications(&self) -> Vec<ClarificationVisibility> {
        let started = self.phase().started;
        let is_shown = |id: &&GroupId| self.groups.get(*id).is_some_and(|group| !group.is_hidden);
        let shown = self.clarifications.iter().map(|Question { content, .. }| {
            let has_problem = content.problem.as_ref().is_some_and(|id| self.problems.contains_key(id));
            let parent = content.reply_to.and_then(|ClarificationNumber(parent)| {
                self.clarifications.get((parent as usize).wrapping_sub(1))
            });
            ClarificationVisibility {
                parent: parent.and_then(|parent| self.recipients(&parent.content)),
                teams: self.recipients(content),
                groups: content.to_groups.iter().filter(is_shown).cloned().collect(),
                has_problem,
                shows_problem: has_problem && started,
            }
        });
        shown.collect()
    }
}

impl Change<'_> {
    pub(super) fn note_clarifications(
        &mut self,
        before: &[ClarificationVisibility],
        after: &[ClarificationVisibility],
    ) {
        for ((number, old), new) in (1..).map(ClarificationNumber).zip(before).zip(after) {
            if old == new {
                continue;
            }
            let object = Object::Clarification(number);
            if old.has_problem != new.has_problem {
                self.note_jury(object.clone());
            }
            let (Some(were), Some(are)) = (&old.teams, &new.teams) else {
                self.note(Audience::Public, object, false);
                continue;
            };
            for team in were.union(are) {
                self.note(Audience::Team(team.clone()), object.clone(), !are.contains(team));
            }
        }
    }

    pub(super) fn send(&mut self, content: &Clarification, by: Option<AccountId>, time: Instant) {
        if content.number.0 as usize != self.contest.clarifications.len() + 1 {
            return;
        }
        if content.from_team.is_none()
            && let Some(parent) = content.reply_to
            && let Some(question) = self.contest.question_mut(parent)
        {
            question.claim = None;
            let asker = question.content.from_team.clone().filter(|_| !question.is_answered);
            question.is_answered = true;
            self.note_jury(Object::Clarification(parent));
            if let Some(team) = asker {
                self.note(Audience::Team(team), Object::Clarification(parent), false);
            }
        }
        let contest_time = self.contest.contest_time(time);
        let is_answered = content.from_team.is_none();
        self.contest.clarifications.push(Question {
            content: content.clone(),
            time,
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
