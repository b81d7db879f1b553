//! Decisions about the contest's time, and about its result.

use super::contest::{check_removed, check_settings};
use super::{InContest, check_text};
use crate::{Body, ContestSettings, Instant, Millis, Refusal, RemovedInterval};
use model::{Counted, Joined, Message, message};

/// Shortly before the start it cannot be moved any more (CLICS, `contest_start`).
const START_FIXED: Millis = Millis(30_000);
const COUNTDOWN_MAX: Millis = Millis::minutes(366 * 24 * 60);

fn already_started() -> Refusal {
    Refusal::conflict(
        "started",
        message!("contest-started", "the contest has started already; extending it lets it last longer"),
    )
}

impl InContest<'_> {
    fn set(&self, settings: ContestSettings) -> Result<Vec<Body>, Refusal> {
        self.not_final()?;
        check_settings(&settings)?;
        Ok(vec![Body::ContestSet(Box::new(settings))])
    }

    pub(super) fn start(
        &self,
        at: Option<Instant>,
        countdown_pause: Option<Millis>,
    ) -> Result<Vec<Body>, Refusal> {
        let (settings, now) = (&self.contest.settings, self.context.now);
        let soon = now + START_FIXED;
        if settings.start.is_some_and(|start| start <= soon) {
            return Err(Refusal::forbidden(message!(
                "contest-starts-soon",
                "the contest has started, or starts within 30 s"
            )));
        }
        if at.is_some_and(|at| at <= soon) {
            return Err(Refusal::forbidden(message!(
                "start-too-soon",
                "the new start is past, or within 30 s"
            )));
        }
        self.set(ContestSettings { start: at, countdown_pause, ..settings.clone() })
    }

    /// Starts the contest at this instant. CLICS moves no start to within 30 s of now, but has no word for "now".
    pub(super) fn start_now(&self) -> Result<Vec<Body>, Refusal> {
        let (settings, now) = (&self.contest.settings, self.context.now);
        if settings.phase(now).started {
            return Err(already_started());
        }
        self.set(ContestSettings { start: Some(now), countdown_pause: None, ..settings.clone() })
    }

    pub(super) fn countdown(&self, remaining: Option<Millis>, is_paused: bool) -> Result<Vec<Body>, Refusal> {
        let (settings, now) = (&self.contest.settings, self.context.now);
        if settings.phase(now).started {
            return Err(already_started());
        }
        if remaining.is_none() && is_paused && settings.countdown_pause.is_some() {
            return Err(Refusal::conflict(
                "paused",
                message!("countdown-paused-already", "the countdown is paused already"),
            ));
        }
        if remaining.is_none() && !is_paused && settings.start.is_some() {
            return Err(Refusal::conflict(
                "not-paused",
                message!("countdown-not-paused", "the countdown is not paused"),
            ));
        }
        let left = remaining.or(settings.countdown_pause).or_else(|| settings.start.map(|start| start - now));
        let Some(left) = left else {
            let detail = message!(
                "no-countdown",
                "the contest has no start, so there is no countdown: give 'remaining', or set a start"
            );
            return Err(Refusal::conflict("no-start", detail));
        };
        if !(Millis::ZERO..=COUNTDOWN_MAX).contains(&left) {
            return Err(Refusal::invalid(
                "remaining",
                message!("wrong-remaining", "the time left to the start must be 0 to 366 days"),
            ));
        }
        if is_paused { self.start(None, Some(left)) } else { self.start(Some(now + left), None) }
    }

    pub(super) fn extend(&self, by: Millis) -> Result<Vec<Body>, Refusal> {
        let settings = &self.contest.settings;
        let duration = settings.duration + by;
        let time = settings.contest_time(self.context.now).unwrap_or_default();
        if by < Millis::ZERO && duration < time {
            return Err(Refusal::invalid(
                "by",
                message!("end-in-past", "the contest would have ended in the past"),
            ));
        }
        // The freeze is counted from the end. Once it has begun it stays where it began, so that nothing hidden shows.
        let is_hidden = settings.phase(self.context.now).hides_results();
        let freeze = settings.freeze.map(|freeze| if is_hidden { freeze + by } else { freeze });
        self.set(ContestSettings { duration, freeze, ..settings.clone() })
    }

    /// Returns the contest's time while it runs.
    fn running(&self) -> Result<Millis, Refusal> {
        let (settings, now) = (&self.contest.settings, self.context.now);
        let phase = settings.phase(now);
        if !phase.started || phase.ended {
            let message = match phase.ended {
                true => message!("contest-ended", "the contest has ended"),
                false => message!("contest-not-started", "the contest has not started"),
            };
            return Err(Refusal::conflict("not-running", message));
        }
        Ok(settings.contest_time(now).unwrap_or_default())
    }

    pub(super) fn pause(&self) -> Result<Vec<Body>, Refusal> {
        self.running()?;
        let mut settings = self.contest.settings.clone();
        if settings.is_paused() {
            return Err(Refusal::conflict(
                "paused",
                message!("contest-paused-already", "the contest is paused already"),
            ));
        }
        settings.removed.push(RemovedInterval { begin: self.context.now, end: None });
        self.set(settings)
    }

    pub(super) fn resume(&self) -> Result<Vec<Body>, Refusal> {
        let mut settings = self.contest.settings.clone();
        let now = self.context.now;
        match settings.removed.last_mut() {
            // A pause of no length leaves no trace.
            Some(last) if last.end.is_none() && last.begin >= now => {
                settings.removed.pop();
            }
            Some(last) if last.end.is_none() => last.end = Some(now),
            _ => {
                return Err(Refusal::conflict(
                    "not-paused",
                    message!("contest-not-paused", "the contest is not paused"),
                ));
            }
        }
        self.set(settings)
    }

    pub(super) fn set_removed(&self, removed: Vec<RemovedInterval>) -> Result<Vec<Body>, Refusal> {
        check_removed(self.contest.settings.start, &removed)?;
        self.set(ContestSettings { removed, ..self.contest.settings.clone() })
    }

    pub(super) fn freeze_now(&self) -> Result<Vec<Body>, Refusal> {
        let time = self.running()?;
        let settings = &self.contest.settings;
        if settings.freeze_time().is_some_and(|freeze| freeze <= time) {
            return Err(Refusal::conflict(
                "frozen",
                message!("board-frozen-already", "the board is frozen already"),
            ));
        }
        self.set(ContestSettings { freeze: Some(settings.duration - time), thaw: None, ..settings.clone() })
    }

    pub(super) fn thaw(&self, at: Option<Instant>) -> Result<Vec<Body>, Refusal> {
        let (settings, now) = (&self.contest.settings, self.context.now);
        if settings.freeze.is_none() {
            return Err(Refusal::conflict(
                "not-frozen",
                message!("contest-without-freeze", "the contest has no freeze"),
            ));
        }
        let phase = settings.phase(now);
        if phase.thawed {
            return Err(Refusal::conflict(
                "thawed",
                message!("board-thawed-already", "the board has thawed already"),
            ));
        }
        let at = at.unwrap_or(now).max(now);
        // With an open pause the end is not known, so nothing after it can be set.
        if settings.end().is_none_or(|end| at < end) {
            return Err(Refusal::conflict(
                "not-ended",
                message!("thaw-before-end", "the board cannot thaw before the end of the contest"),
            ));
        }
        let settings = ContestSettings { thaw: Some(at), ..settings.clone() };
        check_settings(&settings)?;
        Ok(vec![Body::ContestSet(Box::new(settings))])
    }

    pub(super) fn finalize(&self, extra_bronze: u32, comment: String) -> Result<Vec<Body>, Refusal> {
        self.not_final()?;
        let open = if self.contest.settings.phase(self.context.now).ended {
            self.contest.open_ends().into_iter().map(|(_, message)| message).collect()
        } else {
            vec![message!("contest-not-ended", "the contest has not ended")]
        };
        if !open.is_empty() {
            return Err(Refusal::conflict(
                "open-ends",
                message!(
                    "result-cannot-be-final",
                    "the result cannot be final: {open}",
                    open = Joined(&open, "; ")
                ),
            ));
        }
        super::check_optional_text("comment", &comment)?;
        Ok(vec![Body::Finalized { extra_bronze, comment }])
    }

    pub(super) fn unfinalize(&self, reason: String) -> Result<Vec<Body>, Refusal> {
        check_text("reason", &reason)?;
        if self.contest.finalized.is_none() {
            return Err(Refusal::conflict(
                "not-final",
                message!("result-not-final", "the result is not final"),
            ));
        }
        // Pools of a final contest may have changed.
        self.context.check_pools(self.id, &self.contest.settings)?;
        Ok(vec![Body::Unfinalized { reason }])
    }
}

impl crate::state::Contest {
    /// Returns what keeps the result from being final, apart from the time: an id for each kind, and a sentence with the number.
    pub(crate) fn open_ends(&self) -> Vec<(&'static str, Message)> {
        use crate::state::RejudgingStatus;
        let counts = |submission: &&crate::state::Submission| {
            submission.team.is_some() && submission.ignored.is_none() && !self.is_practice(submission)
        };
        let counted = || self.submissions.iter().filter(counts);
        let unverified = |submission: &&crate::state::Submission| {
            self.settings.verification_required
                && self.result(submission).is_none()
                && submission.result(false).is_some()
        };
        let pending = counted()
            .filter(|submission| self.result(submission).is_none())
            .filter(|submission| !unverified(submission) && !submission.waits_for_jury())
            .count();
        let for_jury = counted().filter(|submission| submission.waits_for_jury()).count();
        let unverified = counted().filter(unverified).count();
        // No judgement changes the result of one that is ignored, or whose verdict was set by hand.
        let can_change = |entry: &&crate::state::Submission| {
            entry.ignored.is_none() && entry.overridden.is_none() && !self.is_practice(entry)
        };
        let unfinished = |entry: &&crate::state::Submission| {
            can_change(entry)
                && (entry.team.is_none() || self.result(entry).is_some())
                && entry.judgements.iter().any(crate::state::Judgement::is_open)
        };
        let unfinished = self.submissions.iter().filter(unfinished).count();
        let unanswered = self.clarifications.iter().filter(|question| !question.is_answered).count();
        let open = |entry: &&crate::state::Rejudging| entry.status == RejudgingStatus::Open;
        let rejudgings = self.rejudgings.iter().filter(open).count();
        [
            (
                "pending",
                pending,
                message!("open-pending", "{count} without a verdict", count = Counted(pending, "submission")),
            ),
            (
                "jury",
                for_jury,
                message!(
                    "open-jury",
                    "{count} that the jury has to accept or reject",
                    count = Counted(for_jury, "submission")
                ),
            ),
            (
                "judging",
                unfinished,
                message!(
                    "open-judging",
                    "{count} with unfinished judgements",
                    count = Counted(unfinished, "submission")
                ),
            ),
            (
                "verification",
                unverified,
                message!("open-verification", "{count}", count = Counted(unverified, "unverified verdict")),
            ),
            (
                "clarifications",
                unanswered,
                message!(
                    "open-clarifications",
                    "{count} without an answer",
                    count = Counted(unanswered, "clarification")
                ),
            ),
            (
                "rejudgings",
                rejudgings,
                message!(
                    "open-rejudgings",
                    "{count} neither applied nor cancelled",
                    count = Counted(rejudgings, "rejudging")
                ),
            ),
        ]
        .into_iter()
        .filter(|(_, count, _)| *count > 0)
        .map(|(id, _, message)| (id, message))
        .collect()
    }
}
