//! The keys of a policy, each on top of what the policy extends.

use super::fields::{Field, Map, Report};
use super::name_ok;
use crate::Level;
use crate::policy::{Candidates, Limits, Policy, Prediction, Promise, Rescheduling, Score, WEIGHT_MAX};
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
pub fn read(report: &Report, map: &mut Map<'_>, policy: &mut Policy) {
    if let Some(field) = map.take(report, "pools") {
        pools(report, &field, &mut policy.pools);
    }
    if let Some(field) = map.take(report, "limits") {
        limits(report, &field, &mut policy.limits);
    }
    if let Some(field) = map.take(report, "prefer") {
        policy.prefer = prefer(report, &field);
    }
    set(report, map, "candidates", &mut policy.candidates, |field| candidates(report, field));
    if let Some(field) = map.take(report, "prediction") {
        policy.prediction = prediction(report, &field, policy.prediction);
    }
    if let Some(field) = map.take(report, "rescheduling") {
        policy.rescheduling = rescheduling(report, &field, policy.rescheduling);
    }
}

/// Takes a field into its place if it is there and can be read.
fn set<'n, T>(
    report: &Report,
    map: &mut Map<'n>,
    name: &'static str,
    place: &mut T,
    read: impl FnOnce(&Field<'n>) -> Option<T>,
) {
    if let Some(value) = map.take(report, name).and_then(|field| read(&field)) {
        *place = value;
    }
}

fn pools(report: &Report, field: &Field<'_>, pools: &mut BTreeMap<String, Promise>) {
    if field.is_none() {
        pools.clear();
        return;
    }
    let Some(mut map) = field.map(report) else { return };
    for (name, field) in map.take_rest(report) {
        if !name_ok(report, &field, name) {
            continue;
        }
        if pools.len() >= POOLS_MAX && !pools.contains_key(name) {
            field
                .mistake(report, format!("is one too many, expected at most {POOLS_MAX} pools; remove some"));
            return;
        }
        let Some(mut map) = field.map(report) else { continue };
        let promise = pools.entry(name.to_owned()).or_default();
        set(report, &mut map, "levels", &mut promise.levels, |field| levels(report, field));
        set(report, &mut map, "cpu", &mut promise.cpu_permille, |field| {
            field.permille(report, 1..=CPU_PERMILLE_MAX)
        });
        set(report, &mut map, "memory", &mut promise.memory_permille, |field| {
            field.permille(report, 1..=MEMORY_PERMILLE_MAX)
        });
        map.finish(report);
    }
}

fn levels(report: &Report, field: &Field<'_>) -> Option<Vec<Level>> {
    let words = Level::ALL.map(|level| (level.id(), level));
    let mut found = Vec::new();
    for item in field.items(report)? {
        let level = item.word(report, &words)?;
        if found.contains(&level) {
            item.mistake(
                report,
                format!("is '{}' once more, expected each level once; remove it", level.id()),
            );
        }
        found.push(level);
    }
    if found.is_empty() {
        let message = "is empty, so that the pool takes no job, expected at least one level; name one of strict, \
                       standard, best-effort";
        field.mistake(report, message.to_owned());
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
    let Some(mut map) = field.map(report) else { return };
    for (name, place) in [
        ("peak", &mut limits.peak_permille),
        ("mean", &mut limits.mean_permille),
        ("best-effort", &mut limits.best_effort_permille),
    ] {
        set(report, &mut map, name, place, |field| share_or_none(report, field));
    }
    map.finish(report);
}

/// Reads a part of the CPUs, or `none`.
fn share_or_none(report: &Report, field: &Field<'_>) -> Option<Option<u32>> {
    if field.is_none() { Some(None) } else { field.permille(report, 1..=ALL_PERMILLE).map(Some) }
}

fn prefer(report: &Report, field: &Field<'_>) -> BTreeMap<Score, u32> {
    let mut weights = BTreeMap::new();
    if field.is_none() {
        return weights;
    }
    let Some(mut map) = field.map(report) else { return weights };
    for score in Score::ALL {
        let weight = map.take(report, score.id()).and_then(|field| field.integer(report, 1..=WEIGHT_MAX));
        weights.extend(weight.map(|weight| (score, weight)));
    }
    map.finish(report);
    weights
}

fn candidates(report: &Report, field: &Field<'_>) -> Option<Candidates> {
    match &field.node.value {
        located::Value::Text(text) if text == "all" => Some(Candidates::All),
        located::Value::Number { .. } => field.integer(report, 1..=CANDIDATES_MAX).map(Candidates::First),
        _ => {
            let expected = format!("a whole number from 1 to {CANDIDATES_MAX}, or all");
            field.wrong(report, &expected, "write 8, which suits most fleets");
            None
        }
    }
}

fn prediction(report: &Report, field: &Field<'_>, extended: Option<Prediction>) -> Option<Prediction> {
    if field.is_none() {
        return None;
    }
    let mut read = extended.unwrap_or_default();
    let Some(mut map) = field.map(report) else { return Some(read) };
    for (name, place, max) in [
        ("window", &mut read.window_ms, WINDOW_MS_MAX),
        ("horizon", &mut read.horizon_ms, TIME_MS_MAX),
        ("stale-after", &mut read.stale_after_ms, TIME_MS_MAX),
    ] {
        set(report, &mut map, name, place, |field| field.duration(report, SECOND_MS..=max));
    }
    set(report, &mut map, "risk", &mut read.risk_permille, |field| {
        field.permille(report, 1..=RISK_PERMILLE_MAX)
    });
    map.finish(report);
    Some(read)
}

fn rescheduling(report: &Report, field: &Field<'_>, extended: Option<Rescheduling>) -> Option<Rescheduling> {
    if field.is_none() {
        return None;
    }
    let mut read = extended.unwrap_or_default();
    let Some(mut map) = field.map(report) else { return Some(read) };
    for (name, place, range) in [
        ("every", &mut read.every_ms, SECOND_MS..=TIME_MS_MAX),
        ("rest", &mut read.rest_ms, 0..=TIME_MS_MAX),
        ("pause-max", &mut read.pause_max_ms, 0..=HOUR_MS),
    ] {
        set(report, &mut map, name, place, |field| field.duration(report, range));
    }
    set(report, &mut map, "pause-per-gib", &mut read.pause_ms_per_gib, |field| {
        u32::try_from(field.duration(report, 0..=HOUR_MS)?).ok()
    });
    for (name, place) in [("hot", &mut read.hot_permille), ("cool", &mut read.cool_permille)] {
        set(report, &mut map, name, place, |field| field.permille(report, 1..=ALL_PERMILLE));
    }
    set(report, &mut map, "empty-below", &mut read.empty_below_permille, |field| {
        share_or_none(report, field)
    });
    set(report, &mut map, "moves", &mut read.moves_max, |field| field.integer(report, 1..=MOVES_MAX));
    set(report, &mut map, "between-clusters", &mut read.between_clusters, |field| field.boolean(report));
    map.finish(report);
    Some(read)
}
