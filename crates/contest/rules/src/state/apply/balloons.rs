//! Balloons: one for each team and problem, shown to those on site when the public board shows it.

use super::Change;
use crate::notices::{Audience, Object};
use crate::state::Balloon;
use crate::{ProblemId, SubmissionNumber, TeamId};

impl Change<'_> {
    /// Makes a balloon, once for each team and problem.
    pub(super) fn add_balloon(&mut self, team: &TeamId, problem: &ProblemId, number: SubmissionNumber) {
        let key = (team.clone(), problem.clone());
        let old = self.contest.balloons.get(&key).cloned();
        // One that the freeze hides shows once an earlier submission turns out to have solved the problem.
        let is_better = |old: &Balloon| self.is_frozen(old.submission) && !self.is_frozen(number);
        if !old.as_ref().is_none_or(is_better) {
            return;
        }
        let (time, delivered) = (self.contest.time, old.and_then(|old| old.delivered));
        self.contest.balloons.insert(key, Balloon { submission: number, time, delivered });
        self.note_balloon(Object::Balloon(team.clone(), problem.clone()), number);
    }

    fn is_frozen(&self, number: SubmissionNumber) -> bool {
        self.contest.submission(number).is_some_and(|submission| self.contest.is_frozen(submission))
    }

    /// Notes a balloon for a submission; to those on site only if the freeze does not hide it.
    pub(super) fn note_balloon(&mut self, balloon: Object, number: SubmissionNumber) {
        if !self.is_frozen(number) {
            self.note(Audience::Staff, balloon.clone(), false);
        }
        self.note_jury(balloon);
    }

    /// Makes balloons for what is solved and had none, and shows those that the freeze hid.
    pub(super) fn note_balloons(&mut self, is_thawed: bool) {
        if is_thawed {
            for (team, problem) in self.contest.balloons.keys().cloned().collect::<Vec<_>>() {
                self.note(Audience::Staff, Object::Balloon(team, problem), false);
            }
        }
        for (team, problem, number) in self.contest.solved() {
            self.add_balloon(&team, &problem, number);
        }
    }
}
