//! Decisions about the contest and its problems.

use super::{
    Context, InContest, check_hash, check_known, check_length, check_name, check_optional, check_text, find,
};
use crate::{
    Body, ContestId, ContestSettings, DURATION_MAX, Event, Instant, Millis, PoolId, PoolSettings, ProblemId,
    ProblemSettings, REPLICAS_MAX, Refusal, RemovedInterval, STATEMENTS_MAX, Score, Scoring, TeamId,
};
use documents::judgehost::{clock_of, image_of, isolation_of};
use model::{Bytes, Clock, Message, Nanos, message};
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
        self.check_pools(id, &settings)?;
        if let Some(old) = self.state.contests.get(id) {
            if old.finalized.is_some() {
                return Err(Refusal::conflict(
                    "final",
                    message!("result-final", "the result is final; open it again first"),
                ));
            }
            check_known("main_group", "group", &old.groups, &settings.main_group)?;
            check_known("registration", "group", &old.groups, &settings.registration.group_id)?;
        }
        Ok(vec![self.event(Some(id), Body::ContestSet(Box::new(settings)))])
    }

    /// Checks that the pools of a contest judge by its clock, with its image, and isolated as it says.
    pub(super) fn check_pools(&self, id: &ContestId, settings: &ContestSettings) -> Result<(), Refusal> {
        let mut pools = self.state.pools.iter().filter(|(pool, _)| settings.has_pool(pool));
        pools.try_for_each(|(_, pool)| check_pool(id, settings, &pool.settings))
    }

    pub(super) fn remove_contest(&self, id: &ContestId) -> Result<Vec<Event>, Refusal> {
        let contest = find("contest", &self.state.contests, id)?;
        if contest.submissions.iter().any(|submission| submission.team.is_some()) {
            return Err(Refusal::conflict(
                "in-use",
                message!("contest-has-submissions", "the contest has submissions of teams"),
            ));
        }
        if let Some(account) =
            self.state.accounts.values().find(|account| account.settings.contests.contains(id))
        {
            let account = &account.settings.id;
            return Err(Refusal::conflict(
                "in-use",
                message!("contest-has-account", "account '{account}' is bound to the contest", account),
            ));
        }
        Ok(vec![self.event(Some(id), Body::ContestRemoved)])
    }
}

/// Checks that a pool of a contest judges by its clock, with its image, and isolated as it says.
pub(super) fn check_pool(
    contest: &ContestId,
    settings: &ContestSettings,
    pool: &PoolSettings,
) -> Result<(), Refusal> {
    let Some(identity) = &pool.identity else { return Ok(()) };
    if let Some(clock) = settings.clock {
        check_clock(contest, clock, &pool.id, identity)?;
    }
    let pool = &pool.id;
    let image = settings.image.as_deref();
    if let Some(image) = image.filter(|image| image_of(identity) != Some(image)) {
        let other = image_of(identity).unwrap_or("no image");
        return Err(Refusal::conflict(
            "other-image",
            message!(
                "pool-has-other-image",
                "pool '{pool}' judges with {other}, contest '{contest}' with {image}: let the contest have another pool, or \
                 start the judgehosts of this one with that image",
                pool,
                other,
                contest,
                image
            ),
        ));
    }
    let other = isolation_of(identity);
    if let Some(isolation) = settings.isolation.filter(|isolation| *isolation != other) {
        return Err(Refusal::conflict(
            "other-isolation",
            message!(
                "pool-has-other-isolation",
                "pool '{pool}' judges in a {other}, contest '{contest}' in a {isolation}: let the contest have another pool, or \
                 start the judgehosts of this one with --isolation {isolation}",
                pool,
                other,
                contest,
                isolation
            ),
        ));
    }
    Ok(())
}

fn check_clock(contest: &ContestId, clock: Clock, pool: &PoolId, identity: &[String]) -> Result<(), Refusal> {
    let other = match clock_of(identity) {
        Ok(other) if other == clock => return Ok(()),
        Ok(other) => other.to_string(),
        Err(unknown) => unknown.to_owned(),
    };
    Err(Refusal::conflict(
        "other-clock",
        message!(
            "pool-has-other-clock",
            "pool '{pool}' judges by {other}, contest '{contest}' by {clock}: let the contest have another pool, or \
             start the judgehosts of this one with that clock",
            pool,
            other,
            contest,
            clock
        ),
    ))
}

pub(super) fn check_settings(settings: &ContestSettings) -> Result<(), Refusal> {
    check_name("name", &settings.name)?;
    check_optional("formal_name", settings.formal_name.as_deref())?;
    let invalid = |field, message: Message| Err(Refusal::invalid(field, message));
    if settings.duration <= Millis::ZERO || settings.duration > DURATION_MAX {
        return invalid(
            "duration",
            message!("wrong-duration", "the duration must be positive, and at most 366 days"),
        );
    }
    if settings.freeze.is_some_and(|freeze| freeze < Millis::ZERO || freeze > settings.duration) {
        return invalid("freeze", message!("wrong-freeze", "the freeze must lie within the contest"));
    }
    if settings.start.is_some() && settings.countdown_pause.is_some() {
        return invalid(
            "countdown_pause",
            message!("countdown-with-start", "the countdown is paused only while there is no start"),
        );
    }
    if settings.countdown_pause.is_some_and(|pause| pause < Millis::ZERO) {
        return invalid(
            "countdown_pause",
            message!("negative-countdown", "the time left to the start cannot be negative"),
        );
    }
    check_removed(settings.start, &settings.removed)?;
    super::people::check_location(settings.location.as_ref())?;
    if let Scoring::PassFail { penalty, .. } = settings.scoring
        && (penalty < Millis::ZERO || penalty > settings.duration)
    {
        return invalid(
            "penalty",
            message!("wrong-penalty", "the penalty must be between 0 and the duration"),
        );
    }
    if settings.fast_pool.as_ref() == Some(&settings.strict_pool) {
        return invalid("fast_pool", message!("same-pools", "the fast pool is the strict one; leave it out"));
    }
    if !(1..=REPLICAS_MAX).contains(&settings.replicas) {
        return invalid("replicas", message!("replicas-1-to-10", "there must be 1 to 10 replicas"));
    }
    let limits = &settings.submission_limits;
    if limits.per_minute == 0 || limits.in_all == 0 || limits.files == 0 || limits.bytes == Bytes(0) {
        return invalid(
            "submission_limits",
            message!("limit-of-0", "a limit of 0 would refuse every submission"),
        );
    }
    for category in &settings.clarification_categories {
        check_name("clarification_categories", category)?;
    }
    let categories: BTreeSet<&String> = settings.clarification_categories.iter().collect();
    if categories.len() != settings.clarification_categories.len() {
        return invalid(
            "clarification_categories",
            message!("category-listed-twice", "a category is listed twice"),
        );
    }
    settings.canned_answers.iter().try_for_each(|answer| check_text("canned_answers", answer))?;
    if settings.canned_answers.len() > LIST_MAX || settings.clarification_categories.len() > LIST_MAX {
        return invalid("canned_answers", message!("list-too-long", "a list has more than 10000 entries"));
    }
    Ok(())
}

/// Checks that removed intervals are in order, apart, and after the start.
pub(super) fn check_removed(start: Option<Instant>, removed: &[RemovedInterval]) -> Result<(), Refusal> {
    let invalid = |message: Message| Err(Refusal::invalid("removed", message));
    let mut last = start;
    for (at, interval) in removed.iter().enumerate() {
        if start.is_none() {
            return invalid(message!(
                "interval-without-start",
                "there is no start, so nothing can be removed"
            ));
        }
        if last.is_some_and(|last| interval.begin < last) {
            return invalid(message!(
                "wrong-intervals",
                "the intervals must be in order, apart, and after the start"
            ));
        }
        match interval.end {
            Some(end) if end <= interval.begin => {
                return invalid(message!("interval-ends-before-begins", "an interval ends before it begins"));
            }
            None if at + 1 < removed.len() => {
                return invalid(message!("interval-without-end", "only the last interval may have no end"));
            }
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
        let invalid = |field, message: Message| Err(Refusal::invalid(field, message));
        for other in self.contest.problems.values().map(|problem| &problem.settings) {
            if other.id != settings.id && other.label == settings.label {
                return invalid(
                    "label",
                    message!(
                        "label-taken",
                        "problem '{problem}' has the label '{label}' already; give another one",
                        problem = other.id,
                        label = other.label
                    ),
                );
            }
            if other.id != settings.id && other.ordinal == settings.ordinal {
                return invalid(
                    "ordinal",
                    message!(
                        "ordinal-taken",
                        "problem '{problem}' has the ordinal {ordinal} already; give another one",
                        problem = other.id,
                        ordinal = other.ordinal
                    ),
                );
            }
        }
        if settings.rgb.as_ref().is_some_and(|rgb| !is_rgb(rgb)) {
            return invalid("rgb", message!("wrong-colour", "the colour must look like '#AC00FF' or '#fff'"));
        }
        check_optional("color", settings.color.as_deref())?;
        if settings.time_limit == Some(Nanos(0)) {
            return invalid("time_limit", message!("time-limit-of-0", "a time limit of 0 cannot be met"));
        }
        for (field, limit) in [
            ("memory_limit", settings.memory_limit),
            ("output_limit", settings.output_limit),
            ("code_limit", settings.code_limit),
        ] {
            if limit == Bytes(0) {
                return invalid(field, message!("field-of-0", "'{field}' of 0 cannot be met", field));
            }
        }
        let has_points = matches!(self.contest.settings.scoring, Scoring::Points { .. });
        if has_points && settings.max_score.is_none_or(|score| score <= Score(0)) {
            return invalid(
                "max_score",
                message!("highest-score-missing", "a contest with points needs the highest score, above 0"),
            );
        }
        let old = self.contest.problems.get(&settings.id).map(|problem| &problem.settings);
        if settings.files.statements.len().max(settings.files.pages.len()) > STATEMENTS_MAX {
            let message = message!(
                "too-many-statements",
                "it has statements in more than {max} languages",
                max = STATEMENTS_MAX
            );
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
            return Err(Refusal::conflict(
                "in-use",
                message!("problem-has-submissions", "problem '{id}' has submissions", id),
            ));
        }
        if self.contest.clarifications.iter().any(|question| question.content.problem.as_ref() == Some(id)) {
            return Err(Refusal::conflict(
                "in-use",
                message!("problem-has-clarifications", "problem '{id}' has clarifications", id),
            ));
        }
        if self.contest.commentary.iter().any(|remark| remark.content.problems.contains(id)) {
            return Err(Refusal::conflict(
                "in-use",
                message!("problem-has-commentary", "problem '{id}' has commentary", id),
            ));
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
            let message = match is_paused {
                true => message!("problem-paused-already", "problem '{id}' is paused already", id),
                false => message!("problem-not-paused", "problem '{id}' is not paused", id),
            };
            return Err(Refusal::conflict("unchanged", message));
        }
        let settings = ProblemSettings { is_paused, pause_reason, ..problem.settings.clone() };
        Ok(vec![Body::ProblemSet(Box::new(settings))])
    }

    pub(super) fn verify_problem(&self, id: &ProblemId) -> Result<Vec<Body>, Refusal> {
        let problem = self.problem(id)?;
        let Some(account) = &self.context.caller.account else {
            return Err(Refusal::forbidden(message!(
                "problem-needs-person",
                "a problem is verified by a person"
            )));
        };
        if problem.added_by.as_ref() == Some(account) {
            return Err(Refusal::forbidden(message!(
                "package-by-same-account",
                "the package was added by the same account; a second person must verify it"
            )));
        }
        if let Some(by) = &problem.settings.verified_by {
            return Err(Refusal::conflict(
                "verified",
                message!("verified-already", "'{by}' has verified it already", by),
            ));
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
            return Err(Refusal::invalid("id", message!("wrong-id", "'{id}' is not an id", id)));
        }
        check_name("citation", &citation)?;
        if teams.as_ref().is_some_and(|teams| teams.len() > LIST_MAX) {
            return Err(Refusal::invalid(
                "teams",
                message!("too-many-teams", "more than {max} teams are named", max = LIST_MAX),
            ));
        }
        let mut named = BTreeSet::new();
        self.check_teams("teams", teams.iter().flatten())?;
        for team in teams.iter().flatten() {
            if !named.insert(team) {
                return Err(Refusal::invalid(
                    "teams",
                    message!("team-named-twice", "team '{team}' is named twice", team),
                ));
            }
        }
        let is_new = !self.contest.awards.contains_key(&id);
        if is_new && self.contest.keeps_award(&id) {
            let message = message!(
                "award-not-computed",
                "the server computes awards like '{id}', and there is none with this id",
                id
            );
            return Err(Refusal::invalid("id", message));
        }
        if is_new && self.contest.awards.len() >= AWARDS_MAX {
            return Err(Refusal::conflict(
                "too-many",
                message!("too-many-awards", "there are {max} edited awards already", max = AWARDS_MAX),
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
            let message = message!(
                "award-computed",
                "the server computes award '{id}'; only its citation and teams can be edited",
                id
            );
            return Err(Refusal::conflict("kept", message));
        }
        Ok(vec![Body::AwardRemoved(id)])
    }
}

fn is_rgb(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}
