//! What the audit says about an event.

use crate::Body;

/// Returns the kind of an event and what it says, for the audit; `None` for what judging does by itself.
pub(crate) fn describe(body: &Body) -> Option<(&'static str, String)> {
    Some(match body {
        Body::ContestSet(settings) => ("contest", format!("set to '{}'", settings.name)),
        Body::ContestRemoved => ("contest", "removed".to_owned()),
        Body::Finalized { extra_bronze, comment } => {
            ("final", format!("finalized, B = {extra_bronze}: {comment}"))
        }
        Body::Unfinalized { reason } => ("final", format!("opened again: {reason}")),
        Body::ProblemSet(settings) => {
            let paused = if settings.is_paused { ", paused" } else { "" };
            ("problem", format!("{} set, package {}{paused}", settings.id, settings.package.0))
        }
        Body::ProblemRemoved(id) => ("problem", format!("{id} removed")),
        Body::GroupSet(settings) => ("group", format!("{} set", settings.id)),
        Body::GroupRemoved(id) => ("group", format!("{id} removed")),
        Body::OrganizationSet(settings) => ("organization", format!("{} set", settings.id)),
        Body::OrganizationRemoved(id) => ("organization", format!("{id} removed")),
        Body::TeamSet(settings) => ("team", format!("{} set", settings.id)),
        Body::TeamRemoved(id) => ("team", format!("{id} removed")),
        Body::AccountSet(settings) => {
            let state = if settings.is_enabled { "" } else { ", disabled" };
            ("account", format!("{} set, {:?}{state}", settings.id, settings.role))
        }
        Body::AccountRemoved(id) => ("account", format!("{id} removed")),
        Body::PasswordSet { account, .. } => ("password", format!("of {account} set")),
        Body::TokenIssued { id, account, note, .. } => ("token", format!("{id} for {account}: {note}")),
        Body::TokenRevoked(id) => ("token", format!("{id} revoked")),
        Body::LoggedIn => ("login", String::new()),
        Body::Submitted(submitted) => {
            let team = submitted.team.as_ref().map_or("the jury", |team| team.as_str());
            ("submission", format!("{} by {team} to {}", submitted.number, submitted.problem))
        }
        Body::SubmissionIgnored { submission, is_ignored, reason } => {
            let what = if *is_ignored { "ignored" } else { "counts again" };
            ("submission", format!("{submission} {what}: {reason}"))
        }
        Body::VerdictOverridden { submission, verdict, reason } => {
            let verdict = verdict.map_or("none".to_owned(), |outcome| outcome.verdict.0.to_string());
            ("override", format!("{submission}: {verdict}: {reason}"))
        }
        Body::Verified { judgement, comment } => ("verified", format!("{judgement}: {comment}")),
        Body::RejudgingOpened { number, submissions, repeat, reason } => {
            let count = submissions.len();
            ("rejudging", format!("{number} opened, {count} submissions, {repeat} times: {reason}"))
        }
        Body::RejudgingApplied(number) => ("rejudging", format!("{number} applied")),
        Body::RejudgingCancelled(number) => ("rejudging", format!("{number} cancelled")),
        Body::ClarificationSent(content) => ("clarification", format!("{} sent", content.number)),
        Body::ClarificationClaimed { number, until } => {
            let what = if until.is_some() { "claimed" } else { "given back" };
            ("clarification", format!("{number} {what}"))
        }
        Body::BalloonDelivered { team, problem } => ("balloon", format!("{problem} for {team} brought")),
        Body::AwardSet { id, .. } => ("award", format!("{id} set")),
        Body::PoolSet(settings) => ("pool", format!("{} set", settings.id)),
        Body::PoolRemoved(id) => ("pool", format!("{id} removed")),
        Body::PoolRatioMeasured { strict, fast, language, upper_permille, programs } => {
            let ratio = f64::from(*upper_permille) / 1000.0;
            ("pool", format!("{strict}/{fast} for {language}: at most {ratio:.3}, from {programs} programs"))
        }
        Body::JudgehostJoined { id, pool, .. } => ("judgehost", format!("{id} joined {pool}")),
        Body::JudgehostSet { id, state, reason } => ("judgehost", format!("{id} {state:?}: {reason}")),
        Body::JudgehostRemoved(id) => ("judgehost", format!("{id} removed")),
        Body::JudgingPaused { scope, reason } => ("judging", format!("{scope:?} paused: {reason}")),
        Body::JudgingResumed(scope) => ("judging", format!("{scope:?} resumed")),
        Body::Noted(text) => ("note", text.clone()),
        Body::Ticked
        | Body::JudgementOpened { .. }
        | Body::JudgingBegun { .. }
        | Body::RunsJudged { .. }
        | Body::Judged(_)
        | Body::JudgingFailed { .. }
        | Body::JudgingReturned { .. }
        | Body::JudgementCancelled { .. }
        | Body::JudgementsCurrent(_)
        | Body::ReplicasDiffer { .. } => return None,
    })
}
