//! Submissions, judgements, rejudgings, clarifications, balloons, boards.

use super::files::WireFiles;
use super::{reltime, texts, time};
use crate::hosts::Hosts;
use contest_rules::view::{
    BalloonView, ClarificationView, JudgementView, RejudgedSubmission, RejudgingView, RunView, StateView,
    SubmissionView, View,
};
use contest_rules::{FileOwner, FileProperty, JudgementReason, RejudgingStatus};
use documents::contest as wire;
use model::Nanos;

/// Returns what has happened in a contest, for the wire.
pub fn wire_state(state: &StateView) -> wire::ContestState {
    wire::ContestState {
        started: state.started.map(time),
        frozen: state.frozen.map(time),
        ended: state.ended.map(time),
        thawed: state.thawed.map(time),
        finalized: state.finalized.map(time),
        end_of_updates: state.end_of_updates.map(time),
    }
}

pub fn wire_submission(view: &View<'_>, submission: &SubmissionView<'_>) -> wire::Submission {
    let (contest, number) = (view.id(), submission.number);
    // Teams get their own source by `files`: a property is there for all of a collection or for none.
    let files = submission.files.filter(|_| view.is_jury()).map(|_| {
        vec![wire::FileReference {
            href: Some(format!("contests/{contest}/submissions/{number}/files")),
            filename: format!("submission-{number}.zip"),
            mime: "application/zip".to_owned(),
            ..Default::default()
        }]
    });
    wire::Submission {
        id: number.to_string(),
        language_id: submission.language.to_string(),
        problem_id: submission.problem.to_string(),
        team_id: submission.team.map(ToString::to_string),
        account_id: submission.account.map(ToString::to_string),
        time: time(submission.time),
        contest_time: reltime(submission.contest_time),
        entry_point: view.is_jury().then(|| submission.entry_point.map(ToOwned::to_owned)),
        files,
        reaction: WireFiles::new(view, &FileOwner::Submission(number)).take(FileProperty::Reaction),
    }
}

pub fn wire_judgement(judgement: &JudgementView<'_>) -> wire::Judgement {
    wire::Judgement {
        id: judgement.key.to_string(),
        submission_id: judgement.key.submission.to_string(),
        judgement_type_id: judgement.outcome.map(|outcome| outcome.verdict.0.clics_id().to_owned()),
        score: judgement.outcome.and_then(|outcome| outcome.score).map(contest_rules::Score::points),
        current: judgement.is_current,
        start_time: time(judgement.start),
        start_contest_time: reltime(judgement.start_contest_time),
        end_time: judgement.end.map(time),
        end_contest_time: judgement.end_contest_time.map(reltime),
        max_run_time: judgement.max_run_time.map(Nanos::as_clics_secs),
    }
}

/// Returns why a judgement was opened, in words.
pub fn reason(reason: JudgementReason) -> String {
    match reason {
        JudgementReason::First => "a new submission".to_owned(),
        JudgementReason::Replica => "a replica on another judgehost".to_owned(),
        JudgementReason::Strict => "the strict pool decides".to_owned(),
        JudgementReason::Confirm => "a compile error is confirmed elsewhere".to_owned(),
        JudgementReason::Rejudging(number) => format!("rejudging {number}"),
        JudgementReason::OnDemand => "the jury asked for it".to_owned(),
        JudgementReason::Imported => "it was judged elsewhere or earlier".to_owned(),
    }
}

/// Returns what else is known about a judgement, for the wire, without the compiler's output.
pub fn wire_details(contest: &str, judgement: &JudgementView<'_>) -> wire::JudgementDetails {
    let jury = judgement.jury.as_ref();
    let is_cancelled = jury.is_some_and(|jury| jury.cancelled.is_some());
    let is_done = jury.map_or(judgement.outcome.is_some(), |jury| jury.is_done);
    let progress = match judgement.has_begun {
        _ if is_done => "done",
        _ if is_cancelled => "cancelled",
        true => "judging",
        false => "waiting",
    };
    let evidence = judgement.evidence.map(|_| wire::FileReference {
        href: Some(format!("contests/{contest}/judgements/{}/evidence", judgement.key)),
        filename: format!("judgement-{}.jsonl", judgement.key),
        mime: "application/x-ndjson".to_owned(),
        ..Default::default()
    });
    let failure = |(host, reason): &(contest_rules::JudgehostId, String)| format!("{host}: {reason}");
    wire::JudgementDetails {
        id: judgement.key.to_string(),
        progress: progress.to_owned(),
        waits_for: None,
        compile_output: None,
        reason: jury.map(|jury| reason(jury.reason)),
        pool: jury.map(|jury| jury.pool.to_string()),
        judgehost: jury.and_then(|jury| jury.judgehost).map(ToString::to_string),
        failures: jury.map(|jury| jury.failures.iter().map(failure).collect()).unwrap_or_default(),
        nondeterministic: jury
            .and_then(|jury| jury.nondeterministic)
            .map(|cases| cases.iter().copied().collect())
            .unwrap_or_default(),
        for_jury: jury
            .and_then(|jury| jury.for_jury)
            .map(|cases| cases.iter().copied().collect())
            .unwrap_or_default(),
        evidence,
        verified_by: jury.and_then(|jury| jury.verified).map(|(account, _)| account.to_string()),
    }
}

/// Returns how far a submission is, for the wire.
pub fn wire_submission_state(
    view: &View<'_>,
    hosts: &Hosts,
    submission: &SubmissionView<'_>,
) -> wire::SubmissionState {
    let judgements = view.judgements_of_submission(submission.number).unwrap_or_default();
    let current = judgements.iter().find(|judgement| judgement.is_current);
    let details = current.map(|judgement| wire_details("", judgement)).unwrap_or_default();
    let reason = current.and_then(|judgement| judgement.jury.as_ref()).map(|jury| jury.reason);
    wire::SubmissionState {
        submission_id: submission.number.to_string(),
        judgement_id: current.map(|judgement| judgement.key.to_string()),
        progress: current.map(|_| details.progress),
        waits_for: current.and_then(|judgement| hosts.obstacle(view, judgement.key)),
        pool: details.pool,
        judgehost: details.judgehost,
        rejudging_id: reason.and_then(|reason| match reason {
            JudgementReason::Rejudging(number) => Some(number.to_string()),
            _ => None,
        }),
        verified_by: details.verified_by,
        ignored: submission.ignored.map(ToOwned::to_owned),
        overridden: submission.overridden.as_ref().map(|overridden| wire::Overridden {
            judgement_type_id: overridden.outcome.verdict.0.clics_id().to_owned(),
            score: overridden.outcome.score.map(contest_rules::Score::points),
            by: overridden.by.map(ToString::to_string),
            time: time(overridden.time),
            reason: overridden.reason.to_owned(),
        }),
        replicas_differ: submission.replicas.is_some_and(|replicas| replicas.differ),
        waits_for_jury: current
            .and_then(|judgement| judgement.jury.as_ref())
            .is_some_and(|jury| jury.waits_for_jury),
    }
}

pub fn wire_run(run: &RunView) -> wire::Run {
    wire::Run {
        id: format!("{}-{}", run.judgement, run.ordinal),
        judgement_id: run.judgement.to_string(),
        ordinal: run.ordinal,
        judgement_type_id: run.verdict.0.clics_id().to_owned(),
        time: time(run.time),
        contest_time: reltime(run.contest_time),
        run_time: run.cpu_time.as_clics_secs(),
    }
}

/// Returns a rejudging for the wire, with each submission or without.
pub fn wire_rejudging(rejudging: &RejudgingView<'_>, is_whole: bool) -> wire::Rejudging {
    let verdict = |outcome: Option<contest_rules::Outcome>| {
        outcome.map(|outcome| outcome.verdict.0.clics_id().to_owned())
    };
    let score = |outcome: Option<contest_rules::Outcome>| {
        outcome.and_then(|outcome| outcome.score).map(contest_rules::Score::points)
    };
    let change = |entry: &RejudgedSubmission| wire::VerdictChange {
        submission_id: entry.submission.to_string(),
        from: verdict(entry.before),
        to: verdict(entry.after),
        from_score: score(entry.before),
        to_score: score(entry.after),
    };
    let spread = |entry: &RejudgedSubmission| wire::RejudgingSpread {
        submission_id: entry.submission.to_string(),
        verdicts: entry.verdicts.iter().map(|(verdict, count)| format!("{verdict} {count}")).collect(),
        lowest_run_time: entry.lowest.map(Nanos::as_clics_secs),
        highest_run_time: entry.highest.map(Nanos::as_clics_secs),
    };
    let state = match rejudging.status {
        RejudgingStatus::Open => "open",
        RejudgingStatus::Applied(_) => "applied",
        RejudgingStatus::Cancelled(_) => "cancelled",
    };
    let submissions = if is_whole { rejudging.submissions.as_slice() } else { &[] };
    wire::Rejudging {
        id: rejudging.number.to_string(),
        state: state.to_owned(),
        reason: rejudging.reason.to_owned(),
        time: time(rejudging.opened),
        repeat: rejudging.repeat,
        submissions: u32::try_from(rejudging.submissions.len()).unwrap_or(u32::MAX),
        judgements: rejudging.judgements,
        done: rejudging.done,
        changes: submissions.iter().filter(|entry| entry.is_changed()).map(change).collect(),
        spread: submissions.iter().filter(|_| rejudging.repeat > 1).map(spread).collect(),
    }
}

pub fn wire_clarification(clarification: &ClarificationView<'_>, is_jury: bool) -> wire::Clarification {
    let list = |ids: Vec<String>| (!ids.is_empty()).then_some(ids);
    wire::Clarification {
        id: clarification.number.to_string(),
        from_team_id: clarification.from_team.map(ToString::to_string),
        to_team_ids: list(texts(clarification.to_teams.iter().copied())),
        to_group_ids: list(texts(clarification.to_groups.iter().copied())),
        reply_to_id: clarification.reply_to.map(|number| number.to_string()),
        problem_id: clarification.problem.map(ToString::to_string),
        category: clarification.category.map(ToOwned::to_owned),
        text: clarification.text.to_owned(),
        time: time(clarification.time),
        contest_time: reltime(clarification.contest_time),
        claimed_by: clarification.claim.map(|(by, _)| by.to_string()),
        claimed_until: clarification.claim.map(|(_, until)| time(*until)),
        is_answered: is_jury.then_some(clarification.is_answered),
    }
}

pub fn wire_balloon(balloon: &BalloonView<'_>) -> wire::Balloon {
    let delivered_by = balloon
        .delivered
        .map(|(_, account)| account.as_ref().map_or_else(|| "the server".to_owned(), ToString::to_string));
    wire::Balloon {
        id: crate::events::balloon_id(balloon.team, balloon.problem),
        team_id: balloon.team.to_string(),
        problem_id: balloon.problem.to_string(),
        time: time(balloon.time),
        is_first: balloon.is_first,
        delivered_by,
    }
}
