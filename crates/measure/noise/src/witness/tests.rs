use super::*;
use crate::sources::decompose;
use crate::synthetic::{Cloud, Comb, Recipe, Steal};
use model::Nanos;

const QUANTUM: Nanos = Nanos::from_micros(155);

/// Returns what the loop found in one trace of a recipe, and what calls say that were measured in another.
fn asked(loops: &Recipe, calls: &Recipe, seed: u64) -> (Decomposition, Witness) {
    let gaps = loops.trace(seed);
    let found = decompose(&gaps, loops.rate());
    let quanta = calls.calls(seed + 1000, QUANTUM, 0.01);
    let witness = witness(&quanta, &gaps, &found, loops.rate()).unwrap();
    (found, witness)
}

fn two() -> Recipe {
    let mut recipe = Recipe::quiet(10);
    recipe.combs = vec![Comb::new(1000.0, 6_300.0), Comb { phase: 0.1, ..Comb::new(128.7, 9_000.0) }];
    recipe.clouds = vec![Cloud { rate_hz: 300.0, length_ns: 2_000.0, length_spread: 0.8 }];
    recipe
}

fn agreement(witness: &Witness) -> Agreement {
    witness.lost.known().unwrap().agreement()
}

#[test]
fn calls_of_the_same_machine_agree_and_have_its_rhythms() {
    for seed in 0..3 {
        let (found, witness) = asked(&two(), &two(), seed);
        assert_eq!(found.periodic.len(), 2);
        let lost = witness.lost.known().unwrap();
        assert!((lost.of_calls / lost.expected - 1.0).abs() < 0.1, "{lost:?}");
        for (line, expected_ns) in witness.lines.iter().zip([6_300.0, 9_000.0]) {
            let Line::Seen { length_ns, error_ns, chance_log10 } = line else { panic!("{witness:?}") };
            assert!((length_ns - expected_ns).abs() < 4.0 * error_ns.max(100.0), "{line:?}");
            assert!(*chance_log10 < -3.0, "{line:?}");
        }
    }
}

#[test]
fn what_only_the_loop_saw_is_absent_and_what_only_calls_lost_is_reported() {
    let mut quieter = two();
    quieter.combs.pop();
    let (_, witness) = asked(&two(), &quieter, 1);
    assert!(matches!(witness.lines[0], Line::Seen { .. }), "{witness:?}");
    assert_eq!(witness.lines[1], Line::Absent);
    assert_eq!(agreement(&witness), Agreement::Less);
    let (_, witness) = asked(&quieter, &two(), 1);
    assert_eq!((witness.lines.len(), agreement(&witness)), (1, Agreement::More));
}

#[test]
fn what_is_too_small_or_too_frequent_for_such_calls_is_faint() {
    let mut recipe = two();
    recipe.combs = vec![Comb::new(15_000.0, 2_000.0), Comb { phase: 0.1, ..Comb::new(50.0, 150.0) }];
    recipe.steal = Some(Steal { share: 0.05, mean_ns: 1e5 });
    let (found, witness) = asked(&recipe, &recipe, 1);
    assert_eq!(found.periodic.len(), 2, "{:?}", found.periodic);
    assert_eq!(witness.lines, [Line::Faint, Line::Faint]);
}

#[test]
fn rhythm_of_another_source_is_no_evidence() {
    let mut loops = two();
    loops.combs = vec![Comb::new(1000.0, 1_000.0), Comb { phase: 0.1, ..Comb::new(250.0, 20_000.0) }];
    let mut calls = loops.clone();
    calls.combs.remove(0);
    let (_, witness) = asked(&loops, &calls, 1);
    assert_eq!(witness.lines[0], Line::Hidden);
    assert!(matches!(witness.lines[1], Line::Seen { .. }), "{witness:?}");
}

#[test]
fn sources_that_are_not_there_are_seldom_seen() {
    let mut noise = two();
    noise.combs.clear();
    noise.clouds = vec![Cloud { rate_hz: 2_000.0, length_ns: 5_000.0, length_spread: 1.0 }];
    let seen = (0..40).flat_map(|seed| asked(&two(), &noise, seed).1.lines);
    let seen: Vec<Line> = seen.filter(|line| matches!(line, Line::Seen { .. })).collect();
    assert!(seen.len() <= 1, "{seen:?}");
}

#[test]
fn too_few_calls_are_no_witness() {
    let recipe = two();
    let gaps = recipe.trace(1);
    let found = decompose(&gaps, recipe.rate());
    let mut quanta = recipe.calls(2, QUANTUM, 0.01);
    quanta.starts.truncate(5_000);
    quanta.lengths.truncate(5_000);
    assert!(witness(&quanta, &gaps, &found, recipe.rate()).unwrap_err().contains("too few calls"));
}

#[test]
fn long_detours_are_as_long_in_calls() {
    let mut recipe = Recipe::quiet(10);
    recipe.combs = vec![
        Comb { length_spread: 0.25, ..Comb::new(250.0, 47_500.0) },
        Comb { phase: 0.1, length_spread: 0.25, ..Comb::new(99.998_7, 42_000.0) },
    ];
    recipe.clouds = vec![Cloud { rate_hz: 600.0, length_ns: 2_000.0, length_spread: 1.0 }];
    let (found, witness) = asked(&recipe, &recipe, 3);
    for (line, source) in witness.lines.iter().zip(&found.periodic) {
        let Line::Seen { length_ns, error_ns, .. } = line else { panic!("{witness:?}") };
        assert!((length_ns - source.lengths.mean_ns).abs() < 4.0 * error_ns, "{line:?} {source:?}");
    }
}
