//! Decisions about the contest and its problems.

use super::{
    Context, InContest, check_hash, check_known, check_length, check_name, check_optional, check_text, find,
};
use crate::{
    Body, ContestId, ContestSettings, DURATION_MAX, Event, Instant, Millis, ProblemId, ProblemSettings,
    REPLICAS_MAX, Refusal, RemovedInterval, STATEMENTS_MAX, Score, Scoring, TeamId,
};
use model::{Bytes, Nanos};
use std::collections::BTreeSet;

/// The most teams that an award can name, and the most entries of any list in the settings.
const LIST_MAX: usize = 10_000;
const AWARDS_MAX: usize = 1000;
const LABEL_LENGTH_MAX: usize = 10;

impl Context<'_> {
    pub(super) fn set_contest(
        &self,
        id: &ContestId,
        settings: ContestSettings,
    ) -> Result<Vec<Event>, Refusal> {
        check_settings(&settings)?;
        if let Some(old) = self.state.contests.get(id) {
            if old.finalized.is_some() {
                return Err(Refusal::conflict("final", "the result is final; open it again first"));
            }
            check_known("main_group", "group", &old.groups, &settings.main_group)?;
            check_known("registration", "group", &old.groups, &settings.registration.group_id)?;
        }
        Ok(vec![self.event(Some(id), Body::ContestSet(Box::new(settings)))])
    }

    pub(super) fn remove_contest(&self, id: &ContestId) -> Result<Vec<Event>, Refusal> {
        let contest = find("contest", &self.state.contests, id)?;
        if contest.submissions.iter().any(|submission| submission.team.is_some()) {
            return Err(Refusal::conflict("in-use", "the contest has submissions of teams"));
        }
        if let Some(account) =
            self.state.accounts.values().find(|account| account.settings.contests.contains(id))
        {
            let account = &account.settings.id;
            return Err(Refusal::conflict("in-use", format!("account '{account}' is bound to the contest")));
        }
        Ok(vec![self.event(Some(id), Body::ContestRemoved)])
    }
}

pub(super) fn check_settings(settings: &ContestSettings) -> Result<(), Refusal> {
    check_name("name", &settings.name)?;
    check_optional("formal_name", settings.formal_name.as_deref())?;
    let invalid = |field, message: &str| Err(Refusal::invalid(field, message));
    if settings.duration <= Millis::ZERO || settings.duration > DURATION_MAX {
        return invalid("duration", "the duration must be positive, and at most 366 days");
    }
    if settings.freeze.is_some_and(|freeze| freeze < Millis::ZERO || freeze > settings.duration) {
        return invalid("freeze", "the freeze must lie within the contest");
    }
    if settings.start.is_some() && settings.countdown_pause.is_some() {
        return invalid("countdown_pause", "the countdown is paused only while there is no start");
    }
    if settings.countdown_pause.is_some_and(|pause| pause < Millis::ZERO) {
        return invalid("countdown_pause", "the time left to the start cannot be negative");
    }
    check_removed(settings.start, &settings.removed)?;
    super::people::check_location(settings.location.as_ref())?;
    if let Scoring::PassFail { penalty, .. } = settings.scoring
        && (penalty < Millis::ZERO || penalty > settings.duration)
    {
        return invalid("penalty", "the penalty must be between 0 and the duration");
    }
    if settings.fast_pool.as_ref() == Some(&settings.strict_pool) {
        return invalid("fast_pool", "the fast pool is the strict one; leave it out");
    }
    if !(1..=REPLICAS_MAX).contains(&settings.replicas) {
        return invalid("replicas", "there must be 1 to 10 replicas");
    }
    let limits = &settings.submission_limits;
    if limits.per_minute == 0 || limits.in_all == 0 || limits.files == 0 || limits.bytes == Bytes(0) {
        return invalid("submission_limits", "a limit of 0 would refuse every submission");
    }
    for category in &settings.clarification_categories {
        check_name("clarification_categories", category)?;
    }
    let categories: BTreeSet<&String> = settings.clarification_categories.iter().collect();
    if categories.len() != settings.clarification_categories.len() {
        return invalid("clarification_categories", "a category is listed twice");
    }
    settings.canned_answers.iter().try_for_each(|answer| check_text("canned_answers", answer))?;
    if settings.canned_answers.len() > LIST_MAX || settings.clarification_categories.len() > LIST_MAX {
        return invalid("canned_answers", "a list has more than 10000 entries");
    }
    Ok(())
}

/// Checks that removed intervals are in order, apart, and after the start.
pub(super) fn check_removed(start: Option<Instant>, removed: &[RemovedInterval]) -> Result<(), Refusal> {
    let invalid = |message: &str| Err(Refusal::invalid("removed", message));
    let mut last = start;
    for (at, interval) in removed.iter().enumerate() {
        if start.is_none() {
            return invalid("there is no start, so nothing can be removed");
        }
        if last.is_some_and(|last| interval.begin < last) {
            return invalid("the intervals must be in order, apart, and after the start");
        }
        match interval.end {
            Some(end) if end <= interval.begin => return invalid("an interval ends before it begins"),
            None if at + 1 < removed.len() => return invalid("only the last interval may have no end"),
            end => last = end,
        }
    }
    Ok(())
}

impl InContest<'_> {
    pub(super) fn set_problem(&self, mut settings: ProblemSettings) -> Result<Vec<Body>, Refusal> {
        self.not_final()?;
        check_name("name", &settings.name)?;
        check_name("label", &settings.label)?;
        check_length("label", &settings.label, LABEL_LENGTH_MAX)?;
        check_hash("package", &settings.package.0)?;
        check_optional("uuid", settings.uuid.as_deref())?;
        let invalid = |field, message: String| Err(Refusal::invalid(field, message));
        for other in self.contest.problems.values().map(|problem| &problem.settings) {
            if other.id != settings.id && other.label == settings.label {
                return invalid(
                    "label",
                    format!(
                        "problem '{}' has the label '{}' already; give another one",
                        other.id, other.label
                    ),
                );
            }
            if other.id != settings.id && other.ordinal == settings.ordinal {
                return invalid(
                    "ordinal",
                    format!(
                        "problem '{}' has the ordinal {} already; give another one",
                        other.id, other.ordinal
                    ),
                );
            }
        }
        if settings.rgb.as_ref().is_some_and(|rgb| !is_rgb(rgb)) {
            return invalid("rgb", "the colour must look like '#AC00FF' or '#fff'".to_owned());
        }
        check_optional("color", settings.color.as_deref())?;
        if settings.time_limit == Some(Nanos(0)) {
            return invalid("time_limit", "a time limit of 0 cannot be met".to_owned());
        }
        for (field, limit) in [
            ("memory_limit", settings.memory_limit),
            ("output_limit", settings.output_limit),
            ("code_limit", settings.code_limit),
        ] {
            if limit == Bytes(0) {
                return invalid(field, format!("'{field}' of 0 cannot be met"));
            }
        }
        let has_points = matches!(self.contest.settings.scoring, Scoring::Points { .. });
        if has_points && settings.max_score.is_none_or(|score| score <= Score(0)) {
            return invalid("max_score", "a contest with points needs the highest score, above 0".to_owned());
        }
        let old = self.contest.problems.get(&settings.id).map(|problem| &problem.settings);
        if settings.files.statements.len().max(settings.files.pages.len()) > STATEMENTS_MAX {
            let message = format!("it has statements in more than {STATEMENTS_MAX} languages");
            return Err(Refusal::invalid("statements", message));
        }
        // Verifying is a separate command, by another person.
        settings.verified_by =
            old.filter(|old| old.package == settings.package).and_then(|old| old.verified_by.clone());
        Ok(vec![Body::ProblemSet(Box::new(settings))])
    }

    pub(super) fn remove_problem(&self, id: &ProblemId) -> Result<Vec<Body>, Refusal> {
        self.problem(id)?;
        if self.contest.submissions.iter().any(|submission| submission.problem == *id) {
            return Err(Refusal::conflict("in-use", format!("problem '{id}' has submissions")));
        }
        if self.contest.clarifications.iter().any(|question| question.content.problem.as_ref() == Some(id)) {
            return Err(Refusal::conflict("in-use", format!("problem '{id}' has clarifications")));
        }
        if self.contest.commentary.iter().any(|remark| remark.content.problems.contains(id)) {
            return Err(Refusal::conflict("in-use", format!("problem '{id}' has commentary")));
        }
        Ok(vec![Body::ProblemRemoved(id.clone())])
    }

    pub(super) fn pause_problem(
        &self,
        id: &ProblemId,
        is_paused: bool,
        reason: Option<String>,
    ) -> Result<Vec<Body>, Refusal> {
        let problem = self.problem(id)?;
        let pause_reason = reason.filter(|_| is_paused);
        if let Some(reason) = &pause_reason {
            check_text("pause_reason", reason)?;
        }
        if problem.settings.is_paused == is_paused {
            let state = if is_paused { "paused already" } else { "not paused" };
            return Err(Refusal::conflict("unchanged", format!("problem '{id}' is {state}")));
        }
        let settings = ProblemSettings { is_paused, pause_reason, ..problem.settings.clone() };
        Ok(vec![Body::ProblemSet(Box::new(settings))])
    }

    pub(super) fn verify_problem(&self, id: &ProblemId) -> Result<Vec<Body>, Refusal> {
        let problem = self.problem(id)?;
        let Some(account) = &self.context.caller.account else {
            return Err(Refusal::forbidden("a problem is verified by a person"));
        };
        if problem.added_by.as_ref() == Some(account) {
            return Err(Refusal::forbidden(
                "the package was added by the same account; a second person must verify it",
            ));
        }
        if let Some(by) = &problem.settings.verified_by {
            return Err(Refusal::conflict("verified", format!("'{by}' has verified it already")));
        }
        let settings = ProblemSettings { verified_by: Some(account.clone()), ..problem.settings.clone() };
        Ok(vec![Body::ProblemSet(Box::new(settings))])
    }

    pub(super) fn set_award(
        &self,
        id: String,
        citation: String,
        teams: Option<Vec<TeamId>>,
    ) -> Result<Vec<Body>, Refusal> {
        if !crate::is_id(&id) {
            return Err(Refusal::invalid("id", format!("'{id}' is not an id")));
        }
        check_name("citation", &citation)?;
        if teams.as_ref().is_some_and(|teams| teams.len() > LIST_MAX) {
            return Err(Refusal::invalid("teams", format!("more than {LIST_MAX} teams are named")));
        }
        let mut named = BTreeSet::new();
        self.check_teams("teams", teams.iter().flatten())?;
        for team in teams.iter().flatten() {
            if !named.insert(team) {
                return Err(Refusal::invalid("teams", format!("team '{team}' is named twice")));
            }
        }
        let is_new = !self.contest.awards.contains_key(&id);
        if is_new && self.contest.keeps_award(&id) {
            let message = format!("the server computes awards like '{id}', and there is none with this id");
            return Err(Refusal::invalid("id", message));
        }
        if is_new && self.contest.awards.len() >= AWARDS_MAX {
            return Err(Refusal::conflict(
                "too-many",
                format!("there are {AWARDS_MAX} edited awards already"),
            ));
        }
        Ok(vec![Body::AwardSet { id, citation, teams }])
    }

    pub(super) fn remove_award(&self, id: String) -> Result<Vec<Body>, Refusal> {
        let is_there = self.contest.awards(crate::board::BoardSide::Jury).iter().any(|award| award.id == id);
        if !is_there {
            return Err(Refusal::not_found("award", id));
        }
        if self.contest.is_always_there(&id) {
            let message =
                format!("the server computes award '{id}'; only its citation and teams can be edited");
            return Err(Refusal::conflict("kept", message));
        }
        Ok(vec![Body::AwardRemoved(id)])
    }
}

fn is_rgb(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
