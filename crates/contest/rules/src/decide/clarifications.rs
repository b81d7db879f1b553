//! Decisions about clarifications.

use super::{InContest, check_known, check_text};
use crate::state::Question;
use crate::{Body, Clarification, ClarificationNumber, Millis, Refusal, Role, SendClarification};
use model::{Counted, message};

const CLAIM: Millis = Millis::minutes(10);
/// The most questions of a team that wait for an answer.
const WAITING_MAX: usize = 20;

impl InContest<'_> {
    pub(super) fn send_clarification(&self, content: SendClarification) -> Result<Vec<Body>, Refusal> {
        check_text("text", &content.text)?;
        let is_team = self.context.caller.is(Role::Team);
        let from_team = self.sending_team(&content)?;
        if let Some(team) = &from_team
            && !(content.to_teams.is_empty() && content.to_groups.is_empty())
        {
            return Err(Refusal::invalid(
                "to_teams",
                message!("team-writes-to-jury", "team '{team}' writes to the jury only", team),
            ));
        }
        self.check_teams("to_teams", &content.to_teams)?;
        check_known("to_groups", "group", &self.contest.groups, &content.to_groups)?;
        let view = self.context.state.view(self.context.caller, self.id)?;
        if let Some(problem) = &content.problem {
            view.problem(problem).map_err(|refusal| Refusal::invalid("problem", refusal.message))?;
        }
        let categories = &self.contest.settings.clarification_categories;
        if let Some(category) = content.category.as_ref().filter(|category| !categories.contains(category)) {
            let message = message!(
                "category-unknown",
                "there is no category '{category}'; use one of {categories}",
                category,
                categories = categories.join(", ")
            );
            return Err(Refusal::invalid("category", message));
        }
        if let Some(parent) = content.reply_to {
            view.clarification(parent).map_err(|refusal| Refusal::invalid("reply_to", refusal.message))?;
            if from_team.is_none() && !content.again {
                self.check_unanswered(parent)?;
            }
        }
        if let Some(team) = from_team.as_ref().filter(|_| is_team) {
            let waits =
                |entry: &&Question| !entry.is_answered && entry.content.from_team.as_ref() == Some(team);
            if self.contest.clarifications.iter().filter(waits).count() >= WAITING_MAX {
                let message = message!(
                    "too-many-questions",
                    "{count} of the team wait for an answer",
                    count = Counted(WAITING_MAX, "question")
                );
                return Err(Refusal::too_many("too-many-clarifications", message));
            }
        }
        let number = ClarificationNumber(self.contest.clarifications.len() as u32 + 1);
        let last = self.contest.clarifications.last().map(|entry| entry.time);
        self.check_sent(content.time, content.number.map(|asked| (asked.0, number.0)), last)?;
        self.check_contest_time(content.contest_time, content.time)?;
        Ok(vec![Body::ClarificationSent(Box::new(Clarification {
            number,
            from_team,
            to_teams: content.to_teams,
            to_groups: content.to_groups,
            reply_to: content.reply_to,
            problem: content.problem,
            category: content.category,
            text: content.text,
            time: content.time,
        }))])
    }

    fn sending_team(&self, content: &SendClarification) -> Result<Option<crate::TeamId>, Refusal> {
        let caller = self.context.caller;
        if !caller.is(Role::Team) {
            self.check_teams("from_team", &content.from_team)?;
            return Ok(content.from_team.clone());
        }
        let own = caller
            .team
            .clone()
            .ok_or_else(|| Refusal::forbidden(message!("account-without-team", "the account has no team")))?;
        if content.from_team.as_ref().is_some_and(|asked| *asked != own) {
            return Err(Refusal::forbidden(message!(
                "account-writes-for-own-team",
                "the account writes for team '{own}' only",
                own
            )));
        }
        Ok(Some(own))
    }

    fn question(&self, number: ClarificationNumber) -> Result<&Question, Refusal> {
        self.contest.question(number).ok_or_else(|| Refusal::not_found("clarification", number))
    }

    /// Refuses a second answer, and one while another account has claimed the question.
    fn check_unanswered(&self, number: ClarificationNumber) -> Result<(), Refusal> {
        let entry = self.question(number)?;
        if entry.is_answered && entry.content.from_team.is_some() {
            return Err(Refusal::conflict(
                "answered",
                message!("clarification-answered", "clarification {number} has been answered", number),
            ));
        }
        if let Some((by, until)) = &entry.claim
            && *until > self.context.now
            && self.context.caller.account.as_ref() != Some(by)
        {
            let left = (*until - self.context.now).0 / 1000 + 1;
            let message = message!(
                "clarification-claimed",
                "'{by}' is answering clarification {number}, for {seconds} s more",
                by,
                number,
                seconds = left
            );
            return Err(Refusal::conflict("claimed", message));
        }
        Ok(())
    }

    pub(super) fn claim_clarification(&self, number: ClarificationNumber) -> Result<Vec<Body>, Refusal> {
        self.check_unanswered(number)?;
        if self.question(number)?.content.from_team.is_none() {
            return Err(Refusal::conflict(
                "no-question",
                message!("clarification-needs-no-answer", "clarification {number} needs no answer", number),
            ));
        }
        if self.context.caller.account.is_none() {
            return Err(Refusal::forbidden(message!(
                "clarification-needs-person",
                "a clarification is answered by a person"
            )));
        }
        Ok(vec![Body::ClarificationClaimed { number, until: Some(self.context.now + CLAIM) }])
    }

    pub(super) fn release_clarification(&self, number: ClarificationNumber) -> Result<Vec<Body>, Refusal> {
        let own = |entry: &Question| {
            let account = self.context.caller.account.as_ref();
            entry
                .claim
                .as_ref()
                .is_some_and(|(by, _)| Some(by) == account || self.context.caller.is(Role::Admin))
        };
        if !own(self.question(number)?) {
            return Err(Refusal::conflict(
                "not-claimed",
                message!("clarification-not-yours", "clarification {number} is not the caller's", number),
            ));
        }
        Ok(vec![Body::ClarificationClaimed { number, until: None }])
    }
}
