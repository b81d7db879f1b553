//! Traces as real machines have them: bursts, far too much, cut short, almost nothing.

use super::{CLOUD, Comb, Recipe, check, found, reported};
use crate::synthetic::Cloud;
use crate::{Burst, Detour, GapTrace, Ticks, sources::decompose};

/// Detours in groups: each group begins by chance, and its detours follow each other.
fn in_groups(recipe: &Recipe, seed: u64, groups_hz: f64, of: u64, apart_ns: u64) -> GapTrace {
    let mut begins = Recipe::quiet(recipe.length.0 / 1_000_000_000);
    begins.clouds = vec![Cloud { rate_hz: groups_hz, ..CLOUD }];
    let mut trace = recipe.trace(seed);
    let ticks = |ns: u64| (ns as f64 * recipe.rate().0 / 1e9) as u64;
    let end = trace.bursts.last().map_or(0, |burst| burst.end.0);
    for group in begins.trace(seed + 77).detours {
        // Not exactly as far apart each time, nor as many.
        let count = 1 + (group.length.0 * 7919) % (2 * of);
        for at in 0..count {
            let start = group.start.0 + ticks(at * apart_ns + (at * 7919 + group.length.0) % (apart_ns / 4));
            if start + ticks(3_000) < end {
                trace.detours.push(Detour { start: Ticks(start), length: Ticks(ticks(2_000)) });
            }
        }
    }
    trace.detours.sort_by_key(|detour| detour.start);
    let mut free = 0;
    trace.detours.retain(|detour| {
        let is_apart = detour.start.0 > free;
        if is_apart {
            free = detour.start.0 + detour.length.0;
        }
        is_apart
    });
    trace
}

#[test]
fn bursts_are_no_source_and_hide_none() {
    let quiet = Recipe::quiet(10);
    let mut ticking = Recipe::quiet(10);
    ticking.combs = vec![Comb::new(250.0, 6_300.0), Comb { phase: 0.1, ..Comb::new(1000.0, 3_000.0) }];
    for (seed, (groups_hz, of, apart_ns)) in
        [(30.0, 10, 20_000), (100.0, 20, 50_000), (5.0, 200, 10_000), (300.0, 3, 100_000)]
            .into_iter()
            .enumerate()
    {
        let trace = in_groups(&quiet, seed as u64, groups_hz, of, apart_ns);
        assert!(trace.detours.len() > 1_000);
        let found = decompose(&trace, quiet.rate());
        assert!(found.periodic.is_empty(), "{groups_hz}: {:?}", reported(&found));
        let trace = in_groups(&ticking, seed as u64, groups_hz, of, apart_ns);
        let found = decompose(&trace, ticking.rate());
        let frequencies: Vec<f64> = found.periodic.iter().map(|source| source.frequency_hz.round()).collect();
        assert_eq!(frequencies, [1000.0, 250.0], "{groups_hz}: {:?}", reported(&found));
    }
}

#[test]
fn two_hundred_thousand_detours_are_taken_apart() {
    let mut recipe = Recipe::quiet(10);
    recipe.combs = vec![Comb::new(1000.0, 6_300.0)];
    recipe.clouds = vec![Cloud { rate_hz: 21_000.0, length_ns: 300.0, length_spread: 0.3 }];
    let trace = recipe.trace(1);
    assert!(trace.detours.len() > 200_000, "{}", trace.detours.len());
    let found = decompose(&trace, recipe.rate());
    assert_eq!(found.periodic.len(), 1, "{:?}", reported(&found));
    assert!((found.periodic[0].frequency_hz - 1000.0).abs() < 0.01);
}

#[test]
fn two_hundred_thousand_detours_within_a_second_cost_no_more_than_spread_out() {
    // Each has as many others near it as 40 times as many would have: what is counted must not grow with that.
    let mut recipe = Recipe::quiet(40);
    recipe.combs = vec![Comb::new(250.0, 6_300.0)];
    let mut trace = recipe.trace(1);
    let step = (recipe.rate().0 / 250_000.0) as u64;
    let from = trace.detours[4_000].start.0 + 10 * step;
    let to = from + 200_000 * step;
    trace.detours.retain(|detour| detour.start.0 + detour.length.0 < from || detour.start.0 > to);
    let jitter = |at: u64| at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52;
    trace.detours.extend(
        (0..200_000).map(|at| Detour { start: Ticks(from + at * step + jitter(at)), length: Ticks(2_600) }),
    );
    trace.detours.sort_by_key(|detour| detour.start);
    let found = decompose(&trace, recipe.rate());
    assert!(
        found.periodic.iter().any(|one| (one.frequency_hz - 250.0).abs() < 0.01),
        "{:?}",
        reported(&found)
    );
}

#[test]
fn a_cpu_that_vanished_in_the_middle_is_known_by_what_it_left() {
    let mut recipe = Recipe::quiet(10);
    recipe.combs = vec![Comb::new(1000.02, 6_300.0), Comb { phase: 0.1, ..Comb::new(100.0, 20_000.0) }];
    recipe.clouds = vec![CLOUD];
    let mut trace = recipe.trace(1);
    let at = |seconds: f64| Ticks((seconds * recipe.rate().0) as u64);
    // It looked for 3.3 s, not at all for 4 s, and then until the end; what began within a burst may end after it.
    trace.bursts = vec![
        Burst { begin: Ticks(0), end: at(3.3) },
        Burst { begin: at(7.3), end: at(7.3) },
        Burst { begin: at(7.3), end: at(10.0) },
    ];
    trace.detours.retain(|one| one.start < at(3.3) || one.start > at(7.3));
    let found = decompose(&trace, recipe.rate());
    let near = |frequency_hz: f64| {
        found.periodic.iter().any(|one| (one.frequency_hz / frequency_hz - 1.0).abs() < 1e-4)
    };
    assert!(near(1000.02) && near(100.0) && found.periodic.len() == 2, "{:?}", reported(&found));
    assert!((found.watched_ns - 6e9).abs() < 1e3, "{}", found.watched_ns);
}

#[test]
fn one_detour_is_no_source_and_neither_are_seven() {
    for count in [1, 2, 7] {
        let mut recipe = Recipe::quiet(10);
        recipe.combs = vec![Comb::new(f64::from(count) / 10.0, 6_300.0)];
        let found = found(&recipe, 1);
        assert_eq!((found.detours, found.periodic.len()), (count as usize, 0));
        assert_eq!(found.rest.as_ref().map(|rest| rest.count), Some(count as usize));
    }
}

#[test]
fn one_detour_that_takes_all_the_time_leaves_nothing_to_find() {
    let recipe = Recipe::quiet(1);
    let mut trace = recipe.trace(1);
    let end = trace.bursts[0].end;
    trace.detours = vec![Detour { start: Ticks(0), length: end }];
    let found = decompose(&trace, recipe.rate());
    assert!(found.periodic.is_empty() && found.stalls.is_some() && (found.share - 1.0).abs() < 1e-9);
}

#[test]
fn a_single_comb_in_a_single_second_is_found() {
    let mut recipe = Recipe::quiet(1);
    recipe.combs = vec![Comb::new(250.0, 6_300.0)];
    check(&recipe, 1);
}
