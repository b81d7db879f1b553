//! Small examples for tests.

use crate::{
    ContestSettings, CountedScore, Feedback, GroupSettings, Instant, Millis, OrganizationSettings,
    PersonSettings, PoolSettings, ProblemSettings, Score, Scoring, TeamSettings,
};
use model::Bytes;

pub const START: Instant = Instant(1_800_000_000_000);

/// Returns an ICPC contest of five hours, with a freeze of one.
pub fn contest() -> ContestSettings {
    ContestSettings {
        start: Some(START),
        freeze: Some(Millis::minutes(60)),
        strict_pool: id("strict"),
        practice: true,
        feedback: Feedback::Cases,
        clarification_categories: vec!["general".to_owned()],
        ..ContestSettings::usual("sample", Millis::minutes(300))
    }
}

pub fn points(counted: CountedScore) -> ContestSettings {
    ContestSettings { scoring: Scoring::Points { counted }, ..contest() }
}

pub fn problem(name: &str, ordinal: u32) -> ProblemSettings {
    let label = char::from(b'A' + ordinal as u8);
    let package = crate::BlobHash(format!("{:064x}", ordinal + 1).into());
    ProblemSettings {
        name: format!("Problem {name}"),
        time_limit: Some(model::Nanos::from_millis(1000)),
        memory_limit: Bytes(256 << 20),
        code_limit: Bytes(64 << 10),
        test_data_count: 10,
        sample_count: 2,
        max_score: Some(Score(100_000_000)),
        ..ProblemSettings::new(id(name), label, ordinal, package)
    }
}

pub fn team(name: &str) -> TeamSettings {
    TeamSettings::new(id(name), format!("Team {name}"))
}

pub fn group(name: &str) -> GroupSettings {
    GroupSettings::new(id(name), format!("Group {name}"))
}

pub fn organization(name: &str) -> OrganizationSettings {
    OrganizationSettings::new(id(name), format!("Organization {name}"))
}

pub fn person(name: &str, team: &str) -> PersonSettings {
    PersonSettings::new(id(name), format!("Person {name}"), id(team))
}

pub fn pool(name: &str) -> PoolSettings {
    PoolSettings { id: id(name), identity: None, compilers: None }
}

pub fn id<T: std::str::FromStr<Err = crate::IdError>>(text: &str) -> T {
    text.parse().expect("samples have good ids")
}
