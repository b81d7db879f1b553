//! A policy as a file.

use super::units::{NONE, decimal, duration};
use super::{Candidates, Policy};
use crate::Level;
use std::fmt::Write;

/// Writes a policy as YAML, with every value spelt out, and behind it its fallback if that is not a built-in policy.
pub fn write(policy: &Policy) -> String {
    let own_fallback = policy.fallback.as_deref().filter(|fallback| !is_built_in(fallback));
    let Some(fallback) = own_fallback else { return one(policy) };
    let mut text = "policies:\n".to_owned();
    for policy in [policy, fallback] {
        for (at, line) in one(policy).lines().enumerate() {
            let lead = if at == 0 { "- " } else { "  " };
            let _ = writeln!(text, "{lead}{line}");
        }
    }
    text
}

/// Returns whether it is a built-in policy, apart from the pools, which are those of the policy whose fallback it is.
pub fn is_built_in(fallback: &Policy) -> bool {
    Policy::built_in(&fallback.name)
        .is_some_and(|built_in| Policy { pools: fallback.pools.clone(), ..built_in } == *fallback)
}

fn one(policy: &Policy) -> String {
    let pools = policy.pools.iter().map(|(name, promise)| {
        let levels: Vec<&str> = promise.levels.iter().map(|level: &Level| level.id()).collect();
        let (cpu, memory) = (decimal(promise.cpu_permille), decimal(promise.memory_permille));
        (name.as_str(), format!("{{ levels: [{}], cpu: {cpu}, memory: {memory} }}", levels.join(", ")))
    });
    let limits = &policy.limits;
    let limits = [
        ("peak", limits.peak_permille),
        ("mean", limits.mean_permille),
        ("best-effort", limits.best_effort_permille),
    ];
    let limits = limits.into_iter().filter_map(|(name, limit)| Some((name, decimal(limit?))));
    let prefer = policy.prefer.iter().map(|(score, weight)| (score.id(), weight.to_string()));
    let prediction = policy.prediction.iter().flat_map(|prediction| {
        [
            ("window", duration(prediction.window_ms)),
            ("horizon", duration(prediction.horizon_ms)),
            ("risk", decimal(prediction.risk_permille)),
            ("stale-after", duration(prediction.stale_after_ms)),
        ]
    });
    let rescheduling = policy.rescheduling.iter().flat_map(|moves| {
        [
            ("every", duration(moves.every_ms)),
            ("hot", decimal(moves.hot_permille)),
            ("cool", decimal(moves.cool_permille)),
            ("empty-below", moves.empty_below_permille.map_or(NONE.to_owned(), decimal)),
            ("moves", moves.moves_max.to_string()),
            ("rest", duration(moves.rest_ms)),
            ("pause-per-gib", duration(moves.pause_ms_per_gib.into())),
            ("pause-max", duration(moves.pause_max_ms)),
            ("between-clusters", moves.between_clusters.to_string()),
        ]
    });
    let candidates = match policy.candidates {
        Candidates::First(count) => count.to_string(),
        Candidates::All => "all".to_owned(),
    };
    let mut text = format!("policy: {}\n", policy.name);
    block(&mut text, "pools", pools);
    block(&mut text, "limits", limits);
    block(&mut text, "prefer", prefer);
    let _ = writeln!(text, "candidates: {candidates}");
    block(&mut text, "prediction", prediction);
    block(&mut text, "rescheduling", rescheduling);
    if let Some(fallback) = &policy.fallback {
        let _ = writeln!(text, "fallback: {}", fallback.name);
    }
    text
}

/// Writes a map over several lines, or `none` if it is empty.
fn block<'k>(text: &mut String, key: &str, entries: impl Iterator<Item = (&'k str, String)>) {
    let mut entries = entries.peekable();
    if entries.peek().is_none() {
        let _ = writeln!(text, "{key}: {NONE}");
        return;
    }
    let _ = writeln!(text, "{key}:");
    for (name, value) in entries {
        let _ = writeln!(text, "  {name}: {value}");
    }
}
