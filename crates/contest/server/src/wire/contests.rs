//! Contests.

use super::files::WireFiles;
use super::{from_request, id, ids, optional_id, reltime, texts, time};
use crate::Problem;
use api::contest as wire;
use contest::view::View;
use contest::{
    ContestId, ContestSettings, CountedScore, Feedback, FileOwner, FileProperty, Instant, JudgingMode,
    Location, Medals, Millis, RemovedInterval, Scoring, SubmissionLimits,
};
use model::Bytes;

/// Returns a contest for the wire.
pub fn wire_contest(view: &View<'_>) -> wire::Contest {
    let contest = view.contest();
    let (scoreboard_type, penalty_time) = match contest.scoring {
        Scoring::PassFail { penalty, .. } => (wire::ScoreboardType::PassFail, Some(reltime(penalty))),
        Scoring::Points { .. } => (wire::ScoreboardType::Score, None),
    };
    let mut files = WireFiles::new(view, &FileOwner::Contest);
    wire::Contest {
        id: contest.id.to_string(),
        name: contest.name.to_owned(),
        formal_name: contest.formal_name.map(ToOwned::to_owned),
        start_time: contest.start.map(time),
        countdown_pause_time: contest.countdown_pause.map(reltime),
        duration: reltime(contest.duration),
        scoreboard_freeze_duration: contest.freeze.map(reltime),
        scoreboard_thaw_time: contest.thaw.map(time),
        scoreboard_type,
        main_scoreboard_group_id: contest.main_group.map(ToString::to_string),
        penalty_time,
        banner: files.take(FileProperty::Banner),
        logo: files.take(FileProperty::Logo),
        location: contest.location.map(Location::object),
    }
}

/// Returns a place on earth of a request.
fn location(place: Option<wire::Location>) -> Result<Option<Location>, Problem> {
    let read = |place: wire::Location| {
        let place = serde_json::to_value(place).map_err(Problem::internal)?;
        from_request(&place, Location::read)
    };
    place.map(read).transpose()
}

/// Returns a contest's settings from the wire.
pub fn contest_settings(settings: wire::ContestSettings) -> Result<(ContestId, ContestSettings), Problem> {
    let contest = id("id", &settings.id)?;
    let scoring = match settings.scoreboard_type {
        wire::ScoreboardType::PassFail => Scoring::PassFail {
            penalty: Millis(settings.penalty_time.0),
            compile_penalty: settings.compile_penalty,
        },
        wire::ScoreboardType::Score => Scoring::Points {
            counted: match settings.counted_score {
                wire::CountedScore::Best => CountedScore::Best,
                wire::CountedScore::Last => CountedScore::Last,
                wire::CountedScore::BestOfSubtasks => CountedScore::BestOfSubtasks,
            },
        },
    };
    let removed = settings.removed_intervals.iter().map(|interval| RemovedInterval {
        begin: Instant(interval.begin.0),
        end: interval.end.map(|end| Instant(end.0)),
    });
    let limits = settings.submission_limits;
    Ok((
        contest,
        ContestSettings {
            name: settings.name,
            formal_name: settings.formal_name,
            start: settings.start_time.map(|time| Instant(time.0)),
            countdown_pause: settings.countdown_pause_time.map(|time| Millis(time.0)),
            duration: Millis(settings.duration.0),
            freeze: settings.scoreboard_freeze_duration.map(|time| Millis(time.0)),
            thaw: settings.scoreboard_thaw_time.map(|time| Instant(time.0)),
            removed: removed.collect(),
            scoring,
            languages: ids("languages", &settings.languages)?,
            strict_pool: id("strict_pool", &settings.strict_pool)?,
            fast_pool: optional_id("fast_pool", settings.fast_pool.as_deref())?,
            replicas: settings.replicas,
            judging: match settings.judging {
                wire::JudgingMode::Lazy => JudgingMode::Lazy,
                wire::JudgingMode::Full => JudgingMode::Full,
                wire::JudgingMode::OnDemand => JudgingMode::OnDemand,
            },
            practice: settings.practice,
            verification_required: settings.verification_required,
            feedback: match settings.feedback {
                wire::Feedback::Verdict => Feedback::Verdict,
                wire::Feedback::Cases => Feedback::Cases,
            },
            shows_compiler_output: settings.shows_compiler_output,
            main_group: optional_id(
                "main_scoreboard_group_id",
                settings.main_scoreboard_group_id.as_deref(),
            )?,
            is_public: settings.is_public,
            clarification_categories: settings.clarification_categories,
            canned_answers: settings.canned_answers,
            medals: Medals {
                gold: settings.medals.gold,
                silver: settings.medals.silver,
                bronze: settings.medals.bronze,
            },
            submission_limits: SubmissionLimits {
                per_minute: limits.per_minute,
                in_all: limits.in_all,
                files: limits.files,
                bytes: Bytes(limits.kib.saturating_mul(1024)),
            },
            location: location(settings.location)?,
        },
    ))
}

/// Returns a contest's settings for the wire.
pub fn wire_settings(contest: &ContestId, settings: &ContestSettings) -> wire::ContestSettings {
    let (scoreboard_type, penalty_time, compile_penalty, counted_score) = match settings.scoring {
        Scoring::PassFail { penalty, compile_penalty } => {
            (wire::ScoreboardType::PassFail, penalty, compile_penalty, wire::CountedScore::Best)
        }
        Scoring::Points { counted } => {
            let counted = match counted {
                CountedScore::Best => wire::CountedScore::Best,
                CountedScore::Last => wire::CountedScore::Last,
                CountedScore::BestOfSubtasks => wire::CountedScore::BestOfSubtasks,
            };
            (wire::ScoreboardType::Score, Millis::ZERO, false, counted)
        }
    };
    let removed = settings
        .removed
        .iter()
        .map(|interval| wire::RemovedInterval { begin: time(interval.begin), end: interval.end.map(time) });
    wire::ContestSettings {
        id: contest.to_string(),
        name: settings.name.clone(),
        formal_name: settings.formal_name.clone(),
        start_time: settings.start.map(time),
        countdown_pause_time: settings.countdown_pause.map(reltime),
        duration: reltime(settings.duration),
        scoreboard_freeze_duration: settings.freeze.map(reltime),
        scoreboard_thaw_time: settings.thaw.map(time),
        removed_intervals: removed.collect(),
        scoreboard_type,
        penalty_time: reltime(penalty_time),
        compile_penalty,
        counted_score,
        languages: texts(&settings.languages),
        strict_pool: settings.strict_pool.to_string(),
        fast_pool: settings.fast_pool.as_ref().map(ToString::to_string),
        replicas: settings.replicas,
        judging: match settings.judging {
            JudgingMode::Lazy => wire::JudgingMode::Lazy,
            JudgingMode::Full => wire::JudgingMode::Full,
            JudgingMode::OnDemand => wire::JudgingMode::OnDemand,
        },
        practice: settings.practice,
        verification_required: settings.verification_required,
        feedback: match settings.feedback {
            Feedback::Verdict => wire::Feedback::Verdict,
            Feedback::Cases => wire::Feedback::Cases,
        },
        shows_compiler_output: settings.shows_compiler_output,
        main_scoreboard_group_id: settings.main_group.as_ref().map(ToString::to_string),
        is_public: settings.is_public,
        clarification_categories: settings.clarification_categories.clone(),
        canned_answers: settings.canned_answers.clone(),
        medals: wire::Medals {
            gold: settings.medals.gold,
            silver: settings.medals.silver,
            bronze: settings.medals.bronze,
        },
        submission_limits: wire::SubmissionLimits {
            per_minute: settings.submission_limits.per_minute,
            in_all: settings.submission_limits.in_all,
            files: settings.submission_limits.files,
            kib: settings.submission_limits.bytes.0 / 1024,
        },
        location: settings.location.as_ref().map(Location::object),
    }
}
