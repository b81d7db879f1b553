//! What is read again as it was written.

use super::{good, policy};
use placement::Level;
use placement::policy::{Candidates, Limits, Policy, Prediction, Promise, Rescheduling, Score, read, write};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[test]
fn built_in_policies_are_read_again() {
    for name in Policy::BUILT_IN {
        let built_in = Policy::built_in(name).unwrap();
        assert_eq!(policy(&write(&built_in)), built_in, "{}", write(&built_in));
    }
    insta::assert_snapshot!(write(&Policy::built_in("load-aware").unwrap()), @"
    policy: load-aware
    pools: none
    limits:
      peak: 0.8
      mean: 0.7
      best-effort: 0.9
    prefer:
      low-mean: 1
      low-peak: 3
    candidates: 8
    prediction:
      window: 5m
      horizon: 1h
      risk: 0.05
      stale-after: 30m
    rescheduling:
      every: 5m
      hot: 0.8
      cool: 0.7
      empty-below: none
      moves: 20
      rest: 1h
      pause-per-gib: 100ms
      pause-max: 10s
      between-clusters: false
    fallback: spread
    ");
}

#[test]
fn keys_that_are_left_out_come_from_what_is_extended() {
    let policies = good(
        "policies:
- policy: child
  extends: parent
  pools: { fast: { cpu: 3.0 } }
  limits: { peak: 0.7, mean: none }
  prefer: { cheap: 1 }
  prediction: { window: 1m }
- policy: parent
  extends: load-aware
  pools: { fast: { levels: [standard], cpu: 2.0 }, slow: {} }
  candidates: all
  rescheduling: none
  fallback: first-fit
",
    );
    let [child, parent] = &policies.all[..] else { panic!("{policies:?}") };
    let fast = Promise { levels: vec![Level::Standard], cpu_permille: 3000, memory_permille: 1000 };
    assert_eq!(child.pools, BTreeMap::from([("fast".into(), fast), ("slow".into(), Promise::default())]));
    let limits = Limits { peak_permille: Some(700), mean_permille: None, best_effort_permille: Some(900) };
    assert_eq!(child.limits, limits);
    assert_eq!(child.prefer, BTreeMap::from([(Score::Cheap, 1)]));
    assert_eq!(child.candidates, Candidates::All);
    assert_eq!(child.prediction, Some(Prediction { window_ms: 60_000, ..Prediction::default() }));
    assert_eq!((child.rescheduling, parent.rescheduling), (None, None));
    let fallback = child.fallback.as_ref().unwrap();
    assert_eq!((&*fallback.name, &fallback.pools), ("first-fit", &child.pools));
    assert_eq!(policies.find(Some("parent")), Some(parent));
    assert_eq!(policies.find(None), Some(child));
    assert_eq!(policies.find(Some("spread")), None);
}

#[test]
fn empty_policy_takes_the_first_host() {
    let plain = policy("policy: p\n");
    assert_eq!((plain.prefer, plain.prediction, plain.fallback), (BTreeMap::new(), None, None));
    let predicted = policy("policy: p\nprediction: {}\nprefer: { low-peak: 1 }\n");
    assert_eq!(predicted.fallback.unwrap().name, "spread");
}

fn a_name() -> impl Strategy<Value = String> {
    "[a-zA-Z][a-zA-Z0-9._-]{0,63}".prop_filter("a word of the format", |name| {
        !["none", "all", "null", "true", "false"].contains(&&*name.to_lowercase())
            && !Policy::BUILT_IN.contains(&&**name)
    })
}

fn promises() -> impl Strategy<Value = BTreeMap<String, Promise>> {
    let levels = prop::sample::subsequence(Level::ALL.to_vec(), 1..=3);
    let promise = (levels, 1..=10_000u32, 1..=2000u32).prop_map(|(levels, cpu_permille, memory_permille)| {
        Promise { levels, cpu_permille, memory_permille }
    });
    prop::collection::btree_map(a_name(), promise, 0..4)
}

fn preferences(scores: Vec<Score>) -> impl Strategy<Value = BTreeMap<Score, u32>> {
    let scores = prop::sample::subsequence(scores.clone(), 0..=scores.len());
    (scores, prop::collection::vec(1..=100u32, 10))
        .prop_map(|(scores, weights)| scores.into_iter().zip(weights).collect())
}

fn candidates() -> impl Strategy<Value = Candidates> {
    prop_oneof![Just(Candidates::All), (1..=10_000u32).prop_map(Candidates::First)]
}

/// A policy that uses requests alone.
fn unpredicted() -> impl Strategy<Value = Policy> {
    let scores =
        Score::ALL.into_iter().filter(|score| !["packed", "low-mean", "low-peak"].contains(&score.id()));
    let parts = (a_name(), promises(), preferences(scores.collect()), candidates());
    parts.prop_map(|(name, pools, prefer, candidates)| Policy {
        name,
        pools,
        prefer,
        candidates,
        limits: Limits::default(),
        prediction: None,
        rescheduling: None,
        fallback: None,
    })
}

fn moves() -> impl Strategy<Value = Rescheduling> {
    let shares = (1..=1000u32, 1..=1000u32, prop::option::of(1..=1000u32));
    let shares = shares
        .prop_filter("in order", |(hot, cool, empty)| cool < hot && empty.is_none_or(|empty| empty < *cool));
    let times = (86_400_000..=2_592_000_000u64, 0..=2_592_000_000u64, 0..=3_600_000u32, 0..=3_600_000u64);
    (shares, times, 1..=100_000u32, any::<bool>()).prop_map(|(shares, times, moves_max, between_clusters)| {
        Rescheduling {
            every_ms: times.0,
            hot_permille: shares.0,
            cool_permille: shares.1,
            empty_below_permille: shares.2,
            moves_max,
            rest_ms: times.1,
            pause_ms_per_gib: times.2,
            pause_max_ms: times.3,
            between_clusters,
        }
    })
}

fn any_policy() -> impl Strategy<Value = Policy> {
    let windows = (1000..86_400_000u64, 86_400_000..=2_592_000_000u64, 86_400_000..=2_592_000_000u64);
    let prediction =
        (windows, 1..=500u32).prop_map(|((window_ms, horizon_ms, stale_after_ms), risk_permille)| {
            Prediction { window_ms, horizon_ms, risk_permille, stale_after_ms }
        });
    let limit = || prop::option::of(1..=1000u32);
    let limits =
        (limit(), limit(), limit()).prop_map(|(peak_permille, mean_permille, best_effort_permille)| Limits {
            peak_permille,
            mean_permille,
            best_effort_permille,
        });
    let predicted = (preferences(Score::ALL[1..].to_vec()), limits, prediction, prop::option::of(moves()));
    let fallback = prop_oneof![unpredicted(), Just(Policy::built_in("pack").unwrap())];
    let both =
        (unpredicted(), predicted, fallback).prop_filter_map("one name", |(own, predicted, fallback)| {
            let (prefer, limits, prediction, rescheduling) = predicted;
            let fallback = Policy { pools: own.pools.clone(), ..fallback };
            (own.name != fallback.name).then(|| Policy {
                prefer,
                limits,
                prediction: Some(prediction),
                rescheduling,
                fallback: Some(Box::new(fallback)),
                ..own
            })
        });
    prop_oneof![unpredicted(), both]
}

proptest! {
    #[test]
    fn every_policy_is_read_as_it_was_written(policy in any_policy()) {
        let text = write(&policy);
        let policies = read(&text).map_err(|mistakes| TestCaseError::fail(format!("{text}
{mistakes:?}")))?;
        prop_assert_eq!(policies.find(None), Some(&policy), "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused(
        keys in prop::collection::vec(
            "(policy|extends|pools|limits|prefer|candidates|prediction|rescheduling|fallback|policies|peak|hot|x)", 0..9),
        values in prop::collection::vec("(none|all|spread|a|0.8|8|5m|\\[a\\]|\\{peak: 0.5\\}|\\{window: 5m\\}|~|-1|'')", 9),
    ) {
        let text: String = keys.iter().zip(&values).map(|(key, value)| format!("{key}: {value}\n")).collect();
        match read(&text) {
            Err(mistakes) => prop_assert!(!mistakes.is_empty()),
            // What is written spells everything out, so that a contradiction would be found now.
            Ok(policies) => for policy in &policies.all {
                let again = good(&write(policy));
                prop_assert_eq!(again.find(None), Some(policy));
            },
        }
    }
}
