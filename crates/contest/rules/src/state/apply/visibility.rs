//! What each audience sees of a submission, before and after an event.

use super::Change;
use crate::notices::{Audience, Object};
use crate::state::{Contest, StoredResult, Submission};
use crate::{Instant, JudgementKey, SubmissionNumber};
use model::Nanos;

#[derive(Clone, Copy, PartialEq)]
struct VisibleJudgement {
    key: JudgementKey,
    begun: Option<Instant>,
    result: Option<StoredResult>,
    end: Option<Instant>,
    /// The highest time of a case, if it shows.
    run_time: Option<Nanos>,
    runs: u32,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) struct SubmissionVisibility {
    pub submission: bool,
    public: Option<VisibleJudgement>,
    own: Option<VisibleJudgement>,
}

impl Contest {
    pub(super) fn sight(&self, number: SubmissionNumber) -> SubmissionVisibility {
        let Some(submission) = self.submission(number) else {
            return SubmissionVisibility { submission: false, public: None, own: None };
        };
        self.sight_of(number, submission, self.is_public_submission(submission))
    }

    /// Returns what can be seen of a submission, which the public may know of or not.
    fn sight_of(
        &self,
        number: SubmissionNumber,
        submission: &Submission,
        is_public: bool,
    ) -> SubmissionVisibility {
        let own = self.seen(number, submission);
        let public = own.filter(|_| is_public && !self.is_frozen(submission));
        SubmissionVisibility { submission: is_public, public, own: own.filter(|_| submission.team.is_some()) }
    }

    fn seen(&self, number: SubmissionNumber, submission: &Submission) -> Option<VisibleJudgement> {
        let judgement = submission.current()?;
        let (result, disclosed) = (self.result(submission), self.disclosed(submission));
        let plain = judgement.done.as_ref().filter(|_| result.is_some() && submission.overridden.is_none());
        Some(VisibleJudgement {
            key: JudgementKey { submission: number, number: submission.shown },
            begun: submission.begun,
            result,
            end: result.and_then(|_| submission.end()),
            run_time: plain.filter(|_| disclosed.run_time).and_then(|done| done.max_run_time),
            runs: self.shown_runs(submission) as u32,
        })
    }
}

impl Change<'_> {
    /// Notes what of a submission each audience sees other than before.
    pub(super) fn note_sight(&mut self, number: SubmissionNumber, before: SubmissionVisibility) {
        let after = self.contest.sight(number);
        self.note_difference(number, before, after);
    }

    /// Notes what of a submission each audience sees other than before, where its team and the phase are the same.
    pub(super) fn note_judging(&mut self, number: SubmissionNumber, before: SubmissionVisibility) {
        let Some(submission) = self.contest.submission(number) else { return };
        let after = self.contest.sight_of(number, submission, before.submission);
        self.note_difference(number, before, after);
    }

    pub(super) fn note_difference(
        &mut self,
        number: SubmissionNumber,
        before: SubmissionVisibility,
        after: SubmissionVisibility,
    ) {
        if before == after {
            return;
        }
        if after.submission && !before.submission {
            self.note(Audience::Public, Object::Submission(number), false);
        }
        self.note_seen(&Audience::Public, before.public, after.public);
        if before.submission && !after.submission {
            self.note(Audience::Public, Object::Submission(number), true);
        }
        let team = self.contest.submission(number).and_then(|submission| submission.team.clone());
        // The team gets the public's notices as well.
        if let Some(team) = team.filter(|_| (before.own, after.own) != (before.public, after.public)) {
            self.note_seen(&Audience::Team(team), before.own, after.own);
        }
    }

    fn note_seen(
        &mut self,
        audience: &Audience,
        before: Option<VisibleJudgement>,
        after: Option<VisibleJudgement>,
    ) {
        if before == after {
            return;
        }
        let runs = |key, first, last| Object::Runs { judgement: key, first, last };
        let is_same = before.map(|seen| seen.key) == after.map(|seen| seen.key);
        if let Some(old) = before {
            let remaining = if is_same { after.map_or(0, |seen| seen.runs) } else { 0 };
            if remaining < old.runs {
                self.note(audience.clone(), runs(old.key, remaining + 1, old.runs), true);
            }
            if !is_same {
                self.note(audience.clone(), Object::Judgement(old.key), true);
            }
        }
        let Some(new) = after else { return };
        let of_old = before.filter(|_| is_same);
        let shown = |seen: VisibleJudgement| (seen.begun, seen.result, seen.end, seen.run_time);
        if of_old.is_none_or(|old| shown(old) != shown(new)) {
            self.note(audience.clone(), Object::Judgement(new.key), false);
        }
        let known = of_old.map_or(0, |old| old.runs);
        if new.runs > known {
            self.note(audience.clone(), runs(new.key, known + 1, new.runs), false);
        }
    }
}
