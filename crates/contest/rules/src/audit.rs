//! Audit lines of events.

use crate::state::{AuditEntry, State};
use crate::{
    Actor, Body, ContestSettings, Event, JudgehostState, MeasuredRatio, NewToken, PauseScope, RemovedInterval,
};
use model::{Counted, Joined, Message, Number, OrNone, message};
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
pub(crate) fn describe(before: &State, event: &Event) -> Option<(&'static str, Message)> {
    let set = |id: &dyn Display| message!("object-set", "{id} set", id);
    let removed = |id: &dyn Display| message!("object-removed", "{id} removed", id);
    let sent = |number: &dyn Display| message!("object-sent", "{number} sent", number);
    Some(match &event.body {
        Body::ContestSet(settings) => {
            let known = event.contest.as_ref().and_then(|id| before.contests.get(id));
            let text = match known {
                Some(contest) => changes(&contest.settings, settings),
                None => message!("contest-made", "'{name}' made", name = settings.name),
            };
            ("contest", text)
        }
        Body::ContestRemoved => ("contest", message!("contest-removed", "removed")),
        Body::Finalized { extra_bronze, comment } => {
            let text =
                message!("finalized", "finalized, B = {extra_bronze}: {comment}", extra_bronze, comment);
            ("final", text)
        }
        Body::Unfinalized { reason } => {
            ("final", message!("result-opened-again", "opened again: {reason}", reason))
        }
        Body::ProblemSet(settings) => {
            let package: String = settings.package.0.to_string().chars().take(HASH_CHARACTERS).collect();
            let id = &settings.id;
            let text = match (settings.is_paused, &settings.pause_reason) {
                (false, _) => message!("problem-set", "{id} set, package {package}", id, package),
                (true, None) => {
                    message!("problem-set-paused", "{id} set, package {package}, paused", id, package)
                }
                (true, Some(reason)) => message!(
                    "problem-set-paused-because",
                    "{id} set, package {package}, paused: {reason}",
                    id,
                    package,
                    reason
                ),
            };
            ("problem", text)
        }
        Body::ProblemRemoved(id) => ("problem", removed(id)),
        Body::GroupSet(settings) => ("group", set(&settings.id)),
        Body::GroupRemoved(id) => ("group", removed(id)),
        Body::OrganizationSet(settings) => ("organization", set(&settings.id)),
        Body::OrganizationRemoved(id) => ("organization", removed(id)),
        Body::TeamSet(settings) => ("team", set(&settings.id)),
        Body::TeamRemoved(id) => ("team", removed(id)),
        Body::PersonSet(settings) => ("person", set(&settings.id)),
        Body::PersonRemoved(id) => ("person", removed(id)),
        Body::FilesSet { of, property, files } => {
            let (property, count) = (property.name(), Number(files.len()));
            ("files", message!("files-set", "{property} of {of}: {count}", property, of, count))
        }
        Body::AccountSet(settings) => {
            let (id, role) = (&settings.id, format!("{:?}", settings.role));
            let text = match settings.is_enabled {
                true => message!("account-set", "{id} set, {role}", id, role),
                false => message!("account-set-disabled", "{id} set, {role}, disabled", id, role),
            };
            ("account", text)
        }
        Body::AccountRemoved(id) => ("account", removed(id)),
        Body::PasswordSet { account, .. } => {
            ("password", message!("password-set", "of {account} set", account))
        }
        Body::TokenIssued(NewToken { id, account, note, .. }) => {
            ("token", because(message!("token-issued", "{id} for {account}", id, account), note))
        }
        Body::TokenRevoked(id) => ("token", message!("token-revoked", "{id} revoked", id)),
        // Each stands next to its login; logging out is not of interest.
        Body::SessionBegan(_) | Body::SessionEnded(_) => return None,
        Body::LoggedIn => ("login", Message::default()),
        Body::Submitted(submitted) => {
            let (number, problem) = (submitted.number, &submitted.problem);
            let text = match &submitted.team {
                Some(team) => {
                    message!("submitted", "{number} by {team} to {problem}", number, team, problem)
                }
                None => {
                    message!("submitted-by-jury", "{number} by the jury to {problem}", number, problem)
                }
            };
            ("submission", text)
        }
        Body::SubmissionIgnored { submission: number, is_ignored, reason } => {
            let text = match is_ignored {
                true => message!("submission-ignored", "{number} ignored: {reason}", number, reason),
                false => {
                    message!("submission-counts-again", "{number} counts again: {reason}", number, reason)
                }
            };
            ("submission", text)
        }
        Body::VerdictOverridden { submission: number, verdict, reason } => {
            let text = match verdict.map(|outcome| outcome.verdict.0) {
                Some(verdict) => {
                    message!("verdict-set", "{number}: {verdict}: {reason}", number, verdict, reason)
                }
                None => message!("verdict-unset", "{number}: none: {reason}", number, reason),
            };
            ("override", text)
        }
        Body::Verified { judgement, comment } => {
            ("verified", message!("judgement-verified", "{judgement}: {comment}", judgement, comment))
        }
        Body::RejudgingOpened { number, submissions, repeat, reason } => {
            let text = message!(
                "rejudging-opened",
                "{number} opened, {count}, {repeat}: {reason}",
                number,
                count = Counted(submissions.len(), "submission"),
                repeat = Counted(*repeat as usize, "time"),
                reason
            );
            ("rejudging", text)
        }
        Body::RejudgingApplied(number) => {
            ("rejudging", message!("rejudging-applied", "{number} applied", number))
        }
        Body::RejudgingCancelled(number) => {
            ("rejudging", message!("rejudging-cancelled", "{number} cancelled", number))
        }
        Body::ClarificationSent(content) => ("clarification", sent(&content.number)),
        Body::ClarificationClaimed { number, until } => {
            let text = match until {
                Some(_) => message!("clarification-taken", "{number} claimed", number),
                None => message!("clarification-released", "{number} released", number),
            };
            ("clarification", text)
        }
        Body::BalloonDelivered { team, problem } => {
            ("balloon", message!("balloon-delivered", "{problem} for {team} delivered", problem, team))
        }
        Body::AwardSet { id, .. } => ("award", set(id)),
        Body::AwardRemoved(id) => ("award", removed(id)),
        Body::Commented(content) => ("commentary", sent(&content.number)),
        Body::PoolSet(settings) => {
            let id = &settings.id;
            let text = match &settings.identity {
                Some(_) => set(id),
                None => message!("pool-set-open", "{id} set, the next machine decides what it is", id),
            };
            ("pool", text)
        }
        Body::PoolRemoved(id) => ("pool", removed(id)),
        Body::PoolRatioMeasured(MeasuredRatio { strict, fast, language, upper_permille, programs }) => {
            let text = message!(
                "pool-ratio-measured",
                "{strict}/{fast} for {language}: at most {ratio}, from {count}",
                strict,
                fast,
                language,
                ratio = format!("{:.3}", f64::from(*upper_permille) / 1000.0),
                count = Counted(*programs as usize, "program")
            );
            ("pool", text)
        }
        Body::JudgehostJoined(host) => {
            ("judgehost", message!("judgehost-joined", "{id} joined {pool}", id = host.id, pool = host.pool))
        }
        Body::JudgehostSet { id, state, reason } => {
            let text = match state {
                JudgehostState::Enabled => message!("judgehost-enabled", "{id} enabled", id),
                JudgehostState::Draining => message!("judgehost-draining", "{id} draining", id),
                JudgehostState::Disabled => message!("judgehost-disabled", "{id} disabled", id),
                JudgehostState::Waiting => message!("judgehost-waiting", "{id} waits to be let in", id),
            };
            ("judgehost", because(text, reason))
        }
        Body::JudgehostRemoved(id) => ("judgehost", removed(id)),
        Body::JudgingPaused { scope, reason } => {
            let text = message!("judging-paused", "{scope} paused", scope = Joined(&[named(scope)], ""));
            ("judging", because(text, reason))
        }
        Body::JudgingResumed(scope) => {
            let text = message!("judging-resumed", "{scope} resumed", scope = Joined(&[named(scope)], ""));
            ("judging", text)
        }
        Body::Imported(imported) => {
            let contest = event.contest.as_ref()?;
            ("import", imported.words(contest))
        }
        Body::Noted(text) => ("note", text.as_str().into()),
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

fn because(message: Message, reason: &str) -> Message {
    if reason.is_empty() {
        return message;
    }
    message!("with-reason", "{what}: {reason}", what = Joined(&[message], ""), reason)
}

fn named(scope: &PauseScope) -> Message {
    match scope {
        PauseScope::Package(hash) => {
            let package: String = hash.0.to_string().chars().take(HASH_CHARACTERS).collect();
            message!("package-named", "package {package}", package)
        }
        PauseScope::Language(language, judgehost) => {
            message!("language-on-judgehost", "{language} on {judgehost}", language, judgehost)
        }
    }
}

/// Returns which settings of a contest change, and from what to what where that is short.
fn changes(old: &ContestSettings, new: &ContestSettings) -> Message {
    let paused = |settings: &ContestSettings| settings.removed.iter().any(|one| one.end.is_none());
    let mut changes = Vec::new();
    match (paused(old), paused(new)) {
        (false, true) => changes.push(message!("change-paused", "paused")),
        (true, false) => changes.push(message!("change-resumed", "resumed")),
        _ => {}
    }
    let past = |settings: &ContestSettings| -> Vec<RemovedInterval> {
        settings.removed.iter().filter(|one| one.end.is_some()).copied().collect()
    };
    macro_rules! note {
        ($code:literal, $text:literal, $field:ident) => {
            if old.$field != new.$field {
                changes.push(message!($code, $text, old = old.$field, new = new.$field));
            }
        };
        (optional $code:literal, $text:literal, $field:ident) => {
            if old.$field != new.$field {
                let (old, new) = (OrNone(old.$field.as_ref()), OrNone(new.$field.as_ref()));
                changes.push(message!($code, $text, old, new));
            }
        };
        (time $code:literal, $text:literal, $field:ident) => {
            if old.$field != new.$field {
                let (old_time, new_time) = (OrNone(old.$field.as_ref()), OrNone(new.$field.as_ref()));
                changes.push(message!($code, $text, old_time, new_time));
            }
        };
        ($is_changed:expr, $code:literal, $text:literal) => {
            if $is_changed {
                changes.push(message!($code, $text));
            }
        };
    }
    note!("change-name", "name {old} -> {new}", name);
    note!(time "change-start", "start {old_time} -> {new_time}", start);
    note!(optional "change-countdown", "countdown paused at {old} -> {new}", countdown_pause);
    note!("change-duration", "duration {old} -> {new}", duration);
    note!(optional "change-freeze", "freeze {old} -> {new}", freeze);
    note!(time "change-thaw", "thaw {old_time} -> {new_time}", thaw);
    note!("change-strict-pool", "strict pool {old} -> {new}", strict_pool);
    note!(optional "change-fast-pool", "fast pool {old} -> {new}", fast_pool);
    note!(optional "change-clock", "clock {old} -> {new}", clock);
    note!(optional "change-image", "image {old} -> {new}", image);
    note!(optional "change-isolation", "isolation {old} -> {new}", isolation);
    note!(!old.practice && new.practice, "change-practice-on", "practice false -> true");
    note!(old.practice && !new.practice, "change-practice-off", "practice true -> false");
    note!(!old.is_public && new.is_public, "change-public-on", "public false -> true");
    note!(old.is_public && !new.is_public, "change-public-off", "public true -> false");
    note!(old.formal_name != new.formal_name, "change-formal-name", "formal name changed");
    let is_past_changed = past(old) != past(new) && paused(old) == paused(new);
    note!(is_past_changed, "change-removed-intervals", "removed intervals changed");
    note!(old.scoring != new.scoring, "change-scoring", "scoring changed");
    note!(old.languages != new.languages, "change-languages", "languages changed");
    note!(old.replicas != new.replicas, "change-replicas", "replicas changed");
    note!(old.judging != new.judging, "change-judging", "judging changed");
    let is_verification_changed = old.verification_required != new.verification_required;
    note!(is_verification_changed, "change-verification", "verification changed");
    note!(old.feedback != new.feedback, "change-feedback", "feedback changed");
    let is_output_changed = old.shows_compiler_output != new.shows_compiler_output;
    note!(is_output_changed, "change-compiler-output", "compiler output changed");
    note!(old.main_group != new.main_group, "change-main-group", "main group changed");
    let are_categories_changed = old.clarification_categories != new.clarification_categories;
    note!(are_categories_changed, "change-categories", "clarification categories changed");
    note!(old.canned_answers != new.canned_answers, "change-canned-answers", "canned answers changed");
    note!(old.medals != new.medals, "change-medals", "medals changed");
    note!(
        old.submission_limits != new.submission_limits,
        "change-submission-limits",
        "submission limits changed"
    );
    note!(old.registration != new.registration, "change-registration", "registration changed");
    if changes.is_empty() {
        message!("contest-unchanged", "set without changes")
    } else {
        message!("contest-changed", "{changes}", changes = Joined(&changes, ", "))
    }
}

impl AuditEntry {
    pub fn new(seq: u64, before: &State, event: &Event) -> Option<Self> {
        let Actor::Account(account, address) = &event.actor else { return None };
        let (kind, message) = describe(before, event)?;
        Some(Self {
            seq,
            time: event.time,
            account: account.clone(),
            address: address.clone(),
            contest: event.contest.clone(),
            kind: kind.to_owned(),
            message,
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
        assert_eq!(changes(&old, &old).text, "set without changes");
        let mut new = old.clone();
        new.duration = new.duration + Millis::minutes(10);
        new.canned_answers.push("No.".to_owned());
        let text = format!("duration {} -> {}, canned answers changed", old.duration, new.duration);
        assert_eq!(changes(&old, &new).text, text);
        let mut paused = old.clone();
        paused.removed.push(RemovedInterval { begin: Instant(1), end: None });
        assert_eq!(changes(&old, &paused).text, "paused");
        let mut resumed = old;
        resumed.removed.push(RemovedInterval { begin: Instant(1), end: Some(Instant(2)) });
        assert_eq!(changes(&paused, &resumed).text, "resumed");
    }
}
