//! Decisions of the jury about single submissions, and balloons.

use super::{InContest, check_optional_text, check_text};
use crate::{
    Body, JudgementKey, JudgementReason, Outcome, ProblemId, Refusal, Score, Scoring, SubmissionNumber,
    TeamId,
};
use model::{Verdict, message};

impl InContest<'_> {
    pub(super) fn ignore(
        &self,
        number: SubmissionNumber,
        is_ignored: bool,
        reason: String,
    ) -> Result<Vec<Body>, Refusal> {
        self.not_final()?;
        check_text("reason", &reason)?;
        if self.submission(number)?.ignored.is_some() == is_ignored {
            let message = match is_ignored {
                true => {
                    message!("submission-ignored-already", "submission {number} is ignored already", number)
                }
                false => message!("submission-not-ignored", "submission {number} is not ignored", number),
            };
            return Err(Refusal::conflict("unchanged", message));
        }
        Ok(vec![Body::SubmissionIgnored { submission: number, is_ignored, reason }])
    }

    pub(super) fn judge(&self, number: SubmissionNumber) -> Result<Vec<Body>, Refusal> {
        let submission = self.submission(number)?;
        if submission.judgements.iter().any(|judgement| judgement.is_open() || judgement.done.is_some()) {
            let message = message!(
                "submission-judged-already",
                "submission {number} is judged already; open a rejudging",
                number
            );
            return Err(Refusal::conflict("judged", message));
        }
        let first = submission.judgements.len() as u32 + 1;
        Ok(self.first_judgements(number, first, JudgementReason::OnDemand))
    }

    pub(super) fn set_verdict(
        &self,
        number: SubmissionNumber,
        outcome: Option<Outcome>,
        reason: String,
    ) -> Result<Vec<Body>, Refusal> {
        self.not_final()?;
        check_text("reason", &reason)?;
        let submission = self.submission(number)?;
        match outcome {
            Some(outcome) if outcome.verdict.0 == Verdict::JudgingError => {
                return Err(Refusal::invalid(
                    "outcome",
                    message!("verdict-is-judging-error", "a judging error cannot be set as a verdict"),
                ));
            }
            Some(outcome) => self.check_score(&submission.problem, outcome.score)?,
            None if submission.overridden.is_none() => {
                let message = message!(
                    "verdict-not-overridden",
                    "the verdict of submission {number} was not set by hand",
                    number
                );
                return Err(Refusal::conflict("unchanged", message));
            }
            None => {}
        }
        // A verdict belongs to a judgement, also where nothing was judged.
        let mut bodies = Vec::new();
        if submission.judgements.is_empty() {
            let judgement = JudgementKey { submission: number, number: 1 };
            let pool = self.contest.settings.strict_pool.clone();
            bodies.push(Body::JudgementOpened { judgement, reason: JudgementReason::OnDemand, pool });
        }
        bodies.push(Body::VerdictOverridden { submission: number, verdict: outcome, reason });
        Ok(bodies)
    }

    pub(super) fn check_score(&self, problem: &ProblemId, score: Option<Score>) -> Result<(), Refusal> {
        let max = self.problem(problem)?.settings.max_score.unwrap_or(Score(i64::MAX));
        match (self.contest.settings.scoring, score) {
            (Scoring::Points { .. }, Some(score)) if score < Score(0) || score > max => {
                let (score, max) = (score.0 as f64 / 1e6, max.0 as f64 / 1e6);
                Err(Refusal::invalid(
                    "score",
                    message!(
                        "score-out-of-range",
                        "a score of {score} is not between 0 and {max}",
                        score,
                        max
                    ),
                ))
            }
            (Scoring::Points { .. }, None) => Err(Refusal::invalid(
                "score",
                message!("score-missing", "a contest with points needs a score"),
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn verify_judgement(&self, key: JudgementKey, comment: String) -> Result<Vec<Body>, Refusal> {
        check_optional_text("comment", &comment)?;
        let (submission, judgement) = self.judgement(key)?;
        let Some(account) = &self.context.caller.account else {
            return Err(Refusal::forbidden(message!(
                "judgement-needs-person",
                "a judgement is verified by a person"
            )));
        };
        // A verdict that was set by hand is what is verified, if there is one.
        let overridden = submission.overridden.as_ref();
        if judgement.done.is_none() && overridden.is_none() {
            return Err(Refusal::conflict(
                "not-judged",
                message!("judgement-not-done", "judgement {key} is not done", key),
            ));
        }
        if submission.current != key.number && (overridden.is_some() || !submission.waits_for_replicas()) {
            return Err(Refusal::conflict(
                "not-current",
                message!("judgement-not-current", "judgement {key} does not count", key),
            ));
        }
        let verified = overridden.map_or(&judgement.verified, |overridden| &overridden.verified);
        if let Some((by, _)) = verified {
            return Err(Refusal::conflict(
                "verified",
                message!("verified-already", "'{by}' has verified it already", by),
            ));
        }
        if overridden.is_some_and(|overridden| overridden.by.as_ref() == Some(account)) {
            return Err(Refusal::forbidden(message!(
                "verdict-by-same-account",
                "the verdict was set by the same account; a second person must verify it"
            )));
        }
        let mut bodies = Vec::new();
        if submission.current != key.number {
            // Of replicas that differ, the verified one counts.
            self.not_final()?;
            bodies.push(Body::JudgementsCurrent(vec![key]));
        }
        bodies.push(Body::Verified { judgement: key, comment });
        Ok(bodies)
    }

    pub(super) fn deliver_balloon(&self, team: TeamId, problem: ProblemId) -> Result<Vec<Body>, Refusal> {
        let none = || Refusal::not_found("balloon", format!("{problem} for {team}"));
        // A caller who must not know of it cannot deliver it.
        let view = self.context.state.view(self.context.caller, self.id)?;
        let balloons = view.balloons()?;
        let balloon = balloons
            .iter()
            .find(|entry| *entry.team == team && *entry.problem == problem)
            .ok_or_else(none)?;
        if let Some((_, by)) = balloon.delivered {
            let message = match by {
                Some(by) => message!("delivered-already-by", "it was delivered already by '{by}'", by),
                None => message!("delivered-already", "it was delivered already"),
            };
            return Err(Refusal::conflict("delivered", message));
        }
        Ok(vec![Body::BalloonDelivered { team, problem }])
    }
}
