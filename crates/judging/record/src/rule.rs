//! Converts the rule to and from its form in a record.

use documents::RecordRule;
use model::Nanos;
use ruling::{RuleNumbers, TimeRule};
use std::collections::BTreeMap;

/// A recorded rule is not one of this version of `tauto`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("rule {0} is not known")]
    Unknown(u32),
    #[error("{name} of its rule is {found}, in rule {version} it is {expected}")]
    Number { version: u32, name: String, found: u64, expected: u64 },
    #[error("its rule has a number {name}, rule {version} has none of that name")]
    NoSuchNumber { version: u32, name: String },
    #[error("rule {0} does not have the numbers of its rule")]
    Numbers(u32),
    #[error("its rule has not its time limit")]
    Limit,
}

/// Makes the recorded form of a rule for submissions of this many cases.
pub fn recorded_rule(rule: &TimeRule, cases: usize) -> RecordRule {
    let TimeRule { clock, limit, kill_limit, patience, quick, wall, numbers } = *rule;
    RecordRule {
        version: numbers.version,
        limit_ns: limit.0,
        clock,
        kill_limit_ns: kill_limit.0,
        wall_limit_ns: rule.wall_limit().0,
        wall_limit_asked: wall.is_some(),
        agreement_permille: numbers.agreement_permille,
        agreement_floor_ns: numbers.agreement_floor.0,
        margin_parts: numbers.margin_parts,
        runs_min: numbers.runs_min,
        runs_max: numbers.runs_max,
        spacing_ns: numbers.spacing.0,
        patience_ns: patience.0,
        quick,
        repeats_allowed: rule.repeats_allowed(cases),
        numbers: numbers.named().into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

/// Makes the rule from its recorded form, for submissions of this many cases.
pub fn rule_of(recorded: &RecordRule, cases: u64) -> Result<TimeRule, RuleError> {
    let version = recorded.version;
    let numbers = RuleNumbers::of_version(version).ok_or(RuleError::Unknown(version))?;
    let known: BTreeMap<&str, u64> = numbers.named().into_iter().collect();
    for (name, &found) in &recorded.numbers {
        match known.get(name.as_str()) {
            Some(&expected) if expected == found => {}
            Some(&expected) => {
                return Err(RuleError::Number { version, name: name.clone(), found, expected });
            }
            None => return Err(RuleError::NoSuchNumber { version, name: name.clone() }),
        }
    }
    let found = TimeRule {
        clock: recorded.clock,
        kill_limit: Nanos(recorded.kill_limit_ns),
        patience: Nanos(recorded.patience_ns),
        quick: recorded.quick,
        wall: recorded.wall_limit_asked.then_some(Nanos(recorded.wall_limit_ns)),
        ..TimeRule::of(numbers, Nanos(recorded.limit_ns))
    };
    let again = RecordRule {
        numbers: recorded.numbers.clone(),
        ..recorded_rule(&found, usize::try_from(cases).unwrap_or(usize::MAX))
    };
    if again != *recorded {
        return Err(RuleError::Numbers(version));
    }
    Ok(found)
}
