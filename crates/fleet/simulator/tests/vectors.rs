//! The decisions that other implementations check themselves against.

use documents::PlacementVector;
use placement::policy::{Candidates, Policy};
use std::collections::BTreeSet;

fn hosts(vector: &PlacementVector) -> BTreeSet<&str> {
    vector.hosts.iter().map(|host| host.name.as_str()).collect()
}

#[test]
fn each_host_is_ranked_or_refused_and_the_best_of_all_candidates_is_chosen() {
    for seed in 1..20 {
        for name in Policy::BUILT_IN {
            let policy = Policy { candidates: Candidates::All, ..Policy::built_in(name).expect("built in") };
            for vector in simulator::vectors::of(&policy, seed) {
                let ranked = vector.ranking.iter().map(|(host, _)| host.as_str());
                let reported: BTreeSet<&str> =
                    ranked.chain(vector.refused.keys().map(String::as_str)).collect();
                assert_eq!(reported, hosts(&vector));
                assert_eq!(reported.len(), vector.ranking.len() + vector.refused.len());
                assert!(vector.ranking.is_sorted_by(|a, b| a.1 > b.1 || (a.1 == b.1 && a.0 < b.0)));
                assert_eq!(vector.chosen.as_ref(), vector.ranking.first().map(|(host, _)| host));
            }
        }
    }
}

/// With fewer candidates a host is chosen that passes, and never another one for the same seed.
#[test]
fn the_same_seed_gives_the_same_decisions() {
    let first = simulator::vectors::built_in(7);
    assert_eq!(first, simulator::vectors::built_in(7));
    assert_ne!(first, simulator::vectors::built_in(8));
    for vector in &first.vectors {
        let passes = |host: &String| vector.ranking.iter().any(|(ranked, _)| ranked == host);
        assert!(vector.chosen.as_ref().is_none_or(passes));
        assert_eq!(vector.chosen.is_none(), vector.ranking.is_empty());
    }
}
