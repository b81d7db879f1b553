//! Small examples for tests.

use crate::{
    ContestSettings, CountedScore, Feedback, GroupSettings, Instant, JudgingMode, Medals, Millis,
    OrganizationSettings, PersonSettings, PoolSettings, ProblemSettings, Score, Scoring, SubmissionLimits,
    TeamSettings,
};
use model::Bytes;
use std::collections::BTreeSet;

/// When the contests start.
pub const START: Instant = Instant(1_800_000_000_000);

/// Returns an ICPC contest of five hours, with a freeze of one.
pub fn contest() -> ContestSettings {
    ContestSettings {
        name: "sample".to_owned(),
        formal_name: None,
        start: Some(START),
        countdown_pause: None,
        duration: Millis::minutes(300),
        freeze: Some(Millis::minutes(60)),
        thaw: None,
        removed: Vec::new(),
        scoring: Scoring::PassFail { penalty: Millis::minutes(20), compile_penalty: false },
        languages: BTreeSet::new(),
        strict_pool: id("strict"),
        fast_pool: None,
        replicas: 1,
        judging: JudgingMode::Lazy,
        practice: true,
        verification_required: false,
        feedback: Feedback::Cases,
        shows_compiler_output: true,
        main_group: None,
        is_public: true,
        clarification_categories: vec!["general".to_owned()],
        canned_answers: Vec::new(),
        medals: Medals { gold: 4, silver: 4, bronze: 4 },
        submission_limits: SubmissionLimits {
            per_minute: 10,
            in_all: 1000,
            files: 10,
            bytes: Bytes(256 << 10),
        },
        location: None,
    }
}

/// Returns a contest with points.
pub fn points(counted: CountedScore) -> ContestSettings {
    ContestSettings { scoring: Scoring::Points { counted }, ..contest() }
}

/// Returns a problem.
pub fn problem(name: &str, ordinal: u32) -> ProblemSettings {
    ProblemSettings {
        id: id(name),
        uuid: None,
        label: char::from(b'A' + ordinal as u8).to_string(),
        ordinal,
        name: format!("Problem {name}"),
        rgb: None,
        color: None,
        package: crate::BlobHash(format!("{:064x}", ordinal + 1).into()),
        time_limit: Some(model::Nanos::from_millis(1000)),
        memory_limit: Bytes(256 << 20),
        output_limit: Bytes(8 << 20),
        code_limit: Bytes(64 << 10),
        test_data_count: 10,
        sample_count: 2,
        max_score: Some(Score(100_000_000)),
        scores: None,
        languages: BTreeSet::new(),
        is_paused: false,
        pause_reason: None,
        verified_by: None,
        files: Default::default(),
    }
}

/// Returns a team.
pub fn team(name: &str) -> TeamSettings {
    TeamSettings::new(id(name), format!("Team {name}"))
}

/// Returns a group.
pub fn group(name: &str) -> GroupSettings {
    GroupSettings::new(id(name), format!("Group {name}"))
}

/// Returns an organization.
pub fn organization(name: &str) -> OrganizationSettings {
    OrganizationSettings::new(id(name), format!("Organization {name}"))
}

/// Returns a contestant.
pub fn person(name: &str, team: &str) -> PersonSettings {
    PersonSettings::new(id(name), format!("Person {name}"), id(team))
}

/// Returns a pool.
pub fn pool(name: &str) -> PoolSettings {
    PoolSettings { id: id(name), identity: None, compilers: None }
}

/// Returns an id.
pub fn id<T: std::str::FromStr<Err = crate::IdError>>(text: &str) -> T {
    text.parse().expect("samples have good ids")
}
