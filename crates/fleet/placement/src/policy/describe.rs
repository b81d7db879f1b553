//! A policy in plain sentences.

use super::units::in_unit;
use super::{Candidates, Policy, Prediction, Promise, Rescheduling, Score};
use crate::Level;
use std::cmp::Reverse;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub title: &'static str,
    pub sentences: Vec<String>,
}

pub fn describe(policy: &Policy) -> Vec<Section> {
    let section = |title, sentences| Section { title, sentences };
    let mut sections = vec![
        section("What the pools promise", pools(policy)),
        section("What is predicted", predicted(policy.prediction.as_ref())),
        section("Which hosts pass", limits(policy)),
        section("Which of them a job gets", preferred(policy)),
        section("When jobs move", moves(policy.rescheduling.as_ref())),
    ];
    if let (Some(prediction), Some(fallback)) = (&policy.prediction, &policy.fallback) {
        let when = format!(
            "Without an observation for {} the policy '{}' decides, with the same pools, and no job moves.",
            time(prediction.stale_after_ms),
            fallback.name
        );
        sections.push(section("While predictions are stale", [vec![when], preferred(fallback)].concat()));
    }
    sections
}

/// Says in one sentence which host a job gets.
pub fn summary(policy: &Policy) -> String {
    let shares: Vec<String> = shares(policy)
        .into_iter()
        .map(|(score, share)| format!("{} {}", score.id(), percent(share)))
        .collect();
    let moves = if policy.rescheduling.is_some() { "; jobs move off hot hosts" } else { "" };
    match policy.candidates {
        _ if shares.is_empty() => format!("the first host that passes{moves}"),
        Candidates::All => format!("the best of all that pass: {}{moves}", shares.join(", ")),
        Candidates::First(count) => {
            format!("the best of up to {count} of each kind that pass: {}{moves}", shares.join(", "))
        }
    }
}

fn pools(policy: &Policy) -> Vec<String> {
    let mut sentences: Vec<String> =
        policy.pools.iter().map(|(name, promise)| promised(&format!("Pool '{name}'"), promise)).collect();
    let others = if sentences.is_empty() { "Every pool" } else { "Every other pool" };
    sentences.push(promised(others, &Promise::default()));
    sentences.push(
        "A strict job has whole cores of its own; strict jobs never get more than the host has.".to_owned(),
    );
    sentences
}

fn promised(who: &str, promise: &Promise) -> String {
    let levels: Vec<&str> = promise.levels.iter().map(|level| level.id()).collect();
    let mut text = format!(
        "{who} takes {} jobs; together they may request up to {} of the memory",
        list(&levels),
        percent(promise.memory_permille)
    );
    if promise.levels.contains(&Level::Standard) {
        let left = if promise.levels.contains(&Level::Strict) { " that strict jobs leave" } else { "" };
        text += &format!(", and standard jobs up to {} of the CPUs{left}", percent(promise.cpu_permille));
    }
    text + "."
}

fn predicted(prediction: Option<&Prediction>) -> Vec<String> {
    let Some(prediction) = prediction else {
        return vec!["Nothing: what jobs request decides alone.".to_owned()];
    };
    vec![format!(
        "From the loads seen in windows of {}, the mean and the peak of the next {} are predicted; in {} of the windows \
         the load may be above the predicted peak.",
        time(prediction.window_ms),
        time(prediction.horizon_ms),
        percent(prediction.risk_permille)
    )]
}

fn limits(policy: &Policy) -> Vec<String> {
    let limits = &policy.limits;
    let mut sentences =
        vec!["Those that have what the job needs, and keep what their pool promises.".to_owned()];
    let all = [
        ("With the job, the predicted peak of standard jobs", limits.peak_permille),
        ("With the job, the predicted mean of standard jobs", limits.mean_permille),
        (
            "For a job of best effort, the predicted mean of standard jobs and best effort",
            limits.best_effort_permille,
        ),
    ];
    for (what, limit) in all {
        if let Some(limit) = limit {
            sentences
                .push(format!("{what} is at most {} of the CPUs that strict jobs leave.", percent(limit)));
        }
    }
    sentences
}

fn preferred(policy: &Policy) -> Vec<String> {
    let shares: Vec<String> = shares(policy)
        .into_iter()
        .map(|(score, share)| format!("{} for {} ({})", percent(share), meaning(score), score.id()))
        .collect();
    if shares.is_empty() {
        return vec!["The first host that passes.".to_owned()];
    }
    let scored = match policy.candidates {
        Candidates::All => "All hosts that pass get a score".to_owned(),
        Candidates::First(1) => "One host of each kind that passes gets a score".to_owned(),
        Candidates::First(count) => format!("Up to {count} hosts of each kind that pass get a score"),
    };
    vec![format!("{scored}, and the job goes to the highest."), format!("The score is {}.", list(&shares))]
}

/// Returns each score's part of the whole, in thousandths, the greatest first.
fn shares(policy: &Policy) -> Vec<(Score, u32)> {
    let sum: u32 = policy.prefer.values().sum();
    let mut shares: Vec<(Score, u32)> =
        policy.prefer.iter().map(|(score, weight)| (*score, (weight * 1000 + sum / 2) / sum)).collect();
    shares.sort_by_key(|(_, share)| Reverse(*share));
    shares
}

fn meaning(score: Score) -> &'static str {
    match score {
        Score::Free => "few requested CPUs",
        Score::Packed => "many requested CPUs",
        Score::BestFit => "little left of CPUs and memory",
        Score::Balance => "equal requested shares of CPUs and memory",
        Score::DotProduct => "free CPUs and memory in the proportion of the job's request",
        Score::LowMean => "a low predicted mean",
        Score::LowPeak => "a low predicted peak",
        Score::Quiet => "low noise",
        Score::Cheap => "a low price",
        Score::FewOfService => "few jobs of the same service",
    }
}

fn moves(moves: Option<&Rescheduling>) -> Vec<String> {
    let Some(moves) = moves else { return vec!["Never, not even off hosts that are drained.".to_owned()] };
    let (hot, cool) = (percent(moves.hot_permille), percent(moves.cool_permille));
    let mut sentences = vec![
        format!(
            "Every {}, jobs leave hosts that are drained or hot: with a predicted peak above {hot} of the CPUs that strict \
             jobs leave.",
            time(moves.every_ms)
        ),
        format!("A hot host is relieved until it is at {cool}, and none gets more than {cool} by moves."),
        format!(
            "At most {} jobs move in a round, and each rests for {} then.",
            moves.moves_max,
            time(moves.rest_ms)
        ),
        format!(
            "A move stops a job for {} for each GiB of its memory; only best-effort jobs may be stopped for longer than {}.",
            time(moves.pause_ms_per_gib.into()),
            time(moves.pause_max_ms)
        ),
    ];
    if let Some(empty) = moves.empty_below_permille {
        sentences.push(format!(
            "A host with a predicted mean below {} of its CPUs is emptied if all its jobs find another place.",
            percent(empty)
        ));
    }
    let between = if moves.between_clusters { "may move to" } else { "do not move to" };
    sentences.push(format!("Jobs {between} another cluster."));
    sentences
}

/// Prints a duration as people write it.
fn time(time_ms: u64) -> String {
    let (count, unit) = in_unit(time_ms);
    format!("{count} {}", if unit == "m" { "min" } else { unit })
}

fn percent(permille: u32) -> String {
    match permille % 10 {
        0 => format!("{} %", permille / 10),
        tenth => format!("{}.{tenth} %", permille / 10),
    }
}

fn list(parts: &[impl AsRef<str>]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} and {}", first.join(", "), last.as_ref())
        }
    }
}
