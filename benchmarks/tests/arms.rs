//! Arms run and print what `cargo xtask bench` reads.

use std::process::Command;

#[test]
fn each_repetition_is_one_number() {
    // The sandbox and its groups need root.
    let arms = if test_support::needs_root() {
        &["warm-runs", "slot-opens", "filter-installs", "evidence-reads"][..]
    } else {
        &["evidence-reads"]
    };
    for arm in arms {
        let output =
            Command::new(env!("CARGO_BIN_EXE_tauto-bench")).args([arm, "--count", "3"]).output().unwrap();
        let times: Vec<u64> =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{arm}: {output:?}"));
        assert_eq!(times.len(), 3, "{arm}");
    }
}
