//! Maximum scores that a package leaves to be inferred, and whether groups are consistent.

use super::Group;
use super::current_config::{GroupConfig, MaxScore};
use crate::error::Complaint;
use crate::scoring::{AggregateGrading, Aggregation, Grading};
use crate::{Format, PackageError};
use std::collections::BTreeMap;

/// The maximum score of `secret` by default.
const DEFAULT_SECRET_SCORE: f64 = 100.0;

pub(super) fn grade(
    format: Format,
    is_scoring: bool,
    data: &mut Group,
    configs: &BTreeMap<String, GroupConfig>,
) -> Result<(), PackageError> {
    if !is_scoring {
        return Ok(());
    }
    let Some(secret) = data.groups.iter_mut().find(|group| group.name == "secret") else { return Ok(()) };
    let most = match config_of(configs, "secret").max_score {
        None => Some(DEFAULT_SECRET_SCORE),
        Some(MaxScore::Points(points)) => Some(points),
        Some(MaxScore::Unbounded) => None,
    };
    grade_group(format, secret, most, configs)?;
    check_requirements(format, data, configs)
}

fn grade_group(
    format: Format,
    group: &mut Group,
    most: Option<f64>,
    configs: &BTreeMap<String, GroupConfig>,
) -> Result<(), PackageError> {
    let config = config_of(configs, &group.name);
    let default = if group.name == "secret" { Aggregation::Sum } else { Aggregation::PassFail };
    let aggregation = config.aggregation.unwrap_or(default);
    if aggregation == Aggregation::PassFail && most.is_none() {
        return Err(config.place.clone().invalid(
            format!(
                "leaves {} unbounded, but a group that passes or fails needs a maximum score",
                group.name
            ),
            "set its maximum score to a number, or its aggregation to sum or min",
        ));
    }
    let shared = share(format, group, aggregation, most, configs)?;
    group.grading = Grading::Aggregate(AggregateGrading {
        max_score: most,
        case_max_score: if aggregation == Aggregation::PassFail { None } else { shared },
        aggregation,
        require_pass: config.require_pass.clone(),
    });
    for inner in &mut group.groups {
        let inner_config = config_of(configs, &inner.name);
        if aggregation == Aggregation::PassFail
            && inner_config.aggregation.is_some_and(|inner| inner != Aggregation::PassFail)
        {
            return Err(inner_config.place.clone().invalid(
                format!("adds scores in {}, but {} passes or fails as a whole", inner.name, group.name),
                "use pass-fail in both, or sum or min in the outer one",
            ));
        }
        let inner_most = match inner_config.max_score {
            Some(MaxScore::Points(points)) => Some(points),
            Some(MaxScore::Unbounded) | None if most.is_none() => None,
            Some(MaxScore::Unbounded) => {
                return Err(inner_config.place.clone().invalid(
                    format!("makes {} unbounded, but {} is bounded", inner.name, group.name),
                    "name a number, or make secret unbounded as well",
                ));
            }
            // Inside a pass-fail group nothing adds to the score.
            None if aggregation == Aggregation::PassFail => Some(0.0),
            None if format == Format::V2023_07 => shared,
            None => {
                return Err(inner_config.place.clone().invalid(
                    format!("leaves {} without max_score, but {} is bounded", inner.name, group.name),
                    "set max_score of each group, or make secret unbounded",
                ));
            }
        };
        grade_group(format, inner, inner_most, configs)?;
    }
    Ok(())
}

/// Finds the maximum score of each case, and of each group that does not set one.
fn share(
    format: Format,
    group: &Group,
    aggregation: Aggregation,
    most: Option<f64>,
    configs: &BTreeMap<String, GroupConfig>,
) -> Result<Option<f64>, PackageError> {
    let Some(most) = most else { return Ok(None) };
    if aggregation != Aggregation::Sum {
        return Ok(Some(most));
    }
    let config = config_of(configs, &group.name);
    let mut named = 0.0;
    let mut sharers = group.cases.len();
    match group.static_validation.as_ref().map(|check| check.score) {
        Some(Some(score)) => named += score,
        Some(None) if format == Format::V2023_07 => sharers += 1,
        _ => {}
    }
    if format == Format::V2023_07 {
        for inner in &group.groups {
            match config_of(configs, &inner.name).max_score {
                Some(MaxScore::Points(points)) => named += points,
                _ => sharers += 1,
            }
        }
    }
    if named > most {
        return Err(config.place.clone().invalid(
            format!("gives {} at most {most} points, but the parts of it have {named}", group.name),
            "raise the maximum score or lower those of the parts",
        ));
    }
    Ok(Some(if sharers == 0 { 0.0 } else { (most - named) / sharers as f64 }))
}

/// Checks that groups only require earlier groups that can be passed.
fn check_requirements(
    format: Format,
    data: &Group,
    configs: &BTreeMap<String, GroupConfig>,
) -> Result<(), PackageError> {
    for (name, config) in configs {
        for required in &config.require_pass {
            let refuse = |problem: String| {
                Err(config
                    .place
                    .clone()
                    .invalid(problem, "require sample or an earlier group that passes or fails"))
            };
            let is_case = data.all_cases().iter().any(|case| case.name == *required);
            let group = data.find(required).filter(|group| !group.name.is_empty());
            if format == Format::V2025_09 && (is_case || required == "secret") {
                return refuse(format!("requires '{required}', expected sample or a group of secret"));
            }
            if group.is_none() && !is_case {
                return refuse(format!("requires '{required}', which does not exist"));
            }
            if required.as_str() >= name.as_str() || name == "secret" && required != "sample" {
                return refuse(format!("lets {name} require '{required}', which does not come before it"));
            }
            let adds_scores = group.is_some_and(|group| {
                group.name != "sample"
                    && matches!(&group.grading, Grading::Aggregate(grading) if grading.aggregation != Aggregation::PassFail)
            });
            if adds_scores {
                return refuse(format!("requires '{required}', which adds scores and is never just passed"));
            }
        }
    }
    Ok(())
}

fn config_of<'c>(configs: &'c BTreeMap<String, GroupConfig>, name: &str) -> &'c GroupConfig {
    configs.get(name).expect("every group was given a configuration when it was read")
}
