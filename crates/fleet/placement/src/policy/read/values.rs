//! The keys of a policy, each on top of what the policy extends.

use super::fields::FieldOfPolicy;
use super::name;
use crate::Level;
use crate::policy::{Candidates, Limits, Policy, Prediction, Promise, Rescheduling, Score, WEIGHT_MAX};
use located::{Field, Object, Report, Reported};
use std::collections::BTreeMap;

/// More pools than any fleet has.
const POOLS_MAX: usize = 1000;
/// More than this was nowhere reported to work; it is rather a percentage.
const CPU_PERMILLE_MAX: u32 = 10_000;
/// Memory is not shared like CPU time: beyond twice of it, jobs end for lack of it.
const MEMORY_PERMILLE_MAX: u32 = 2000;
/// All of a host's CPUs.
const ALL_PERMILLE: u32 = 1000;
/// Half of the windows above it: then it is no peak.
const RISK_PERMILLE_MAX: u32 = 500;
/// A larger number is as good as `all`.
const CANDIDATES_MAX: u32 = 10_000;
/// More moves in a round than any round can carry out.
const MOVES_MAX: u32 = 100_000;
const SECOND_MS: u64 = 1000;
const HOUR_MS: u64 = 3600 * SECOND_MS;
const DAY_MS: u64 = 24 * HOUR_MS;
/// Longer windows see neither peaks nor the time of day.
const WINDOW_MS_MAX: u64 = DAY_MS;
/// Longer times are typing errors.
const TIME_MS_MAX: u64 = 30 * DAY_MS;

/// Reads all keys but the name, `extends` and `fallback`.
pub fn read(report: &Report, map: &mut Object<'_>, policy: &mut Policy) {
    if let Some(field) = map.entry("pools") {
        pools(report, &field, &mut policy.pools);
    }
    if let Some(field) = map.entry("limits") {
        limits(report, &field, &mut policy.limits);
    }
    if let Some(field) = map.entry("prefer") {
        policy.prefer = prefer(report, &field);
    }
    set(map, "candidates", &mut policy.candidates, |field| candidates(report, field));
    if let Some(field) = map.entry("prediction") {
        policy.prediction = prediction(report, &field, policy.prediction);
    }
    if let Some(field) = map.entry("rescheduling") {
        policy.rescheduling = rescheduling(report, &field, policy.rescheduling);
    }
}

/// Takes a field into its place if it is there and can be read.
fn set<'n, T>(
    map: &mut Object<'n>,
    name: &'static str,
    place: &mut T,
    read: impl FnOnce(&Field<'n>) -> Option<T>,
) {
    if let Some(value) = map.entry(name).and_then(|field| read(&field)) {
        *place = value;
    }
}

fn pools(report: &Report, field: &Field<'_>, pools: &mut BTreeMap<String, Promise>) {
    if field.is_none() {
        pools.clear();
        return;
    }
    let Some(mut map) = field.object().reported(report) else { return };
    for (name, field) in map.take_rest() {
        let Some(name) = self::name(report, &field, name) else { continue };
        if pools.len() >= POOLS_MAX && !pools.contains_key(name) {
            field.error(report, format!("is one too many, expected at most {POOLS_MAX} pools; remove some"));
            return;
        }
        let Some(mut map) = field.object().reported(report) else { continue };
        let promise = pools.entry(name.to_owned()).or_default();
        set(&mut map, "levels", &mut promise.levels, |field| levels(report, field));
        set(&mut map, "cpu", &mut promise.cpu_permille, |field| {
            field.permille(1..=CPU_PERMILLE_MAX).reported(report)
        });
        set(&mut map, "memory", &mut promise.memory_permille, |field| {
            field.permille(1..=MEMORY_PERMILLE_MAX).reported(report)
        });
        map.refuse_rest(report);
    }
}

fn levels(report: &Report, field: &Field<'_>) -> Option<Vec<Level>> {
    let mut found = Vec::new();
    for item in field.items().reported(report)? {
        let level = item.word(&Level::WORDS).reported(report)?;
        if found.contains(&level) {
            item.error(report, format!("is '{}' once more, expected each level once; remove it", level.id()));
        }
        found.push(level);
    }
    if found.is_empty() {
        let message = "is empty, so that the pool takes no job, expected at least one level; name one of strict, \
                       standard, best-effort";
        field.error(report, message.to_owned());
    }
    // The order says nothing.
    found.sort_unstable();
    Some(found)
}

fn limits(report: &Report, field: &Field<'_>, limits: &mut Limits) {
    if field.is_none() {
        *limits = Limits::default();
        return;
    }
    let Some(mut map) = field.object().reported(report) else { return };
    for (name, place) in [
        ("peak", &mut limits.peak_permille),
        ("mean", &mut limits.mean_permille),
        ("best-effort", &mut limits.best_effort_permille),
    ] {
        set(&mut map, name, place, |field| share_or_none(report, field));
    }
    map.refuse_rest(report);
}

/// Reads a part of the CPUs, or `none`.
fn share_or_none(report: &Report, field: &Field<'_>) -> Option<Option<u32>> {
    if field.is_none() { Some(None) } else { field.permille(1..=ALL_PERMILLE).reported(report).map(Some) }
}

fn prefer(report: &Report, field: &Field<'_>) -> BTreeMap<Score, u32> {
    let mut weights = BTreeMap::new();
    if field.is_none() {
        return weights;
    }
    let Some(mut map) = field.object().reported(report) else { return weights };
    for score in Score::ALL {
        let weight = map.entry(score.id()).and_then(|field| field.count(1..=WEIGHT_MAX).reported(report));
        weights.extend(weight.map(|weight| (score, weight)));
    }
    map.refuse_rest(report);
    weights
}

fn candidates(report: &Report, field: &Field<'_>) -> Option<Candidates> {
    match &field.node.value {
        located::Value::Text(text) if text == "all" => Some(Candidates::All),
        located::Value::Number { .. } => {
            field.count(1..=CANDIDATES_MAX).reported(report).map(Candidates::First)
        }
        _ => {
            let expected = format!("a whole number from 1 to {CANDIDATES_MAX}, or all");
            report.wrong(field.wrong(expected, "write 8, which suits most fleets"));
            None
        }
    }
}

fn prediction(report: &Report, field: &Field<'_>, extended: Option<Prediction>) -> Option<Prediction> {
    if field.is_none() {
        return None;
    }
    let mut read = extended.unwrap_or_default();
    let Some(mut map) = field.object().reported(report) else { return Some(read) };
    for (name, place, max) in [
        ("window", &mut read.window_ms, WINDOW_MS_MAX),
        ("horizon", &mut read.horizon_ms, TIME_MS_MAX),
        ("stale-after", &mut read.stale_after_ms, TIME_MS_MAX),
    ] {
        set(&mut map, name, place, |field| field.duration(SECOND_MS..=max).reported(report));
    }
    set(&mut map, "risk", &mut read.risk_permille, |field| {
        field.permille(1..=RISK_PERMILLE_MAX).reported(report)
    });
    map.refuse_rest(report);
    Some(read)
}

fn rescheduling(report: &Report, field: &Field<'_>, extended: Option<Rescheduling>) -> Option<Rescheduling> {
    if field.is_none() {
        return None;
    }
    let mut read = extended.unwrap_or_default();
    let Some(mut map) = field.object().reported(report) else { return Some(read) };
    for (name, place, range) in [
        ("every", &mut read.every_ms, SECOND_MS..=TIME_MS_MAX),
        ("rest", &mut read.rest_ms, 0..=TIME_MS_MAX),
        ("pause-max", &mut read.pause_max_ms, 0..=HOUR_MS),
    ] {
        set(&mut map, name, place, |field| field.duration(range).reported(report));
    }
    set(&mut map, "pause-per-gib", &mut read.pause_ms_per_gib, |field| {
        u32::try_from(field.duration(0..=HOUR_MS).reported(report)?).ok()
    });
    for (name, place) in [("hot", &mut read.hot_permille), ("cool", &mut read.cool_permille)] {
        set(&mut map, name, place, |field| field.permille(1..=ALL_PERMILLE).reported(report));
    }
    set(&mut map, "empty-below", &mut read.empty_below_permille, |field| share_or_none(report, field));
    set(&mut map, "moves", &mut read.moves_max, |field| field.count(1..=MOVES_MAX).reported(report));
    set(&mut map, "between-clusters", &mut read.between_clusters, |field| field.boolean().reported(report));
    map.refuse_rest(report);
    Some(read)
}
