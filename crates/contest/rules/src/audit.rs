//! Audit lines of events.

use crate::state::{AuditEntry, State};
use crate::{Actor, Body, ContestSettings, Event, JudgehostState, MeasuredRatio, NewToken, RemovedInterval};
use std::fmt::Display;

/// The first characters of a hash, which identify a package, fit into a line.
const HASH_CHARACTERS: usize = 12;

pub const AUDIT_KINDS: [&str; 25] = [
    "account",
    "award",
    "balloon",
    "clarification",
    "commentary",
    "contest",
    "files",
    "final",
    "group",
    "import",
    "judgehost",
    "judging",
    "login",
    "note",
    "organization",
    "override",
    "password",
    "person",
    "pool",
    "problem",
    "rejudging",
    "submission",
    "team",
    "token",
    "verified",
];

/// Returns the kind of an event, one of [`AUDIT_KINDS`], and its audit text; `None` for what judging does by itself. `before` is
/// the state that the event changes.
pub(crate) fn describe(before: &State, event: &Event) -> Option<(&'static str, String)> {
    Some(match &event.body {
        Body::ContestSet(settings) => {
            let known = event.contest.as_ref().and_then(|id| before.contests.get(id));
            let text = match known {
                Some(contest) => changes(&contest.settings, settings),
                None => format!("'{}' made", settings.name),
            };
            ("contest", text)
        }
        Body::ContestRemoved => ("contest", "removed".to_owned()),
        Body::Finalized { extra_bronze, comment } => {
            ("final", format!("finalized, B = {extra_bronze}: {comment}"))
        }
        Body::Unfinalized { reason } => ("final", format!("opened again: {reason}")),
        Body::ProblemSet(settings) => {
            let paused = match (settings.is_paused, &settings.pause_reason) {
                (false, _) => String::new(),
                (true, None) => ", paused".to_owned(),
                (true, Some(reason)) => format!(", paused: {reason}"),
            };
            let package: String = settings.package.0.to_string().chars().take(HASH_CHARACTERS).collect();
            ("problem", format!("{} set, package {package}{paused}", settings.id))
        }
        Body::ProblemRemoved(id) => ("problem", format!("{id} removed")),
        Body::GroupSet(settings) => ("group", format!("{} set", settings.id)),
        Body::GroupRemoved(id) => ("group", format!("{id} removed")),
        Body::OrganizationSet(settings) => ("organization", format!("{} set", settings.id)),
        Body::OrganizationRemoved(id) => ("organization", format!("{id} removed")),
        Body::TeamSet(settings) => ("team", format!("{} set", settings.id)),
        Body::TeamRemoved(id) => ("team", format!("{id} removed")),
        Body::PersonSet(settings) => ("person", format!("{} set", settings.id)),
        Body::PersonRemoved(id) => ("person", format!("{id} removed")),
        Body::FilesSet { of, property, files } => {
            ("files", format!("{} of {of}: {}", property.name(), files.len()))
        }
        Body::AccountSet(settings) => {
            let state = if settings.is_enabled { "" } else { ", disabled" };
            ("account", format!("{} set, {:?}{state}", settings.id, settings.role))
        }
        Body::AccountRemoved(id) => ("account", format!("{id} removed")),
        Body::PasswordSet { account, .. } => ("password", format!("of {account} set")),
        Body::TokenIssued(NewToken { id, account, note, .. }) => {
            ("token", because(format!("{id} for {account}"), note))
        }
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
            let what = if until.is_some() { "claimed" } else { "released" };
            ("clarification", format!("{number} {what}"))
        }
        Body::BalloonDelivered { team, problem } => ("balloon", format!("{problem} for {team} delivered")),
        Body::AwardSet { id, .. } => ("award", format!("{id} set")),
        Body::AwardRemoved(id) => ("award", format!("{id} removed")),
        Body::Commented(content) => ("commentary", format!("{} sent", content.number)),
        Body::PoolSet(settings) => {
            let open = if settings.identity.is_none() { ", the next machine decides what it is" } else { "" };
            ("pool", format!("{} set{open}", settings.id))
        }
        Body::PoolRemoved(id) => ("pool", format!("{id} removed")),
        Body::PoolRatioMeasured(MeasuredRatio { strict, fast, language, upper_permille, programs }) => {
            let ratio = f64::from(*upper_permille) / 1000.0;
            ("pool", format!("{strict}/{fast} for {language}: at most {ratio:.3}, from {programs} programs"))
        }
        Body::JudgehostJoined(host) => ("judgehost", format!("{} joined {}", host.id, host.pool)),
        Body::JudgehostSet { id, state, reason } => {
            let state = match state {
                JudgehostState::Enabled => "enabled",
                JudgehostState::Draining => "draining",
                JudgehostState::Disabled => "disabled",
            };
            ("judgehost", because(format!("{id} {state}"), reason))
        }
        Body::JudgehostRemoved(id) => ("judgehost", format!("{id} removed")),
        Body::JudgingPaused { scope, reason } => ("judging", format!("{scope:?} paused: {reason}")),
        Body::JudgingResumed(scope) => ("judging", format!("{scope:?} resumed")),
        Body::Imported(imported) => {
            let contest = event.contest.as_ref()?;
            ("import", imported.words(contest))
        }
        Body::Noted(text) => ("note", text.clone()),
        Body::Ticked
        | Body::StatementMade(_)
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

fn because(text: String, reason: &str) -> String {
    if reason.is_empty() { text } else { format!("{text}: {reason}") }
}

/// Returns which settings of a contest change, and from what to what where that is short.
fn changes(old: &ContestSettings, new: &ContestSettings) -> String {
    let paused = |settings: &ContestSettings| settings.removed.iter().any(|one| one.end.is_none());
    let mut changes = Vec::new();
    match (paused(old), paused(new)) {
        (false, true) => changes.push("paused".to_owned()),
        (true, false) => changes.push("resumed".to_owned()),
        _ => {}
    }
    let past = |settings: &ContestSettings| -> Vec<RemovedInterval> {
        settings.removed.iter().filter(|one| one.end.is_some()).copied().collect()
    };
    let mut note = |name: &str, old: String, new: String| {
        if old != new {
            changes.push(format!("{name} {old} -> {new}"));
        }
    };
    note("name", old.name.clone(), new.name.clone());
    note("start", or_none(old.start), or_none(new.start));
    note("countdown paused at", or_none(old.countdown_pause), or_none(new.countdown_pause));
    note("duration", old.duration.to_string(), new.duration.to_string());
    note("freeze", or_none(old.freeze), or_none(new.freeze));
    note("thaw", or_none(old.thaw), or_none(new.thaw));
    note("strict pool", old.strict_pool.to_string(), new.strict_pool.to_string());
    note("fast pool", or_none(old.fast_pool.as_ref()), or_none(new.fast_pool.as_ref()));
    note("practice", old.practice.to_string(), new.practice.to_string());
    note("public", old.is_public.to_string(), new.is_public.to_string());
    let others = [
        ("formal name", old.formal_name != new.formal_name),
        ("removed intervals", past(old) != past(new) && paused(old) == paused(new)),
        ("scoring", old.scoring != new.scoring),
        ("languages", old.languages != new.languages),
        ("replicas", old.replicas != new.replicas),
        ("judging", old.judging != new.judging),
        ("verification", old.verification_required != new.verification_required),
        ("feedback", old.feedback != new.feedback),
        ("compiler output", old.shows_compiler_output != new.shows_compiler_output),
        ("main group", old.main_group != new.main_group),
        ("clarification categories", old.clarification_categories != new.clarification_categories),
        ("canned answers", old.canned_answers != new.canned_answers),
        ("medals", old.medals != new.medals),
        ("submission limits", old.submission_limits != new.submission_limits),
    ];
    let others = others.into_iter().filter(|(_, is_changed)| *is_changed);
    changes.extend(others.map(|(name, _)| format!("{name} changed")));
    if changes.is_empty() { "set without changes".to_owned() } else { changes.join(", ") }
}

fn or_none(value: Option<impl Display>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

impl AuditEntry {
    pub fn new(seq: u64, before: &State, event: &Event) -> Option<Self> {
        let Actor::Account(account, address) = &event.actor else { return None };
        let (kind, text) = describe(before, event)?;
        Some(Self {
            seq,
            time: event.time,
            account: account.clone(),
            address: address.clone(),
            contest: event.contest.clone(),
            kind: kind.to_owned(),
            text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instant, Millis, sample};

    #[test]
    fn a_change_of_a_contest_lists_the_changes() {
        let old = sample::contest();
        assert_eq!(changes(&old, &old), "set without changes");
        let mut new = old.clone();
        new.duration = new.duration + Millis::minutes(10);
        new.canned_answers.push("No.".to_owned());
        let text = format!("duration {} -> {}, canned answers changed", old.duration, new.duration);
        assert_eq!(changes(&old, &new), text);
        let mut paused = old.clone();
        paused.removed.push(RemovedInterval { begin: Instant(1), end: None });
        assert_eq!(changes(&old, &paused), "paused");
        let mut resumed = old;
        resumed.removed.push(RemovedInterval { begin: Instant(1), end: Some(Instant(2)) });
        assert_eq!(changes(&paused, &resumed), "resumed");
    }
}
